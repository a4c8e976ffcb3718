{# Engine-specific SQL of the search models, as in engine.sql: a default for DuckDB,
   dispatched. #}

{# A cost as one value that compares by what a unit costs and then by candidate. #}
{% macro cost_of(cost_key, candidate_id, num, den) -%}
    {{ return(
        adapter.dispatch('cost_of', 'pricebench')(cost_key, candidate_id, num, den)
    ) }}
{%- endmacro %}
{% macro default__cost_of(cost_key, candidate_id, num, den) -%}
    struct_pack(
            cost_key := {{ cost_key }}, candidate_id := {{ candidate_id }},
            num := {{ num }}, den := {{ den }}
        )
{%- endmacro %}

{# Whether a list holds a value. #}
{% macro in_list(values, value) -%}
    {{ return(adapter.dispatch('in_list', 'pricebench')(values, value)) }}
{%- endmacro %}
{% macro default__in_list(values, value) -%}
    list_contains({{ values }}, {{ value }})
{%- endmacro %}

{# The graver of two page statuses: of several that apply the last one holds. #}
{% macro graver_status(first, second) -%}
    {{ return(adapter.dispatch('graver_status', 'pricebench')(first, second)) }}
{%- endmacro %}
{% macro default__graver_status(first, second) -%}
    {%- set statuses = "['verified', 'temporarily_unverifiable', 'needs_human',"
        ~ " 'rejected']" -%}
    {{ statuses }}[greatest(
            list_position({{ statuses }}, {{ first }}),
            list_position({{ statuses }}, {{ second }})
        )]
{%- endmacro %}
