# grain: study × model × variant × attribute × specification × reading
# source: models.hotel_wtp, from the fits of est_hotel_logit
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.hotel_wtp import wtp_table

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    fits = dbt.ref("est_hotel_logit").filter(
        "block = 'binary' and specification in ('log', 'linear')"
        " and design in ('as_published', 'audited', 'published_on_audited')"
    )
    return wtp_table(fits.to_arrow_table())
