-- grain: study × model × block × reading (variant base)
-- does a price in logs or in dollars fit better, and is there a genuine negative answer
-- to price at all? (Kireyev 2026, section 5.2); two and three options
{{ require_green('hotel_estimates') }}
with hotel_fit as (
    select * from {{ ref('hotel_fit') }}
    where variant = 'base' and block in ('binary', 'ternary')
),

hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base' and term in ('log_price', 'price')
),

est_hotel_price_response as (
    select * from {{ ref('est_hotel_price_response') }}
),

hotel_first_shown as (
    select * from {{ ref('hotel_first_shown') }}
    where variant = 'base' and reading = 'as_published' and format = 'all'
),

spread_fits as (
    select
        study_id,
        model_id,
        block,
        reading,
        max(aic) filter (where specification = 'log') as aic_log,
        max(aic) filter (where specification = 'linear') as aic_linear
    from hotel_fit
    group by study_id, model_id, block, reading
),

spread_prices as (
    select
        study_id,
        model_id,
        block,
        reading,
        max(p_value) filter (where term = 'log_price') as log_price_p_value,
        max(p_value) filter (where term = 'price') as price_p_value
    from hotel_coefficient
    group by study_id, model_id, block, reading
),

hotel_functional_form as (
    select
        spread_fits.study_id::varchar as study_id,
        spread_fits.model_id::varchar as model_id,
        spread_fits.block::varchar as block,
        spread_fits.reading::varchar as reading,
        spread_fits.aic_log::double as aic_log,
        spread_fits.aic_linear::double as aic_linear,
        spread_prices.log_price_p_value::double as log_price_p_value,
        spread_prices.price_p_value::double as price_p_value,
        case
            when aic_log is null or aic_linear is null then null
            when
                log_price_p_value > {{ var('hotel_form_p') }}
                and price_p_value > {{ var('hotel_form_p') }}
                then 'insignificant'
            when aic_linear - aic_log < -{{ var('hotel_form_aic_gap') }} then 'linear'
            when aic_linear - aic_log > {{ var('hotel_form_aic_gap') }} then 'log'
            else 'tie'
        end::varchar as form,
        -- as published a model that is not engaged has no response whatever its slopes
        case
            when spread_fits.block != 'binary' then null
            when
                spread_fits.reading = 'as_published'
                and hotel_first_shown.verdict != 'engaged'
                then false
            else est_hotel_price_response.responds_to_price
        end::boolean as responds_to_price
    from spread_fits
    inner join spread_prices
        on spread_fits.study_id = spread_prices.study_id
        and spread_fits.model_id = spread_prices.model_id
        and spread_fits.block = spread_prices.block
        and spread_fits.reading = spread_prices.reading
    left join est_hotel_price_response
        on spread_fits.study_id = est_hotel_price_response.study_id
        and spread_fits.model_id = est_hotel_price_response.model_id
        and spread_fits.reading = est_hotel_price_response.reading
    left join hotel_first_shown
        on spread_fits.study_id = hotel_first_shown.study_id
        and spread_fits.model_id = hotel_first_shown.model_id
)

select * from hotel_functional_form
