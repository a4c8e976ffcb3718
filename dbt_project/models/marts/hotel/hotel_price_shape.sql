-- grain: study × model × block × reading (base, decile fits)
-- where a price curve bends: a bump above the cheapest tenth (deciles 2 to 4), and the
-- edge at which utility drops most from one tenth to the next
{{ require_green('hotel_estimates') }}
with est_hotel_price_shape as (
    select * from {{ ref('est_hotel_price_shape') }}
),

hotel_price_shape as (
    select
        study_id::varchar as study_id,
        model_id::varchar as model_id,
        block::varchar as block,
        design::varchar as reading,
        bump_decile::bigint as bump_decile,
        bump::double as bump,
        bump_std_error::double as bump_std_error,
        bump_ci_lo::double as bump_ci_lo,
        bump_ci_hi::double as bump_ci_hi,
        bump_status::varchar as bump_status,
        threshold_usd::double as threshold_usd,
        "drop"::double as drop_utility,
        drop_std_error::double as drop_std_error,
        drop_ci_lo::double as drop_ci_lo,
        drop_ci_hi::double as drop_ci_hi,
        drop_status::varchar as drop_status
    from est_hotel_price_shape
)

select * from hotel_price_shape
