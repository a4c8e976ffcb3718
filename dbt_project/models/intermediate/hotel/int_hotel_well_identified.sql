-- grain: study × reading × model, base prompt
-- dollars for a review point of the models whose value is well identified: log form at
-- its reference price, and linear form
{{ require_green('hotel_estimates') }}
with hotel_wtp as (
    select * from {{ ref('hotel_wtp') }}
    where attribute = 'review_score'
),

linear_value as (
    select study_id, model_id, reading, wtp_usd, well_identified, status
    from hotel_wtp
    where specification = 'linear'
),

int_hotel_well_identified as (
    select
        log_value.study_id,
        log_value.model_id,
        log_value.reading,
        log_value.wtp_usd as wtp_log_usd,
        -- the published screen looks at the log form alone
        case
            when log_value.reading = 'as_published' or linear_value.well_identified
                then linear_value.wtp_usd
        end as wtp_linear_usd,
        case
            when log_value.status = 'ok' then linear_value.status
            else log_value.status
        end as status
    from hotel_wtp as log_value
    left join linear_value
        on log_value.study_id = linear_value.study_id
        and log_value.model_id = linear_value.model_id
        and log_value.reading = linear_value.reading
    where log_value.specification = 'log' and log_value.well_identified
)

select * from int_hotel_well_identified
