# grain: bank × block × specification × term
# source: models.hotel_design, each task asked in the two published orders; a bank needs
# no answers, so that one can be judged before anybody is asked
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.hotel_design import DESIGN_INPUT_SCHEMA, design_table

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    shown = (
        dbt.ref("int_hotel_option")
        .project("*, format as block, unnest(['original', 'swapped']) as ordering")
        .project(
            "*, case ordering when 'original' then option_number"
            " else option_count + 1 - option_number end as slot"
        )
        .project(", ".join(DESIGN_INPUT_SCHEMA.names))
    )
    planned = int(dbt.config.meta_get("planned_tasks"))
    return design_table(shown.to_arrow_table(), tasks=planned or None)
