-- grain: study × model × variant × block × specification × reading
-- how well each choice model fits; pseudo_r2 = 1 - log_likelihood / null_log_likelihood
{{ require_green('hotel_estimates') }}
with est_hotel_logit as (
    select * from {{ ref('est_hotel_logit') }}
    where design in ('as_published', 'audited')
),

hotel_fit as (
    select
        study_id::varchar as study_id,
        model_id::varchar as model_id,
        variant::varchar as variant,
        block::varchar as block,
        specification::varchar as specification,
        design::varchar as reading,
        n::bigint as n,
        clusters::bigint as clusters,
        {{ list_length('term') }}::bigint as term_count,
        log_likelihood::double as log_likelihood,
        null_log_likelihood::double as null_log_likelihood,
        pseudo_r2::double as pseudo_r2,
        aic::double as aic,
        status::varchar as status
    from est_hotel_logit
)

select * from hotel_fit
