-- grain: study × model × reading (variant temp07)
-- does a higher temperature loosen a lock? (Kireyev 2026, section 6)
-- the published table sets the triage rate of all formats at temperature 0 beside a
-- two-option rate at 0.7 (first_shown_rate_as_triaged); both readings here also give
-- two-option tasks on both sides
{{ require_green('hotel_estimates') }}
with hotel_first_shown as (
    select * from {{ ref('hotel_first_shown') }}
),

hotel_variant_effect as (
    select * from {{ ref('hotel_variant_effect') }}
    where variant = 'temp07' and statistic = 'log_price'
),

warm_rate as (
    select * from hotel_first_shown
    where variant = 'temp07' and format = 'binary'
),

cold_rate as (
    select * from hotel_first_shown
    where variant = 'base' and format = 'binary'
),

triage as (
    select * from hotel_first_shown
    where variant = 'base' and format = 'all' and reading = 'as_published'
),

hotel_temperature_effect as (
    select
        warm_rate.study_id::varchar as study_id,
        warm_rate.model_id::varchar as model_id,
        warm_rate.reading::varchar as reading,
        warm_rate.answers::bigint as answers,
        warm_rate.n::bigint as n,
        cold_rate.n::bigint as base_n,
        warm_rate.first_shown_rate::double as first_shown_rate,
        cold_rate.first_shown_rate::double as base_first_shown_rate,
        triage.first_shown_rate::double as first_shown_rate_as_triaged,
        case
            when warm_rate.reading = 'audited' then warm_rate.verdict
            when warm_rate.n = 0 then 'no data'
            when abs(warm_rate.first_shown_rate - 0.5)
                > {{ var('hotel_published_band') }} then 'position-locked'
            else 'engaged'
        end::varchar as verdict,
        hotel_variant_effect.estimate::double as log_price,
        hotel_variant_effect.base_estimate::double as base_log_price,
        hotel_variant_effect.difference::double as log_price_difference,
        hotel_variant_effect.std_error::double as log_price_std_error,
        hotel_variant_effect.p_value::double as log_price_p_value,
        coalesce(hotel_variant_effect.status, 'too_few')::varchar as status
    from warm_rate
    left join cold_rate
        on warm_rate.study_id = cold_rate.study_id
        and warm_rate.model_id = cold_rate.model_id
        and warm_rate.reading = cold_rate.reading
    left join triage
        on warm_rate.study_id = triage.study_id
        and warm_rate.model_id = triage.model_id
    left join hotel_variant_effect
        on warm_rate.study_id = hotel_variant_effect.study_id
        and warm_rate.model_id = hotel_variant_effect.model_id
        and warm_rate.reading = hotel_variant_effect.reading
)

select * from hotel_temperature_effect
