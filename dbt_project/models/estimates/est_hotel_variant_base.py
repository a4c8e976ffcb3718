# grain: study × model × variant × specification × design, base answers alone
# source: models.hotel_logit; the other side of every comparison with a prompt variant:
# the answers to the base prompt, cut to the tasks that the variant was asked
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.hotel_logit import fit_table
    from models.hotel_plan import TWO_OPTION_PRICES

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    answers = dbt.ref("int_hotel_variant_base").to_arrow_table()
    return fit_table(answers, TWO_OPTION_PRICES)
