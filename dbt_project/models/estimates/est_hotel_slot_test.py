# grain: study × model × variant × format, audited answers
# source: models.slot_test; Holm runs over the formats of one model and variant
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.slot_test import slot_test_table

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    counts = dbt.ref("int_hotel_slot_count")
    audited = counts.filter("reading = 'audited' and format <> 'all'")
    return slot_test_table(audited.to_arrow_table())
