-- grain: one row per invocation (run_id, agent, track, task_id)
{{ require_green('search_raw') }}
with call as (
    select * from {{ source('raw_search', 'call') }}
),

stg_search_call as (
    select
        run_id,
        agent,
        track,
        task_id,
        status,
        attempt_count,
        continuations,
        listing_count,
        listings_dropped,
        model_served,
        answer_text,
        request_sha256,
        image_sha256,
        input_tokens,
        output_tokens,
        searches,
        cost as cost_usd,
        cost_source,
        started_at,
        ended_at,
        latency_s,
        is_latency_comparable,
        _source_file as source_file,
        _source_row as source_row
    from call
)

select * from stg_search_call
