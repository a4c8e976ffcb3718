# grain: study × model × specification × term, base prompt, two-option answers
# source: models.hotel_mixed_logit; empty unless asked for, since it takes a second for
# each model
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.hotel_choices import INPUT_SCHEMA
    from models.hotel_mixed_logit import mixed_logit_table

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    is_asked = "mixed_logit" in str(dbt.config.meta_get("extras")).split(",")
    choices = dbt.ref("int_hotel_choice").filter(
        "variant = 'base' and format = 'binary'" if is_asked else "false"
    )
    columns = ", ".join(INPUT_SCHEMA.names)
    return mixed_logit_table(choices.project(columns).to_arrow_table())
