-- grain: one row per file (run_id, sha256, kind)
{{ require_green('search_raw') }}
with evidence as (
    select * from {{ source('raw_search', 'evidence') }}
),

stg_search_evidence as (
    select
        run_id,
        sha256,
        kind,
        bytes,
        is_named_by_content,
        _source_file as source_file,
        _source_row as source_row
    from evidence
)

select * from stg_search_evidence
