{# The only home of engine-specific SQL: each macro has a default for DuckDB and is
   dispatched, so another engine adds `<engine>__<macro>` and changes no model. #}

{% macro sha256_hex(expression) -%}
    {{ return(adapter.dispatch('sha256_hex', 'pricebench')(expression)) }}
{%- endmacro %}
{% macro default__sha256_hex(expression) -%}
    sha256({{ expression }})
{%- endmacro %}

{# Text value of one key of a JSON object; null where the key is absent. #}
{% macro json_text(column, key) -%}
    {{ return(adapter.dispatch('json_text', 'pricebench')(column, key)) }}
{%- endmacro %}
{% macro default__json_text(column, key) -%}
    json_extract_string({{ column }}, '$.{{ key }}')
{%- endmacro %}

{# Entries of a list in a JSON object, as texts; none where the key is absent. #}
{% macro json_list(column, key) -%}
    {{ return(adapter.dispatch('json_list', 'pricebench')(column, key)) }}
{%- endmacro %}
{% macro default__json_list(column, key) -%}
    json_extract({{ column }}, '$.{{ key }}[*]')::varchar[]
{%- endmacro %}

{# Order-independent hash of a group of rows; only ever compared, never published. #}
{% macro rows_hash(columns) -%}
    {{ return(adapter.dispatch('rows_hash', 'pricebench')(columns)) }}
{%- endmacro %}
{% macro default__rows_hash(columns) -%}
    sum(hash({{ columns | join(', ') }})::hugeint)
{%- endmacro %}

{# One row per position of several lists of equal length, in one select list. #}
{% macro unnest_lists(columns) -%}
    {{ return(adapter.dispatch('unnest_lists', 'pricebench')(columns)) }}
{%- endmacro %}
{% macro default__unnest_lists(columns) -%}
    {%- for list_column, name in columns.items() %}
    unnest({{ list_column }}) as {{ name }}{{ "," if not loop.last }}
    {%- endfor %}
{%- endmacro %}

{# Lower-case letters, digits and single dashes. #}
{% macro slugify(expression) -%}
    {{ return(adapter.dispatch('slugify', 'pricebench')(expression)) }}
{%- endmacro %}
{% macro default__slugify(expression) -%}
    trim(regexp_replace(lower({{ expression }}), '[^a-z0-9]+', '-', 'g'), '-')
{%- endmacro %}

{# Text after the last slash. #}
{% macro after_last_slash(expression) -%}
    {{ return(adapter.dispatch('after_last_slash', 'pricebench')(expression)) }}
{%- endmacro %}
{% macro default__after_last_slash(expression) -%}
    regexp_extract({{ expression }}, '[^/]+$')
{%- endmacro %}

{# A number with the digits that a source prints: its exact value rounded half to even.
   round_even() multiplies first, so 0.0005, which lies above the half, would lose. #}
{% macro as_printed(expression, digits) -%}
    {{ return(adapter.dispatch('as_printed', 'pricebench')(expression, digits)) }}
{%- endmacro %}
{% macro default__as_printed(expression, digits) -%}
    printf('%.{{ digits }}f', {{ expression }})::double
{%- endmacro %}

{# Number of entries of a list. #}
{% macro list_length(column) -%}
    {{ return(adapter.dispatch('list_length', 'pricebench')(column)) }}
{%- endmacro %}
{% macro default__list_length(column) -%}
    len({{ column }})
{%- endmacro %}

{# The distinct values of a group in order, joined by semicolons; null if all are. #}
{% macro join_distinct(column) -%}
    {{ return(adapter.dispatch('join_distinct', 'pricebench')(column)) }}
{%- endmacro %}
{% macro default__join_distinct(column) -%}
    string_agg(distinct {{ column }}, '; ' order by {{ column }})
{%- endmacro %}

{# A text without the white space around it. #}
{% macro strip_text(expression) -%}
    {{ return(adapter.dispatch('strip_text', 'pricebench')(expression)) }}
{%- endmacro %}
{% macro default__strip_text(expression) -%}
    trim({{ expression }}, ' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13))
{%- endmacro %}

{# Values of a group joined by semicolons, in an order of other columns. #}
{% macro join_in_order(expression, order) -%}
    {{ return(adapter.dispatch('join_in_order', 'pricebench')(expression, order)) }}
{%- endmacro %}
{% macro default__join_in_order(expression, order) -%}
    string_agg({{ expression }}, '; ' order by {{ order }})
{%- endmacro %}

{# Host of an address in lower case, without user, port and a leading www. #}
{% macro url_host(expression) -%}
    {{ return(adapter.dispatch('url_host', 'pricebench')(expression)) }}
{%- endmacro %}
{% macro default__url_host(expression) -%}
    nullif(
            regexp_extract(
                lower({{ expression }}),
                '^[a-z]+://(?:[^/?#@]*@)?(?:www[.])?([^/?#:]+)', 1
            ),
            ''
        )
{%- endmacro %}
