# grain: study × reading × variant × statistic
# source: models.variant_effect, from the figures of est_hotel_variant_effect
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.hotel_variant import ordering_figures
    from models.variant_effect import variant_ordering_table

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    effects = dbt.ref("est_hotel_variant_effect").to_arrow_table()
    return variant_ordering_table(ordering_figures(effects))
