# grain: study × model, audited headline
# source: models.comparison; the ranks of a study hold all at once
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.comparison import rank_table
    from models.purchase_terms import HEADLINE

    dbt.ref("gate_purchase_intermediate")
    require_green(session, "purchase_intermediate")
    audited = (
        dbt.ref("est_purchase_metric")
        .filter(f"reading = 'audited' and metric = '{HEADLINE}'")
        .project("*, value as estimate")
    )
    return rank_table(audited.to_arrow_table())
