# grain: study × model × reading, base prompt
# source: models.hotel_pooling, from the log-price fits of est_hotel_logit
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.hotel_pooling import hotel_pooling_table

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    fits = dbt.ref("est_hotel_logit").filter(
        "variant = 'base' and specification = 'log'"
    )
    return hotel_pooling_table(fits.to_arrow_table())
