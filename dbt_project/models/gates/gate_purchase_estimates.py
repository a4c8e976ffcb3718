# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.purchase_estimates
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "est_purchase_metric": dbt.ref("est_purchase_metric"),
        "est_purchase_rank": dbt.ref("est_purchase_rank"),
        "est_purchase_comparison": dbt.ref("est_purchase_comparison"),
        "int_purchase_decision": dbt.ref("int_purchase_decision"),
    }
    return run_gate(session, gate="purchase_estimates", relations=relations)
