# grain: study × reading × metric × model, base prompt, two-option answers
# source: models.comparison, from the audited fits of est_hotel_logit
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.comparison import rank_table
    from models.hotel_figures import SMALLEST_FIRST, figure_table, with_statuses

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    fits = dbt.ref("est_hotel_logit").filter(
        "variant = 'base' and block = 'binary' and design = 'audited'"
        " and specification in ('log', 'linear')"
    )
    statuses = dbt.ref("int_hotel_figure_status")
    figures = with_statuses(
        figure_table(fits.to_arrow_table()), statuses.to_arrow_table()
    )
    return rank_table(figures, SMALLEST_FIRST)
