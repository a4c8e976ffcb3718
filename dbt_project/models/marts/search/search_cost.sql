-- grain: run × track × agent
-- what asking cost and how long it took; answers of a batch tell no time
{{ require_green('search_estimates') }}
with stg_search_call as (
    select * from {{ ref('stg_search_call') }}
),

int_search_run as (
    select * from {{ ref('int_search_run') }}
    where not is_excluded
),

search_cost as (
    select
        run.study_id::varchar as study_id,
        call.run_id::varchar as run_id,
        call.track::varchar as track,
        call.agent::varchar as agent,
        run.model_id::varchar as model_id,
        count(*)::bigint as calls,
        sum(call.attempt_count)::bigint as attempts,
        sum(call.continuations)::bigint as continuations,
        sum(call.searches)::bigint as searches,
        sum(call.input_tokens)::bigint as input_tokens,
        sum(call.output_tokens)::bigint as output_tokens,
        sum(call.cost_usd)::decimal(18, 9) as cost_usd,
        count(call.cost_usd)::bigint as priced_calls,
        (sum(call.cost_usd)::double / count(call.cost_usd))::double
            as usd_per_priced_call,
        (100 * sum(call.cost_usd)::double / count(call.cost_usd))::double
            as usd_per_100_products,
        (count(call.latency_s) filter (where call.is_latency_comparable))::bigint
            as timed_calls,
        (median(call.latency_s) filter (where call.is_latency_comparable))::double
            as median_latency_s
    from stg_search_call as call
    inner join int_search_run as run
        on call.run_id = run.run_id and call.agent = run.agent
    group by run.study_id, call.run_id, call.track, call.agent, run.model_id
)

select * from search_cost
