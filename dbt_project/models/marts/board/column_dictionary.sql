-- grain: one row per column of a mart (table_name, column_name)
-- written from the YAML beside the SQL, whose columns the contracts hold to the tables
with column_dictionary as (
    {%- set marts = [] %}
    {%- if execute %}
    {%- for node in graph.nodes.values() if node.schema == 'marts' %}
    {%- do marts.append(node) %}
    {%- endfor %}
    {%- endif %}
    {%- for node in marts | sort(attribute='name') %}
    {%- set node_loop = loop %}
    {%- for column in node.columns.values() %}
    select
        '{{ node.name }}'::varchar as table_name,
        '{{ column.name }}'::varchar as column_name,
        '{{ column.data_type }}'::varchar as data_type,
        '{{ column.config.meta.unit | replace("'", "''") }}'::varchar as unit,
        '{{ column.config.meta.null_meaning | replace("'", "''") }}'::varchar
            as null_meaning,
        '{{ column.description | trim | replace("'", "''") }}'::varchar as description
    {{ "union all" if not (loop.last and node_loop.last) }}
    {%- endfor %}
    {%- else %}
    select
        null::varchar as table_name, null::varchar as column_name,
        null::varchar as data_type, null::varchar as unit,
        null::varchar as null_meaning, null::varchar as description
    where false
    {%- endfor %}
)

select * from column_dictionary
