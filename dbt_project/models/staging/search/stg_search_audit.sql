-- grain: one row per candidate and track (run_id, track, candidate_id)
-- status and amounts as recorded; rulings are laid over them later
{{ require_green('search_raw') }}
with audit as (
    select * from {{ source('raw_search', 'audit') }}
),

stg_search_audit as (
    select
        run_id,
        track,
        candidate_id,
        status,
        reason,
        http_status,
        final_url,
        {{ url_host('final_url') }} as final_host,
        availability,
        condition,
        case when price >= 0 then price end as price,
        case when shipping >= 0 then shipping end as shipping,
        case when fees >= 0 then fees end as fees,
        landed as stated_landed,
        currency,
        coalesce(least(price, shipping, fees) < 0, false) as has_negative_amount,
        shipping_source,
        seller_scope,
        pack_count,
        is_price_mismatch,
        checked_at,
        _source_file as source_file,
        _source_row as source_row
    from audit
)

select * from stg_search_audit
