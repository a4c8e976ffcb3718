# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.hotel_estimates
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "est_hotel_logit": dbt.ref("est_hotel_logit"),
        "est_hotel_wtp": dbt.ref("est_hotel_wtp"),
        "est_hotel_slot_test": dbt.ref("est_hotel_slot_test"),
        "est_hotel_pooling_test": dbt.ref("est_hotel_pooling_test"),
        "est_hotel_variant_base": dbt.ref("est_hotel_variant_base"),
        "est_hotel_amce": dbt.ref("est_hotel_amce"),
        "est_hotel_design": dbt.ref("est_hotel_design"),
        "est_hotel_mixed_logit": dbt.ref("est_hotel_mixed_logit"),
        "int_hotel_option": dbt.ref("int_hotel_option"),
        "est_hotel_bootstrap": dbt.ref("est_hotel_bootstrap"),
        "int_hotel_study_model": dbt.ref("int_hotel_study_model"),
        "int_hotel_choice": dbt.ref("int_hotel_choice"),
        "int_hotel_slot_count": dbt.ref("int_hotel_slot_count"),
    }
    return run_gate(session, gate="hotel_estimates", relations=relations)
