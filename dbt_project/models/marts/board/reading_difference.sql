-- grain: study × instrument × scope × model × metric
-- where the published reading and ours part, and why
{{ config(materialized='view') }}
with reading_difference as (
    {{ union_parts('reading_difference', contract_columns()) }}
)

select * from reading_difference
