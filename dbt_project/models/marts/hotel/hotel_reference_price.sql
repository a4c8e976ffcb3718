-- grain: study × model × reading, well-identified models
-- what a review point is worth at three nightly rates and in the linear form, and ranks
-- (Kireyev 2026, section 5.3): the log form cannot change them with the rate
{{ require_green('hotel_estimates') }}
with est_hotel_reference_price as (
    select * from {{ ref('est_hotel_reference_price') }}
),

hotel_reference_price as (
    select
        study_id::varchar as study_id,
        model_id::varchar as model_id,
        reading::varchar as reading,
        wtp_per_usd::double as wtp_per_usd,
        wtp_100_usd::double as wtp_100_usd,
        wtp_250_usd::double as wtp_250_usd,
        wtp_600_usd::double as wtp_600_usd,
        wtp_linear_usd::double as wtp_linear_usd,
        rank_100::bigint as rank_100,
        rank_250::bigint as rank_250,
        rank_600::bigint as rank_600,
        rank_linear::bigint as rank_linear,
        rank_shift::bigint as rank_shift,
        status::varchar as status
    from est_hotel_reference_price
)

select * from hotel_reference_price
