-- grain: one row per published source on people (source)
-- what people pay for a better review, from other data and constructs: a band to set
-- models beside, never ranked with them (Kireyev 2026, section 5.5)
with hotel_human_study as (
    select * from {{ ref('hotel_human_study') }}
),

hotel_human_range as (
    select
        source::varchar as source,
        low_usd::double as low_usd,
        high_usd::double as high_usd,
        reference_price_usd::double as reference_price_usd,
        is_per_point::boolean as is_per_point,
        note::varchar as note
    from hotel_human_study
)

select * from hotel_human_range
