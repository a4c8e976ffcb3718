# grain: run × track
# source: models.search_panel
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.search_panel import panel_table

    dbt.ref("gate_search_intermediate")
    require_green(session, "search_intermediate")
    return panel_table(dbt.ref("int_search_candidate").to_arrow_table())
