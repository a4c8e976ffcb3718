-- grain: one row per candidate and track (run_id, track, candidate_id)
{{ require_green('search_raw') }}
with candidate as (
    select * from {{ source('raw_search', 'candidate') }}
),

stg_search_candidate as (
    select
        run_id,
        track,
        candidate_id,
        task_id,
        url_canonical,
        {{ url_host('url_canonical') }} as host,
        is_self_match,
        title,
        title_source,
        image_sha256,
        is_image_missing,
        _source_file as source_file,
        _source_row as source_row
    from candidate
)

select * from stg_search_candidate
