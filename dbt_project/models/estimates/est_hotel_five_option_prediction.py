# grain: study × model × reading, five-option answers
# source: models.five_option
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.five_option import five_option_table

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    answers = dbt.ref("int_hotel_five_option_answer")
    tastes = dbt.ref("int_hotel_five_option_taste")
    return five_option_table(answers.to_arrow_table(), tastes.to_arrow_table())
