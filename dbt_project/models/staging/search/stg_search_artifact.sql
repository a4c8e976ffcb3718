-- grain: one row per JSON artifact (run_id, source_file)
{{ require_green('search_raw') }}
with artifact as (
    select * from {{ source('raw_search', 'artifact') }}
),

stg_search_artifact as (
    select
        run_id,
        kind,
        track,
        agent,
        scenario,
        stated_run_id,
        protocol_sha256,
        tasks_sha256,
        inputs,
        version,
        tool_version,
        created_at,
        updated_at,
        extra,
        _source_file as source_file,
        _source_row as source_row
    from artifact
)

select * from stg_search_artifact
