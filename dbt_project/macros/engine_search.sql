{# Engine-specific SQL of the search models, as in engine.sql: a default for DuckDB,
   dispatched. #}

{# A cost as one value that compares by what a unit costs and then by candidate. #}
{% macro cost_of(num, den, candidate_id, alias) -%}
    {{ return(
        adapter.dispatch('cost_of', 'pricebench')(num, den, candidate_id, alias)
    ) }}
{%- endmacro %}
{% macro default__cost_of(num, den, candidate_id, alias) -%}
    struct_pack(
            cost_key := {{ cost_key(alias ~ '.' ~ num, alias ~ '.' ~ den) }},
            candidate_id := {{ alias }}.{{ candidate_id }},
            num := {{ alias }}.{{ num }},
            den := {{ alias }}.{{ den }}
        )
{%- endmacro %}

{# The ten lowest such costs of a group, ascending: an agent gives ten listings. #}
{% macro lowest_costs(cost) -%}
    {{ return(adapter.dispatch('lowest_costs', 'pricebench')(cost)) }}
{%- endmacro %}
{% macro default__lowest_costs(cost) -%}
    min({{ cost }}, 10)
{%- endmacro %}

{# Candidates that cost the least of a list of costs, in order of their ids. #}
{% macro tied_candidates(costs) -%}
    {{ return(adapter.dispatch('tied_candidates', 'pricebench')(costs)) }}
{%- endmacro %}
{% macro default__tied_candidates(costs) -%}
    array_to_string(list_sort(list_distinct([
            one.candidate_id for one in {{ costs }}
            if one.cost_key = {{ costs }}[1].cost_key
        ])), '; ')
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
