-- grain: one row per run (run_id)
-- study_id: short hash of instrument, bank, prompts, protocol, source and the run
-- itself, since the oracle is that of its own pool; nothing is pooled across studies
{{ require_green('search_raw') }}
with run as (
    select * from {{ source('raw_search', 'run') }}
),

agent as (
    select * from {{ source('raw_search', 'agent') }}
),

artifact as (
    select * from {{ source('raw_search', 'artifact') }}
),

first_call as (
    select run_id, min(started_at) as called_at
    from {{ source('raw_search', 'call') }}
    group by run_id
),

excluded_run as (
    select * from {{ source('quality', 'excluded_run') }}
    where instrument = 'search'
),

hash_prompts as (
    select
        run_id,
        {{ sha256_hex(join_distinct("track || ':' || prompt_sha256")) }}
            as prompt_sha256
    from agent
    group by run_id
),

name_cells as (
    select
        *,
        case when kind = 'cells' then extra end as cells
    from artifact
),

read_headers as (
    select
        name_cells.run_id,
        max(name_cells.updated_at) as updated_at,
        bool_or(
            name_cells.protocol_sha256 != run.protocol_sha256
            or name_cells.tasks_sha256 != run.bank_sha256
        ) as has_mixed_protocol,
        min({{ json_text('cells', 'n') }})::bigint as grid_size,
        min({{ json_text('cells', 'seed') }}) as grid_seed,
        min({{ json_text('cells', 'grid_method') }}) as grid_method
    from name_cells
    inner join run on name_cells.run_id = run.run_id
    group by name_cells.run_id
),

stg_search_run as (
    select
        {{ short_hash([
            "'search'", 'run.bank_sha256', "coalesce(hash_prompts.prompt_sha256, '')",
            'run.protocol_sha256', 'run.source', 'run.run_id',
        ]) }} as study_id,
        run.run_id,
        run.source,
        run.bank_sha256,
        hash_prompts.prompt_sha256,
        run.protocol_version as protocol,
        run.protocol_sha256,
        run.protocol as settings,
        run.buyer_zip,
        run.currency,
        run.memberships,
        run.max_listings,
        run.judges_needed,
        run.match_tolerance as match_tolerance_usd,
        read_headers.grid_size,
        read_headers.grid_seed,
        read_headers.grid_method,
        run.created_at,
        coalesce(read_headers.updated_at, run.updated_at) as updated_at,
        first_call.called_at::date as run_date,
        run.tool_version,
        coalesce(read_headers.has_mixed_protocol, false) as has_mixed_protocol,
        excluded_run.run_id is not null as is_excluded,
        excluded_run.reason as excluded_reason,
        run._source_file as source_file
    from run
    left join hash_prompts on run.run_id = hash_prompts.run_id
    left join read_headers on run.run_id = read_headers.run_id
    left join first_call on run.run_id = first_call.run_id
    left join excluded_run on run.run_id = excluded_run.run_id
)

select * from stg_search_run
