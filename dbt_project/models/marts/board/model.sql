-- grain: one row per model or agent (model_id), all instruments
-- the one home of display names
{{ config(materialized='view') }}
with part as (
    {{ union_parts('model', contract_columns()) }}
),

model as (
    select distinct * from part
)

select * from model
