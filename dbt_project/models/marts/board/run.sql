-- grain: one row per run (study_id, run_id), all instruments
-- what was asked, of whom, with which settings, and what it cost
{{ config(materialized='view') }}
with run as (
    {{ union_parts('run', contract_columns()) }}
)

select * from run
