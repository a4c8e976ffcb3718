# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.purchase_raw
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "scenario": dbt.source("raw_purchase", "scenario"),
        "response": dbt.source("raw_purchase", "response"),
        "run": dbt.source("raw_purchase", "run"),
        "row_accounting": dbt.source("quality", "row_accounting").filter(
            "instrument = 'purchase'"
        ),
        "quarantine": dbt.source("quality", "quarantine").filter(
            "instrument = 'purchase'"
        ),
    }
    return run_gate(session, gate="purchase_raw", relations=relations)
