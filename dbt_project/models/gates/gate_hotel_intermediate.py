# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.hotel_intermediate
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "int_hotel_option": dbt.ref("int_hotel_option"),
        "int_hotel_price_decile": dbt.ref("int_hotel_price_decile"),
        "int_hotel_answer": dbt.ref("int_hotel_answer"),
        "int_hotel_choice": dbt.ref("int_hotel_choice"),
        "int_hotel_slot_count": dbt.ref("int_hotel_slot_count"),
        "int_hotel_study_model": dbt.ref("int_hotel_study_model"),
        "int_hotel_run": dbt.ref("int_hotel_run"),
        "int_hotel_model": dbt.ref("int_hotel_model"),
        "stg_hotel_task": dbt.ref("stg_hotel_task"),
        "stg_hotel_response": dbt.ref("stg_hotel_response"),
        "stg_hotel_run": dbt.ref("stg_hotel_run"),
    }
    return run_gate(session, gate="hotel_intermediate", relations=relations)
