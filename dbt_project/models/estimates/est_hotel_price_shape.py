# grain: study × model × block × design, base prompt, decile fits
# source: models.price_lever, from the fits of est_hotel_logit
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.price_lever import price_shape_table

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    fits = dbt.ref("est_hotel_logit").filter(
        "variant = 'base' and specification = 'decile'"
        " and design in ('as_published', 'audited')"
    )
    bins = (
        dbt.ref("hotel_decile_curve")
        .project("study_id, block, decile, upper_usd, median_price_usd as median_usd")
        .distinct()
    )
    return price_shape_table(fits.to_arrow_table(), bins.to_arrow_table())
