# grain: study × model × reading, base prompt
# source: models.price_response
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.price_response import price_response_table

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    coefficients = dbt.ref("int_hotel_price_response")
    return price_response_table(coefficients.to_arrow_table())
