-- grain: one row per row of the table (run_id, row_id)
{{ require_green('search_raw') }}
with shipping_policy as (
    select * from {{ source('raw_search', 'shipping_policy') }}
),

stg_search_shipping_policy as (
    select
        run_id,
        row_id,
        retailer,
        domain,
        seller_scope,
        threshold as threshold_usd,
        below_fee as below_fee_usd,
        at_or_above_fee as at_or_above_fee_usd,
        min_order as min_order_usd,
        surcharge_pct,
        zip_scope,
        category_scope,
        effective_from,
        effective_to,
        source_url,
        checked_at,
        checked_by,
        note,
        _source_file as source_file,
        _source_row as source_row
    from shipping_policy
)

select * from stg_search_shipping_policy
