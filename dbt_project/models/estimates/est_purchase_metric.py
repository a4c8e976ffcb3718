# grain: study × model × reading × metric
# source: models.purchase_metrics
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.purchase_metrics import metric_table

    dbt.ref("gate_purchase_intermediate")
    require_green(session, "purchase_intermediate")
    return metric_table(dbt.ref("int_purchase_decision").to_arrow_table())
