# grain: study × reading × statistic, base prompt; lists hold one entry per model
# source: models.hotel_bootstrap_ranks, from the replicates of est_hotel_bootstrap
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.hotel_bootstrap_ranks import bootstrap_rank_table

    dbt.ref("gate_hotel_estimates")
    require_green(session, "hotel_estimates")
    bootstraps = dbt.ref("est_hotel_bootstrap")
    engaged = "reading = 'as_published' and format = 'all' and verdict = 'engaged'"
    locked = "reading = 'audited' and format = 'binary' and verdict like 'locked%'"
    verdicts = (
        dbt.ref("hotel_first_shown")
        .filter("variant = 'base'")
        .aggregate(
            f"study_id, model_id, coalesce(bool_or({engaged}), false) as engaged,"
            f" coalesce(bool_or({locked}), false) as locked"
        )
    )
    return bootstrap_rank_table(bootstraps.to_arrow_table(), verdicts.to_arrow_table())
