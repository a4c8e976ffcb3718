# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.hotel_raw
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "task": dbt.source("raw_hotel", "task"),
        "response": dbt.source("raw_hotel", "response"),
        "run": dbt.source("raw_hotel", "run"),
        "hotel": dbt.source("raw_hotel", "hotel"),
        "capability_score": dbt.source("raw_hotel", "capability_score"),
        "simulated_taste": dbt.source("raw_hotel", "simulated_taste"),
        "hotel_variant": dbt.ref("hotel_variant"),
        "row_accounting": dbt.source("quality", "row_accounting").filter(
            "instrument = 'hotel'"
        ),
        "quarantine": dbt.source("quality", "quarantine").filter(
            "instrument = 'hotel'"
        ),
    }
    return run_gate(session, gate="hotel_raw", relations=relations)
