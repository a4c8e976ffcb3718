# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.hotel_staging
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "stg_hotel_task": dbt.ref("stg_hotel_task"),
        "stg_hotel_response": dbt.ref("stg_hotel_response"),
        "stg_hotel_run": dbt.ref("stg_hotel_run"),
        "stg_hotel_hotel": dbt.ref("stg_hotel_hotel"),
        "stg_hotel_capability_score": dbt.ref("stg_hotel_capability_score"),
        "stg_hotel_simulated_taste": dbt.ref("stg_hotel_simulated_taste"),
        "hotel_variant": dbt.ref("hotel_variant"),
        "excluded_run": dbt.source("quality", "excluded_run").filter(
            "instrument = 'hotel'"
        ),
        "raw_task": dbt.source("raw_hotel", "task"),
        "raw_response": dbt.source("raw_hotel", "response"),
        "raw_run": dbt.source("raw_hotel", "run"),
        "raw_hotel": dbt.source("raw_hotel", "hotel"),
        "raw_capability_score": dbt.source("raw_hotel", "capability_score"),
        "raw_simulated_taste": dbt.source("raw_hotel", "simulated_taste"),
    }
    return run_gate(session, gate="hotel_staging", relations=relations)
