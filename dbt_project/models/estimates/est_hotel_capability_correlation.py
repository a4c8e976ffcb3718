# grain: study × reading × axis × measure × subset, base prompt
# source: models.capability
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.capability import capability_table

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    return capability_table(dbt.ref("int_hotel_capability").to_arrow_table())
