-- grain: one row per seat of a panel (run_id, track, judge)
{{ require_green('search_raw') }}
with judge as (
    select * from {{ source('raw_search', 'judge') }}
),

stg_search_judge as (
    select
        run_id,
        track,
        judge,
        lab,
        model,
        prompt_sha256,
        _source_file as source_file,
        _source_row as source_row
    from judge
)

select * from stg_search_judge
