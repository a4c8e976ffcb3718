# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.purchase_marts
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "purchase_board": dbt.ref("purchase_board"),
        "purchase_metric": dbt.ref("purchase_metric"),
        "purchase_cell": dbt.ref("purchase_cell"),
        "purchase_choice_mix": dbt.ref("purchase_choice_mix"),
        "purchase_cost": dbt.ref("purchase_cost"),
        "purchase_comparison": dbt.ref("purchase_comparison"),
        "purchase_reading_difference": dbt.ref("purchase_reading_difference"),
        "int_purchase_decision": dbt.ref("int_purchase_decision"),
        "int_purchase_run": dbt.ref("int_purchase_run"),
        "int_purchase_model": dbt.ref("int_purchase_model"),
    }
    return run_gate(session, gate="purchase_marts", relations=relations)
