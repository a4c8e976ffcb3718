# grain: study × scenario × track × agent, audited headline
# source: models.search_comparison; the ranks of a track hold all at once
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.search_comparison import rank_table

    dbt.ref("gate_search_intermediate")
    require_green(session, "search_intermediate")
    return rank_table(
        dbt.ref("est_search_metric").to_arrow_table(),
        dbt.ref("est_search_comparison").to_arrow_table(),
    )
