-- grain: one row per model or agent with a search run (model_id)
-- names from the registry seed; a model that is not in it is named after its id
{{ require_green('search_staging') }}
with int_search_run as (
    select * from {{ ref('int_search_run') }}
),

model_registry as (
    select * from {{ ref('model_registry') }}
),

{{ name_models('int_search_run') }}

select * from type_models
