-- grain: one row per candidate and track (run_id, track, candidate_id)
-- as stated; the verdict that counts is worked out from the votes
{{ require_green('search_raw') }}
with verdict as (
    select * from {{ source('raw_search', 'verdict') }}
),

stg_search_verdict as (
    select
        run_id,
        track,
        candidate_id,
        verdict as stated_verdict,
        valid_count as stated_valid_count,
        invalid_count as stated_invalid_count,
        missing_count as stated_missing_count,
        _source_file as source_file,
        _source_row as source_row
    from verdict
)

select * from stg_search_verdict
