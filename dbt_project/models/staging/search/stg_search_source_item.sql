-- grain: one row per item of a ranked list (run_id, cell_id, list_seq, rank)
{{ require_green('search_raw') }}
with source_item as (
    select * from {{ source('raw_search', 'source_item') }}
),

stg_search_source_item as (
    select
        run_id,
        cell_id,
        list_seq,
        rank,
        url,
        title,
        outcome,
        code,
        detail,
        _source_file as source_file,
        _source_row as source_row
    from source_item
)

select * from stg_search_source_item
