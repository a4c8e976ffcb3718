-- grain: one row per product (run_id, task_id)
-- landed cost and basis are worked out here; what the artifact states stands beside
{{ require_green('search_raw') }}
with task as (
    select * from {{ source('raw_search', 'task') }}
),

stg_search_task as (
    select
        run_id,
        bank_sha256,
        task_id,
        label,
        cell_id,
        position,
        retailer,
        category,
        title,
        brand,
        url,
        url_canonical,
        {{ url_host('url_canonical') }} as host,
        image_sha256,
        price as price_usd,
        list_price as list_price_usd,
        shipping as shipping_usd,
        case when shipping is not null then coalesce(fees, 0.00)::decimal(12, 2) end
            as fees_usd,
        (price + shipping + coalesce(fees, 0.00))::decimal(12, 2) as landed_usd,
        landed as stated_landed_usd,
        pack_count,
        pack_contents,
        pack_unit_size,
        pack_unit,
        pack_is_ambiguous,
        pack_source,
        case when pack_count > 1 then 'per_unit' else 'total' end as basis,
        basis as stated_basis,
        is_fashion,
        condition,
        availability,
        gtin,
        mpn,
        sku,
        variant_size,
        variant_color,
        extraction_source,
        extraction_warnings,
        extraction_at,
        shipping_source,
        shipping_policy_row,
        shipping_at,
        _source_file as source_file,
        _source_row as source_row
    from task
)

select * from stg_search_task
