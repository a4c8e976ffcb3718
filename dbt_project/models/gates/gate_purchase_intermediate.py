# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.purchase_intermediate
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "int_purchase_option": dbt.ref("int_purchase_option"),
        "int_purchase_decision": dbt.ref("int_purchase_decision"),
        "int_purchase_run": dbt.ref("int_purchase_run"),
        "int_purchase_model": dbt.ref("int_purchase_model"),
        "stg_purchase_scenario": dbt.ref("stg_purchase_scenario"),
        "stg_purchase_response": dbt.ref("stg_purchase_response"),
        "stg_purchase_run": dbt.ref("stg_purchase_run"),
    }
    return run_gate(session, gate="purchase_intermediate", relations=relations)
