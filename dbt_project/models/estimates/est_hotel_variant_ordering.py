# grain: study × reading × variant × statistic
# source: models.variant_effect, from the two-option fits of variant and base prompt
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.hotel_variant import variant_figures
    from models.variant_effect import variant_ordering_table

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    fits = dbt.ref("est_hotel_logit").filter("variant <> 'base'")
    base_fits = dbt.ref("est_hotel_variant_base")
    figures = variant_figures(fits.to_arrow_table(), base_fits.to_arrow_table())
    return variant_ordering_table(figures)
