# grain: study × scenario × track × metric × pair of agents, audited
# source: models.search_comparison; Holm runs over the pairs of one metric
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.search_comparison import comparison_table

    dbt.ref("gate_search_intermediate")
    require_green(session, "search_intermediate")
    return comparison_table(dbt.ref("int_search_outcome").to_arrow_table())
