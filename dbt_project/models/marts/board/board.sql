-- grain: model × instrument × reading × scope, within a study
-- the headline of every instrument; an instrument whose gates are not green now is left
-- out until it is repaired
{{ config(materialized='view') }}
with board as (
    {{ union_parts('board', contract_columns()) }}
)

select * from board
