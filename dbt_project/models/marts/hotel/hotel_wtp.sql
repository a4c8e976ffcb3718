-- grain: study × model × attribute × specification × reading (base, two-option tasks)
-- dollars a model gives for one unit of an attribute
-- as published: (b / |b_log_price|) × $250, zero covariance; audited: sign kept,
-- delta and Fieller intervals from the covariance clustered by pair
{{ require_green('hotel_estimates') }}
with est_hotel_wtp as (
    select *, design as reading from {{ ref('est_hotel_wtp') }}
    where variant = 'base' and design in ('as_published', 'audited')
        and attribute != 'slot'
),

-- the published screen looks at the review score in the log form only
screen_models as (
    select study_id, model_id, p_identified
    from est_hotel_wtp
    where reading = 'as_published'
        and attribute = 'review_score' and specification = 'log'
),

locked_price as (
    select study_id, model_id, specification, reading
    from {{ ref('hotel_coefficient') }}
    where variant = 'base' and block = 'binary'
        and term in ('log_price', 'price') and status = 'locked'
),

hotel_first_shown as (
    select * from {{ ref('hotel_first_shown') }}
    where variant = 'base' and reading = 'as_published' and format = 'all'
),

hotel_wtp as (
    select
        est_hotel_wtp.study_id::varchar as study_id,
        est_hotel_wtp.model_id::varchar as model_id,
        est_hotel_wtp.attribute::varchar as attribute,
        est_hotel_wtp.specification::varchar as specification,
        est_hotel_wtp.reading::varchar as reading,
        est_hotel_wtp.wtp_usd::double as wtp_usd,
        est_hotel_wtp.std_error::double as std_error,
        est_hotel_wtp.ci_lo::double as ci_lo,
        est_hotel_wtp.ci_hi::double as ci_hi,
        est_hotel_wtp.fieller_lo::double as fieller_lo,
        est_hotel_wtp.fieller_hi::double as fieller_hi,
        est_hotel_wtp.reference_price_usd::double as reference_price_usd,
        case
            when est_hotel_wtp.reading = 'as_published'
                then
                    screen_models.p_identified
                    and hotel_first_shown.verdict = 'engaged'
            else est_hotel_wtp.status = 'ok'
        end::boolean as well_identified,
        case
            when locked_price.model_id is not null then 'locked'
            else est_hotel_wtp.status
        end::varchar as status
    from est_hotel_wtp
    left join hotel_first_shown
        on est_hotel_wtp.study_id = hotel_first_shown.study_id
        and est_hotel_wtp.model_id = hotel_first_shown.model_id
    left join screen_models
        on est_hotel_wtp.study_id = screen_models.study_id
        and est_hotel_wtp.model_id = screen_models.model_id
    left join locked_price
        on est_hotel_wtp.study_id = locked_price.study_id
        and est_hotel_wtp.model_id = locked_price.model_id
        and est_hotel_wtp.specification = locked_price.specification
        and est_hotel_wtp.reading = locked_price.reading
)

select * from hotel_wtp
