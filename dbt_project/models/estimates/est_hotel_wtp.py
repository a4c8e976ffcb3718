# grain: study × model × variant × attribute × specification × reading
# source: models.hotel_wtp, from the fits of est_hotel_logit
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.hotel_wtp import wtp_table

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    return wtp_table(dbt.ref("est_hotel_logit").to_arrow_table())
