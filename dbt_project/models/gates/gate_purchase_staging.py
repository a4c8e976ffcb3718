# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.purchase_staging
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "stg_purchase_scenario": dbt.ref("stg_purchase_scenario"),
        "stg_purchase_response": dbt.ref("stg_purchase_response"),
        "stg_purchase_run": dbt.ref("stg_purchase_run"),
        "excluded_run": dbt.source("quality", "excluded_run").filter(
            "instrument = 'purchase'"
        ),
        "raw_scenario": dbt.source("raw_purchase", "scenario"),
        "raw_response": dbt.source("raw_purchase", "response"),
        "raw_run": dbt.source("raw_purchase", "run"),
    }
    return run_gate(session, gate="purchase_staging", relations=relations)
