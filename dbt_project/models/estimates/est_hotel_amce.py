# grain: study × model × contrast, base prompt, two-option answers
# source: models.amce
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.amce import amce_table
    from models.hotel_choices import INPUT_SCHEMA

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    choices = dbt.ref("int_hotel_choice").filter(
        "variant = 'base' and format = 'binary'"
    )
    return amce_table(choices.project(", ".join(INPUT_SCHEMA.names)).to_arrow_table())
