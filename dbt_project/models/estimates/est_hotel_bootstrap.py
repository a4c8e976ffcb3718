# grain: study × model × reading × statistic, base prompt, two-option answers
# source: models.hotel_bootstrap; draws run over the pairs of the bank, so that a model
# more moves no figure of another
def model(dbt, session):
    dbt.config(
        materialized="incremental",
        unique_key=["study_id", "model_id"],
        incremental_strategy="delete+insert",
        on_schema_change="sync_all_columns",
    )
    from expectations.gate import require_green
    from models.hotel_bootstrap import bootstrap_table
    from models.hotel_plan import BOOTSTRAPPED, input_columns
    from models.workers import cores

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    choices = dbt.ref("int_hotel_choice").filter(
        "variant = 'base' and format = 'binary'"
    )
    if dbt.is_incremental:
        built = f"(select study_id, model_id, input_fingerprint from {dbt.this})"
        choices = choices.filter(
            f"(study_id, model_id, input_fingerprint) not in {built}"
        )
    options = dbt.ref("int_hotel_option").filter("format = 'binary'")
    pairs = (
        choices.project("study_id, bank_sha256")
        .distinct()
        .join(options.project("bank_sha256, group_id").distinct(), "bank_sha256")
        .project("study_id, group_id")
    )
    answers = choices.project(", ".join(input_columns(BOOTSTRAPPED)))
    models = len(choices.project("study_id, model_id").distinct().fetchall())
    return bootstrap_table(
        answers.to_arrow_table(),
        pairs.to_arrow_table(),
        workers=min(cores(), models),
    )
