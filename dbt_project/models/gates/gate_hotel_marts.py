# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.hotel_marts
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "hotel_board": dbt.ref("hotel_board"),
        "hotel_first_shown": dbt.ref("hotel_first_shown"),
        "hotel_booking_outcome": dbt.ref("hotel_booking_outcome"),
        "hotel_coefficient": dbt.ref("hotel_coefficient"),
        "hotel_fit": dbt.ref("hotel_fit"),
        "hotel_functional_form": dbt.ref("hotel_functional_form"),
        "hotel_wtp": dbt.ref("hotel_wtp"),
        "hotel_pooling_test": dbt.ref("hotel_pooling_test"),
        "hotel_decile_curve": dbt.ref("hotel_decile_curve"),
        "hotel_reference_price": dbt.ref("hotel_reference_price"),
        "hotel_amce": dbt.ref("hotel_amce"),
        "hotel_slot_value": dbt.ref("hotel_slot_value"),
        "hotel_price_lever": dbt.ref("hotel_price_lever"),
        "hotel_price_shape": dbt.ref("hotel_price_shape"),
        "hotel_brand_similarity": dbt.ref("hotel_brand_similarity"),
        "hotel_multiplicity": dbt.ref("hotel_multiplicity"),
        "hotel_capability_correlation": dbt.ref("hotel_capability_correlation"),
        "hotel_variant_effect": dbt.ref("hotel_variant_effect"),
        "hotel_variant_ordering": dbt.ref("hotel_variant_ordering"),
        "hotel_temperature_effect": dbt.ref("hotel_temperature_effect"),
        "hotel_five_option_prediction": dbt.ref("hotel_five_option_prediction"),
        "hotel_design": dbt.ref("hotel_design"),
        "hotel_mixed_logit": dbt.ref("hotel_mixed_logit"),
        "hotel_bootstrap": dbt.ref("hotel_bootstrap"),
        "hotel_rank_stability": dbt.ref("hotel_rank_stability"),
        "hotel_comparison": dbt.ref("hotel_comparison"),
        "hotel_rank": dbt.ref("hotel_rank"),
        "hotel_locked_forensics": dbt.ref("hotel_locked_forensics"),
        "hotel_human_range": dbt.ref("hotel_human_range"),
        "hotel_reading_difference": dbt.ref("hotel_reading_difference"),
        "int_hotel_run": dbt.ref("int_hotel_run"),
        "int_hotel_taste": dbt.ref("int_hotel_taste"),
        "int_hotel_model": dbt.ref("int_hotel_model"),
    }
    return run_gate(session, gate="hotel_marts", relations=relations)
