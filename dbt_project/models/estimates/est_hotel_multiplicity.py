# grain: study × reading × model × specification × term, base prompt
# source: models.multiplicity
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.multiplicity import multiplicity_table

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    return multiplicity_table(dbt.ref("int_hotel_test_family").to_arrow_table())
