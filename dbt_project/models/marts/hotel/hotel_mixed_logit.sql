-- grain: study × model × specification × reading (audited alone) × term (base, binary)
-- normal tastes for price, review score and slot that vary by pair of hotels (Train
-- 2009): their means and deviations; empty unless the build was asked for them
{{ require_green('hotel_estimates') }}
with est_hotel_mixed_logit as (
    select * from {{ ref('est_hotel_mixed_logit') }}
),

hotel_first_shown as (
    select * from {{ ref('hotel_first_shown') }}
    where variant = 'base' and reading = 'audited' and format = 'binary'
),

hotel_mixed_logit as (
    select
        est_hotel_mixed_logit.study_id::varchar as study_id,
        est_hotel_mixed_logit.model_id::varchar as model_id,
        est_hotel_mixed_logit.specification::varchar as specification,
        'audited'::varchar as reading,
        est_hotel_mixed_logit.term::varchar as term,
        est_hotel_mixed_logit.random::boolean as is_random,
        est_hotel_mixed_logit.estimate::double as estimate,
        est_hotel_mixed_logit.std_error::double as std_error,
        est_hotel_mixed_logit.cluster_std_error::double as cluster_std_error,
        est_hotel_mixed_logit.p_value::double as p_value,
        est_hotel_mixed_logit.ci_lo::double as ci_lo,
        est_hotel_mixed_logit.ci_hi::double as ci_hi,
        -- as for hotel_coefficient
        case
            when
                est_hotel_mixed_logit.term in ('slot', 'sd_slot')
                and est_hotel_mixed_logit.status = 'ok'
                and hotel_first_shown.swapped_count in (0, hotel_first_shown.n)
                then 'weak'
            when
                est_hotel_mixed_logit.status in ('ok', 'weak')
                and hotel_first_shown.verdict like 'locked%'
                and est_hotel_mixed_logit.ci_lo <= 0
                and est_hotel_mixed_logit.ci_hi >= 0
                then 'locked'
            else est_hotel_mixed_logit.status
        end::varchar as status,
        est_hotel_mixed_logit.fit_status::varchar as fit_status,
        est_hotel_mixed_logit.n::bigint as n,
        est_hotel_mixed_logit.panels::bigint as pairs,
        est_hotel_mixed_logit.draws::bigint as draws,
        est_hotel_mixed_logit.log_likelihood::double as log_likelihood,
        est_hotel_mixed_logit.conditional_log_likelihood::double
            as conditional_log_likelihood,
        est_hotel_mixed_logit.null_log_likelihood::double as null_log_likelihood
    from est_hotel_mixed_logit
    left join hotel_first_shown
        on est_hotel_mixed_logit.study_id = hotel_first_shown.study_id
        and est_hotel_mixed_logit.model_id = hotel_first_shown.model_id
)

select * from hotel_mixed_logit
