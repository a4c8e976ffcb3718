-- grain: one row per change of a label file (run_id, source_file, seq)
{{ require_green('search_raw') }}
with label_change as (
    select * from {{ source('raw_search', 'label_change') }}
),

stg_search_label_change as (
    select
        run_id,
        track,
        record_id,
        seq,
        before,
        after,
        reviewer,
        changed_at,
        _source_file as source_file,
        _source_row as source_row
    from label_change
)

select * from stg_search_label_change
