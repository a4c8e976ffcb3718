{# Incremental by study and model. Every row carries `input_fingerprint`: a hash of the
   answers, tasks and code it was computed from (int_hotel_study_model). A pair whose
   fingerprint moved is recomputed whole, a pair that is gone is dropped. #}

{% macro only_changed(alias) -%}
    {%- if is_incremental() %}
    where not exists (
        select 1
        from {{ this }} as built
        where built.study_id = {{ alias }}.study_id
            and built.model_id = {{ alias }}.model_id
            and built.input_fingerprint = {{ alias }}.input_fingerprint
    )
    {%- endif %}
{%- endmacro %}

{% macro drop_outdated(current_relation) -%}
    delete from {{ this.include(database=false) }} as built
    where not exists (
        select 1
        from {{ current_relation }} as current_pair
        where current_pair.study_id = built.study_id
            and current_pair.model_id = built.model_id
            and current_pair.input_fingerprint = built.input_fingerprint
    )
{%- endmacro %}

{# The same before the model runs, for long tables: dbt's own delete joins every new row
   of a pair to every old one. What is left is current, so that rows are only added. #}
{% macro drop_outdated_first(current_relation) -%}
    {%- if is_incremental() %}{{ drop_outdated(current_relation) }}{% endif -%}
{%- endmacro %}

{# For `on-run-end`: dbt leaves behind the tables that incremental Python models wrote to
   before their rows were moved, one more with every build. #}
{% macro drop_moved_tables() -%}
    {%- if execute %}
    {%- set found = run_query(
        "select table_name from information_schema.tables"
        " where table_schema = '" ~ target.schema ~ "'"
        " and contains(table_name, '__dbt_tmp')"
    ) %}
    {%- for name in found.columns[0].values() %}
    drop table {{ target.schema }}.{{ name }};
    {%- endfor %}
    {%- endif %}
{%- endmacro %}
