# grain: study × model × variant × block × specification × design, one fit each
# source: models.hotel_logit; lists hold one entry per term, in the order of `term`
def model(dbt, session):
    dbt.config(
        materialized="incremental",
        unique_key=["study_id", "model_id"],
        incremental_strategy="delete+insert",
        on_schema_change="sync_all_columns",
    )
    from duckdb import ColumnExpression, ConstantExpression

    from expectations.gate import require_green
    from models.hotel_logit import fit_tables
    from models.hotel_plan import EVERY_FIT, input_columns
    from models.workers import cores

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    choices = dbt.ref("int_hotel_choice")
    if dbt.is_incremental:
        built = f"(select study_id, model_id, input_fingerprint from {dbt.this})"
        choices = choices.filter(
            f"(study_id, model_id, input_fingerprint) not in {built}"
        )
    choices = choices.project(", ".join(input_columns(EVERY_FIT)))
    pairs = choices.project("study_id, model_id").distinct().order("all").fetchall()

    def of_pair(study_id, model_id):
        # one model at a time, so that memory does not grow with the number of models
        is_study = ColumnExpression("study_id") == ConstantExpression(study_id)
        is_model = ColumnExpression("model_id") == ConstantExpression(model_id)
        return choices.filter(is_study & is_model).to_arrow_table()

    tables = (of_pair(*pair) for pair in pairs)
    return fit_tables(tables, EVERY_FIT, workers=min(cores(), len(pairs)))
