-- grain: one row per event of a cell (run_id, cell_id, seq)
{{ require_green('search_raw') }}
with source_event as (
    select * from {{ source('raw_search', 'source_event') }}
),

stg_search_source_event as (
    select
        run_id,
        cell_id,
        seq,
        type,
        event_at,
        url,
        fetcher,
        http_status,
        items_seen,
        evidence_sha256,
        detail,
        _source_file as source_file,
        _source_row as source_row
    from source_event
)

select * from stg_search_source_event
