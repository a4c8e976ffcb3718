-- grain: study × instrument × scope × metric × model a × model b × reading
-- which models differ, on the tasks that both answered, counted for all pairs at once
{{ config(materialized='view') }}
with comparison as (
    {{ union_parts('comparison', contract_columns()) }}
)

select * from comparison
