# grain: study × reading × specification, base prompt
# source: models.permutation
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.permutation import similarity_table

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    return similarity_table(dbt.ref("int_hotel_brand").to_arrow_table())
