{# The part of marts.model that one instrument gives: every model with a run of
   `runs`, named by the registry seed; one that is not in it is named after its id. #}
{% macro name_models(runs) -%}
name_models as (
    select
        asked.model_id,
        coalesce(
            model_registry.kind,
            case when asked.model_id like 'agent/%' then 'agent' else 'model' end
        ) as kind,
        coalesce(model_registry.slug, {{ slugify('asked.model_id') }}) as slug,
        coalesce(
            model_registry.display_name, {{ after_last_slash('asked.model_id') }}
        ) as display_name,
        model_registry.provider,
        model_registry.family,
        model_registry.parameters_b,
        model_registry.open_weights
    from (select distinct model_id from {{ runs }}) as asked
    left join model_registry on asked.model_id = model_registry.model_id
),

type_models as (
    select
        model_id::varchar as model_id,
        kind::varchar as kind,
        -- ids that differ only in punctuation share a slug: the hash keeps them apart
        (
            slug
            || case
                when count(*) over (partition by slug) > 1
                    then '-' || {{ short_hash(['model_id']) }}
                else ''
            end
        )::varchar as slug,
        display_name::varchar as display_name,
        provider::varchar as provider,
        family::varchar as family,
        parameters_b::double as parameters_b,
        open_weights::boolean as open_weights
    from name_models
)
{%- endmacro %}
