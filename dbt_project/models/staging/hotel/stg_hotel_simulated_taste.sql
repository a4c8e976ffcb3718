-- grain: one row per taste of a simulated shopper (run_id, term)
-- the truth that estimates on simulated answers should find
{{ require_green('hotel_raw') }}
with simulated_taste as (
    select * from {{ source('raw_hotel', 'simulated_taste') }}
),

stg_hotel_simulated_taste as (
    select
        run_id,
        term,
        value as taste,
        _source_file as source_file,
        _source_row as source_row
    from simulated_taste
)

select * from stg_hotel_simulated_taste
