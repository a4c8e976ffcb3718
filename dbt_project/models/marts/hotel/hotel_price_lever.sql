-- grain: study × model × block × specification × reading × lever × price_usd (base)
-- what a discount does to one of two options that were equally good before, along the
-- decile curve and along both fitted price forms
{{ require_green('hotel_estimates') }}
with est_hotel_price_lever as (
    select * from {{ ref('est_hotel_price_lever') }}
),

hotel_price_lever as (
    select
        study_id::varchar as study_id,
        model_id::varchar as model_id,
        block::varchar as block,
        specification::varchar as specification,
        design::varchar as reading,
        lever::varchar as lever,
        price_usd::double as price_usd,
        discounted_usd::double as discounted_usd,
        utility_change::double as utility_change,
        utility_change_std_error::double as utility_change_std_error,
        share_change::double as share_change,
        ci_lo::double as ci_lo,
        ci_hi::double as ci_hi,
        status::varchar as status
    from est_hotel_price_lever
)

select * from hotel_price_lever
