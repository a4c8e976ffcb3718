# grain: study × scenario × track × agent × metric × reading
# source: models.search_metrics
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.search_metrics import metric_table

    dbt.ref("gate_search_intermediate")
    require_green(session, "search_intermediate")
    return metric_table(dbt.ref("int_search_outcome").to_arrow_table())
