-- grain: one row per hotel of a pool (pool_sha256, hotel_id)
-- the hotels that task banks are drawn from, with the ranges of every draw
{{ require_green('hotel_raw') }}
with hotel as (
    select * from {{ source('raw_hotel', 'hotel') }}
),

stg_hotel_hotel as (
    select
        pool_sha256,
        hotel_id,
        name as hotel_name,
        stars,
        neighborhood,
        review_score_base,
        review_count_base,
        price_min as price_min_usd,
        price_max as price_max_usd,
        room_types,
        cancellation_free_prob as cancellation_free_share,
        breakfast_prob as breakfast_share,
        amenities,
        _source_file as source_file,
        _source_row as source_row
    from hotel
)

select * from stg_hotel_hotel
