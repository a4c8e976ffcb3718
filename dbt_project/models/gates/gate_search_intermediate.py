# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.search_intermediate
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "int_search_task": dbt.ref("int_search_task"),
        "int_search_candidate": dbt.ref("int_search_candidate"),
        "int_search_listing": dbt.ref("int_search_listing"),
        "int_search_outcome": dbt.ref("int_search_outcome"),
        "int_search_run": dbt.ref("int_search_run"),
        "int_search_model": dbt.ref("int_search_model"),
        "stg_search_run": dbt.ref("stg_search_run"),
        "stg_search_task": dbt.ref("stg_search_task"),
        "stg_search_candidate": dbt.ref("stg_search_candidate"),
        "stg_search_listing": dbt.ref("stg_search_listing"),
        "stg_search_call": dbt.ref("stg_search_call"),
        "stg_search_agent": dbt.ref("stg_search_agent"),
        "stg_search_vote": dbt.ref("stg_search_vote"),
        "stg_search_verdict": dbt.ref("stg_search_verdict"),
        "stg_search_label": dbt.ref("stg_search_label"),
    }
    return run_gate(session, gate="search_intermediate", relations=relations)
