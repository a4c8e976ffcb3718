-- grain: one row per run and model (study_id, run_id, model_id), excluded runs included
-- and marked; the one home of which model an agent is: two agents of one run that ask
-- the same model stand for themselves
{{ require_green('search_staging') }}
with stg_search_run as (
    select * from {{ ref('stg_search_run') }}
),

stg_search_agent as (
    select * from {{ ref('stg_search_agent') }}
),

stg_search_call as (
    select * from {{ ref('stg_search_call') }}
),

first_track as (
    select *
    from stg_search_agent
    qualify row_number() over (
        partition by run_id, agent
        order by track desc
    ) = 1
),

name_agents as (
    select
        *,
        case
            when count(*) over (partition by run_id, model_id) > 1
                then 'agent/' || agent
            else model_id
        end as own_model_id
    from first_track
),

count_calls as (
    select
        run_id,
        agent,
        count(*) as calls,
        count(*) filter (where status = 'transport_error') as failed_calls,
        count(*) filter (where status in ('refused', 'unparsable', 'truncated'))
            as invalid_replies,
        {{ join_distinct('model_served') }} as model_id_served,
        sum(cost_usd) as cost_usd
    from stg_search_call
    group by run_id, agent
),

int_search_run as (
    select
        stg_search_run.run_id::varchar as run_id,
        stg_search_run.study_id::varchar as study_id,
        'search'::varchar as instrument,
        name_agents.own_model_id::varchar as model_id,
        name_agents.agent::varchar as agent,
        count_calls.model_id_served::varchar as model_id_served,
        null::varchar as variant,
        stg_search_run.source::varchar as source,
        stg_search_run.bank_sha256::varchar as bank_sha256,
        name_agents.prompt_sha256::varchar as prompt_sha256,
        stg_search_run.protocol::varchar as protocol,
        name_agents.config::varchar as settings,
        name_agents.settings_label::varchar as settings_label,
        null::varchar as providers_served,
        stg_search_run.run_date::date as run_date,
        coalesce(count_calls.calls, 0)::bigint as calls,
        coalesce(count_calls.failed_calls, 0)::bigint as failed_calls,
        coalesce(count_calls.invalid_replies, 0)::bigint as invalid_replies,
        count_calls.cost_usd::decimal(18, 9) as cost_usd,
        stg_search_run.is_excluded::boolean as is_excluded,
        stg_search_run.excluded_reason::varchar as excluded_reason
    from stg_search_run
    inner join name_agents on stg_search_run.run_id = name_agents.run_id
    left join count_calls
        on name_agents.run_id = count_calls.run_id
        and name_agents.agent = count_calls.agent
)

select * from int_search_run
