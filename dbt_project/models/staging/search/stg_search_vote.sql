-- grain: one row per vote (run_id, track, candidate_id, judge)
{{ require_green('search_raw') }}
with vote as (
    select * from {{ source('raw_search', 'vote') }}
),

stg_search_vote as (
    select
        run_id,
        track,
        candidate_id,
        judge,
        verdict,
        error,
        reason,
        is_repaired,
        attempt_count,
        input_tokens,
        output_tokens,
        cost as cost_usd,
        voted_at,
        _source_file as source_file,
        _source_row as source_row
    from vote
)

select * from stg_search_vote
