# grain: study × metric × pair of models, audited
# source: models.comparison; Holm runs over the pairs of one metric
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.comparison import comparison_table
    from models.purchase_terms import COMPARED_METRICS

    dbt.ref("gate_purchase_intermediate")
    require_green(session, "purchase_intermediate")
    audited = (
        dbt.ref("est_purchase_metric")
        .filter(f"reading = 'audited' and metric in {COMPARED_METRICS}")
        .project("*, value as estimate")
    )
    listed = dbt.ref("comparison_pair").filter("instrument = 'purchase'")
    return comparison_table(
        audited.to_arrow_table(), listed.project("model_a, model_b").fetchall()
    )
