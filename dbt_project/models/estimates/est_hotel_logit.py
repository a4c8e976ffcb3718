# grain: study × model × variant × specification × design, one binary logit each
# source: models.hotel_logit; lists hold one entry per term, in the order of `term`
def model(dbt, session):
    dbt.config(
        materialized="incremental",
        unique_key=["study_id", "model_id"],
        incremental_strategy="delete+insert",
        on_schema_change="sync_all_columns",
    )
    from expectations.gate import require_green
    from models.hotel_logit import fit_table

    dbt.ref("gate_hotel_intermediate")
    require_green(session, "hotel_intermediate")
    choices = dbt.ref("int_hotel_choice").filter("format = 'binary'")
    if dbt.is_incremental:
        built = f"(select study_id, model_id, input_fingerprint from {dbt.this})"
        choices = choices.filter(
            f"(study_id, model_id, input_fingerprint) not in {built}"
        )
    return fit_table(choices.to_arrow_table())
