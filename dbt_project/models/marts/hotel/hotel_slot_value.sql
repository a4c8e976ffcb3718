-- grain: study × model × specification × reading (base, two-option tasks, audited)
-- dollars a night that being shown first is worth to a model: minus the slot over the
-- price coefficient, in the log form at its reference price
-- the slot is coded +1 first, -1 second, so moving from second to first is worth twice
-- the value against an order that favours neither
{{ require_green('hotel_estimates') }}
with est_hotel_wtp as (
    select * from {{ ref('est_hotel_wtp') }}
    where variant = 'base' and attribute = 'slot' and design = 'audited'
),

hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base' and block = 'binary' and reading = 'audited'
),

worst_term as (
    select
        study_id,
        model_id,
        specification,
        bool_or(term = 'slot' and status = 'weak') as is_one_order,
        bool_or(term in ('log_price', 'price') and status = 'locked') as is_locked
    from hotel_coefficient
    group by study_id, model_id, specification
),

hotel_slot_value as (
    select
        est_hotel_wtp.study_id::varchar as study_id,
        est_hotel_wtp.model_id::varchar as model_id,
        est_hotel_wtp.specification::varchar as specification,
        'audited'::varchar as reading,
        est_hotel_wtp.wtp_usd::double as value_usd,
        2 * est_hotel_wtp.wtp_usd::double as first_over_second_usd,
        est_hotel_wtp.std_error::double as std_error,
        est_hotel_wtp.ci_lo::double as ci_lo,
        est_hotel_wtp.ci_hi::double as ci_hi,
        est_hotel_wtp.fieller_lo::double as fieller_lo,
        est_hotel_wtp.fieller_hi::double as fieller_hi,
        est_hotel_wtp.reference_price_usd::double as reference_price_usd,
        case
            when est_hotel_wtp.status = 'ok' and worst_term.is_locked then 'locked'
            when est_hotel_wtp.status = 'ok' and worst_term.is_one_order then 'weak'
            else est_hotel_wtp.status
        end::varchar as status
    from est_hotel_wtp
    left join worst_term
        on est_hotel_wtp.study_id = worst_term.study_id
        and est_hotel_wtp.model_id = worst_term.model_id
        and est_hotel_wtp.specification = worst_term.specification
)

select * from hotel_slot_value
