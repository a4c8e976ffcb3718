-- grain: one row per model with a purchase run (model_id)
-- names from the registry seed; a model that is not in it is named after its id
{{ require_green('purchase_staging') }}
with stg_purchase_run as (
    select * from {{ ref('stg_purchase_run') }}
),

model_registry as (
    select * from {{ ref('model_registry') }}
),

{{ name_models('stg_purchase_run') }}

select * from type_models
