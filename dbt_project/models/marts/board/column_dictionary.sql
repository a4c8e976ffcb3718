-- grain: one row per column of a mart (table_name, column_name)
-- written from the YAML beside the SQL, whose columns the contracts hold to the tables
{%- set marts = [] %}
{%- if execute %}
{%- for node in graph.nodes.values() if node.schema == 'marts' %}
{%- do marts.append(node) %}
{%- endfor %}
{%- endif %}
with described_table (table_name, table_description) as (
    values
    -- so that there is a list where the project has no mart yet
    (null, null)
    {%- for node in marts %},
    ('{{ node.name }}', '{{ node.description | trim | replace("'", "''") }}')
    {%- endfor %}
),

described_column (
    table_name, column_name, data_type, unit, null_meaning, description
) as (
    values
    (null, null, null, null, null, null)
    {%- for node in marts %}
    {%- for column in node.columns.values() %},
    (
        '{{ node.name }}', '{{ column.name }}',
        '{{ column.data_type }}',
        '{{ column.config.meta.unit | trim | replace("'", "''") }}',
        '{{ column.config.meta.null_meaning | trim | replace("'", "''") }}',
        '{{ column.description | trim | replace("'", "''") }}'
    )
    {%- endfor %}
    {%- endfor %}
),

column_dictionary as (
    select
        described_column.table_name::varchar as table_name,
        described_column.column_name::varchar as column_name,
        described_column.data_type::varchar as data_type,
        described_column.unit::varchar as unit,
        described_column.null_meaning::varchar as null_meaning,
        described_column.description::varchar as description,
        described_table.table_description::varchar as table_description
    from described_column
    inner join described_table
        on described_column.table_name = described_table.table_name
)

select * from column_dictionary
