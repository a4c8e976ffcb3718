# grain: study × model × reading, well-identified models
# source: models.reference_price
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.reference_price import reference_price_table

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    values = dbt.ref("int_hotel_well_identified")
    return reference_price_table(values.to_arrow_table())
