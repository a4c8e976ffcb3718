# grain: study × model × reading × metric
# source: models.purchase_metrics
def model(dbt, session):
    dbt.config(materialized="table")
    from expectations.gate import require_green
    from models.purchase_metrics import metric_table

    dbt.ref("gate_purchase_intermediate")
    require_green(session, "purchase_intermediate")
    menus = dbt.ref("int_purchase_option").aggregate(
        """
        bank_sha256, scenario_id,
        max(optimal) filter (where menu = 'ordinary') as optimal_ordinary,
        max(optimal) filter (where menu = 'bonded') as optimal_bonded
        """
    )
    return metric_table(
        dbt.ref("int_purchase_decision").to_arrow_table(), menus.to_arrow_table()
    )
