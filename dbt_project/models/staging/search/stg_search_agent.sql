-- grain: one row per agent and track (run_id, agent, track)
{{ require_green('search_raw') }}
with agent as (
    select * from {{ source('raw_search', 'agent') }}
),

stg_search_agent as (
    select
        run_id,
        agent,
        track,
        {{ search_model_id() }} as model_id,
        model_asked,
        adapter,
        prompt_sha256,
        config,
        {{ settings_label(json_text('config', 'params')) }} as settings_label,
        _source_file as source_file,
        _source_row as source_row
    from agent
)

select * from stg_search_agent
