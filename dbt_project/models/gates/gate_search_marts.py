# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.search_marts
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "search_outcome": dbt.ref("search_outcome"),
        "search_metric": dbt.ref("search_metric"),
        "search_agreement": dbt.ref("search_agreement"),
        "search_judge": dbt.ref("search_judge"),
        "search_coverage": dbt.ref("search_coverage"),
        "search_stratum": dbt.ref("search_stratum"),
        "search_cost": dbt.ref("search_cost"),
        "search_board": dbt.ref("search_board"),
        "search_comparison": dbt.ref("search_comparison"),
        "search_reading_difference": dbt.ref("search_reading_difference"),
        "int_search_outcome": dbt.ref("int_search_outcome"),
        "int_search_run": dbt.ref("int_search_run"),
        "int_search_model": dbt.ref("int_search_model"),
        "int_search_candidate": dbt.ref("int_search_candidate"),
        "int_search_listing": dbt.ref("int_search_listing"),
        "stg_search_call": dbt.ref("stg_search_call"),
    }
    return run_gate(session, gate="search_marts", relations=relations)
