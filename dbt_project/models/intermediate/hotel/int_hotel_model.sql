-- grain: one row per model with a hotel run (model_id)
-- names from the registry seed; a model that is not in it is named after its id
{{ require_green('hotel_staging') }}
with stg_hotel_run as (
    select * from {{ ref('stg_hotel_run') }}
),

model_registry as (
    select * from {{ ref('model_registry') }}
),

{{ name_models('stg_hotel_run') }}

select * from type_models
