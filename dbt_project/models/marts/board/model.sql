-- grain: one row per model or agent (model_id), all instruments
-- the one home of display names; of models that would be named alike, those that the
-- registry does not name go by their id
{{ config(materialized='view') }}
with part as (
    {{ union_parts('model', contract_columns()) }}
),

model_registry as (
    select * from {{ ref('model_registry') }}
),

distinct_part as (
    select distinct * from part
),

model as (
    select
        distinct_part.* replace (
            case
                when
                    model_registry.model_id is null
                    and count(*) over (partition by distinct_part.display_name) > 1
                    then distinct_part.model_id
                else distinct_part.display_name
            end as display_name
        )
    from distinct_part
    left join model_registry on distinct_part.model_id = model_registry.model_id
)

select * from model
