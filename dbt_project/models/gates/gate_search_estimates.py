# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.search_estimates
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "est_search_metric": dbt.ref("est_search_metric"),
        "est_search_comparison": dbt.ref("est_search_comparison"),
        "est_search_rank": dbt.ref("est_search_rank"),
        "est_search_agreement": dbt.ref("est_search_agreement"),
        "int_search_outcome": dbt.ref("int_search_outcome"),
        "int_search_candidate": dbt.ref("int_search_candidate"),
    }
    return run_gate(session, gate="search_estimates", relations=relations)
