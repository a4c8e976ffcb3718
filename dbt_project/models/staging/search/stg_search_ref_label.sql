-- grain: one row per product (run_id, task_id)
{{ require_green('search_raw') }}
with ref_label as (
    select * from {{ source('raw_search', 'ref_label') }}
),

stg_search_ref_label as (
    select
        run_id,
        task_id,
        version,
        price as price_usd,
        shipping as shipping_usd,
        fees as fees_usd,
        pack_count,
        is_fashion,
        is_void,
        void_reason,
        note,
        reviewer,
        labelled_at,
        _source_file as source_file,
        _source_row as source_row
    from ref_label
)

select * from stg_search_ref_label
