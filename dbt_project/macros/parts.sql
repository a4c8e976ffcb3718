{# Tables shared by all instruments are views over one table per instrument, its part.
   A red gate of one instrument then stops its own part only: the view goes on serving
   the others, and shows no figure of an instrument whose gates are not green now. #}

{% macro shared_parts() -%}
    {{ return({
        'model': {'part': 'int_{}_model', 'schema': 'intermediate', 'figures': false},
        'run': {'part': 'int_{}_run', 'schema': 'intermediate', 'figures': false},
        'board': {'part': '{}_board', 'schema': 'marts', 'figures': true},
        'reading_difference': {
            'part': '{}_reading_difference', 'schema': 'marts', 'figures': true,
        },
        'comparison': {'part': '{}_comparison', 'schema': 'marts', 'figures': true},
    }) }}
{%- endmacro %}

{# Union of the parts of one shared table. `by_name` writes plain table names, for the
   statements that run before the project does. #}
{% macro union_parts(shared_name, columns, by_name=false) -%}
    {%- set shared = shared_parts()[shared_name] %}
    {%- for instrument in var('instruments') %}
    {%- set part = shared.part.format(instrument) %}
    {%- if shared.figures and not by_name %}{% do ref('gate_' ~ instrument ~ '_marts') %}
    {%- endif %}
    select
        {{ columns | join(',\n        ') }}
    from {{ shared.schema ~ '.' ~ part if by_name else ref(part) }}
    {%- if shared.figures %}
    where not exists (
        select 1
        from {{ 'quality.gate_status' if by_name else source('quality', 'gate_status') }}
            as gate_status
        where gate_status.instrument = '{{ instrument }}'
            and gate_status.refusal is not null
    )
    {%- endif %}
    {{ "union all" if not loop.last }}
    {%- endfor %}
{%- endmacro %}

{# True once, for a relation that does not exist yet; dbt listed the relations before
   this statement runs, so it is told of the new one. #}
{% macro is_new_relation(schema, name, type) -%}
    {%- set relation = api.Relation.create(
        database=target.database, schema=schema, identifier=name, type=type
    ) -%}
    {%- if load_cached_relation(relation) is none -%}
        {%- do adapter.cache_added(relation) -%}
        {{ return(true) }}
    {%- endif -%}
    {{ return(false) }}
{%- endmacro %}

{# A path that names no warehouse would otherwise fail deep inside the first model. #}
{% macro require_loaded_warehouse() -%}
    {%- set found = run_query(
        "select count(*) from information_schema.tables"
        " where table_schema = 'quality' and table_name = 'gate_status'"
    ) -%}
    {%- if found.columns[0].values()[0] == 0 -%}
        {%- do exceptions.raise_compiler_error(
            target.path ~ ' holds no loaded warehouse: set PRICEBENCH_WAREHOUSE to the'
            ~ ' absolute path of one, or make it with `pricebench load` or `init`'
        ) -%}
    {%- endif -%}
{%- endmacro %}

{# `schema.table.column` of everything that parts stand beside. A query and not the
   adapter's list, which would open a transaction that dbt then rolls back. #}
{% macro held_columns() -%}
    {%- set found = run_query(
        "select table_schema || '.' || table_name || '.' || column_name"
        " from information_schema.columns"
        " where table_schema in ('intermediate', 'marts')"
    ) -%}
    {{ return(found.columns[0].values() | list) }}
{%- endmacro %}

{# Parts and shared views that were never built exist empty from the start, with the
   columns of their contract. #}
{% macro create_shared_tables() -%}
    {%- if execute %}
    {%- do require_loaded_warehouse() %}
    create schema if not exists intermediate;
    create schema if not exists marts;
    {%- set held = held_columns() %}
    {%- for shared_name, shared in shared_parts().items() %}
    {%- set columns = graph.nodes['model.pricebench.' ~ shared_name].columns %}
    {%- for instrument in var('instruments') %}
    {%- set part = shared.part.format(instrument) %}
    {%- set node = graph.nodes['model.pricebench.' ~ part] %}
    {%- if is_new_relation(shared.schema, part, 'table') %}
    {{ create_empty_table(shared.schema, node) }}
    {%- else %}
    {#- a part of an older version: the view over all parts names every column, whether
        or not a gate lets this part be built anew #}
    {%- for column in node.columns.values()
        if shared.schema ~ '.' ~ part ~ '.' ~ column.name not in held %}
    alter table {{ shared.schema }}.{{ part }}
    add column {{ column.name }} {{ column.data_type }};
    {%- endfor %}
    {%- endif %}
    {%- endfor %}
    {%- if is_new_relation('marts', shared_name, 'view') %}
    create view marts.{{ shared_name }} as
    {{ union_parts(shared_name, columns.keys() | list, by_name=true) }};
    {%- endif %}
    {%- endfor %}
    {%- endif %}
{%- endmacro %}

{# Instruments of which nothing was ever loaded, see quality.loaded_data. #}
{% macro untouched_instruments() -%}
    {%- set found = run_query(
        "select instrument from quality.loaded_data where is_untouched"
    ) -%}
    {{ return(found.columns[0].values() | select('in', var('instruments')) | list) }}
{%- endmacro %}

{# Marts of such an instrument exist empty too, and its gates say so: `pricebench build`
   leaves out what builds them, since none of it could find a row. #}
{% macro create_untouched_marts() -%}
    {%- if execute %}
    {%- for instrument in untouched_instruments() %}
    {%- for node in graph.nodes.values() if node.resource_type == 'model' %}
    {%- if node.fqn[1:3] == ['marts', instrument] %}
    {%- if is_new_relation('marts', node.name, 'table') %}
    {{ create_empty_table('marts', node) }}
    {%- endif %}
    {%- elif 'gate' in node.tags and node.name.startswith('gate_' ~ instrument ~ '_') %}
    {{ record_gate(node.name | replace('gate_', '', 1), 'empty') }};
    {%- endif %}
    {%- endfor %}
    {%- endfor %}
    {%- endif %}
{%- endmacro %}

{# The table of a contract, without rows. #}
{% macro create_empty_table(schema, node) -%}
    create table {{ schema }}.{{ node.name }} (
        {%- for column in node.columns.values() %}
        {{ column.name }} {{ column.data_type }}{{ "," if not loop.last }}
        {%- endfor %}
    );
{%- endmacro %}

{# Column names of the contract of the model being compiled. #}
{% macro contract_columns() -%}
    {{ return(model.columns.keys() | list) }}
{%- endmacro %}
