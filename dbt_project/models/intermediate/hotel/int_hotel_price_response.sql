-- grain: study × reading × model, base prompt
-- what says whether a model answers to price: the two-option log form, and the dearest
-- tenth of prices in the pooled decile fit; as published of engaged models only
{{ require_green('hotel_estimates') }}
with hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base'
),

hotel_first_shown as (
    select * from {{ ref('hotel_first_shown') }}
    where variant = 'base' and reading = 'as_published' and format = 'all'
),

spread_terms as (
    select
        study_id,
        model_id,
        reading,
        max(estimate) filter (
            where block = 'binary' and specification = 'log' and term = 'log_price'
        ) as log_price,
        max(p_value) filter (
            where block = 'binary' and specification = 'log' and term = 'log_price'
        ) as log_price_p_value,
        max(estimate) filter (
            where block = 'binary' and specification = 'log' and term = 'review_score'
        ) as review_score,
        max(estimate) filter (
            where block = 'pooled' and specification = 'decile' and term = 'D10'
        ) as top_decile,
        max(status) filter (
            where block = 'binary' and specification = 'log' and term = 'log_price'
        ) as price_status,
        max(status) filter (
            where block = 'binary' and specification = 'log' and term = 'review_score'
        ) as review_status
    from hotel_coefficient
    where block in ('binary', 'pooled')
    group by study_id, model_id, reading
),

int_hotel_price_response as (
    select
        spread_terms.study_id,
        spread_terms.model_id,
        spread_terms.reading,
        spread_terms.log_price,
        spread_terms.log_price_p_value,
        spread_terms.review_score,
        spread_terms.top_decile,
        case when price_status = 'ok' then review_status else price_status end
            as status
    from spread_terms
    left join hotel_first_shown
        on spread_terms.study_id = hotel_first_shown.study_id
        and spread_terms.model_id = hotel_first_shown.model_id
    where spread_terms.price_status is not null
        and (spread_terms.reading = 'audited' or hotel_first_shown.verdict = 'engaged')
)

select * from int_hotel_price_response
