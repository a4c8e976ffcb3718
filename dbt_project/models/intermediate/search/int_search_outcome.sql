-- grain: one row per scenario, track, agent of its pool and scored product
-- (run_id, scenario, track, agent, task_id)
-- one pass over the listings that are cheaper than their reference gives each agent's
-- best; the oracle is the lowest of them. Costs are num cents over den units, compared
-- exactly; the price of a page that could not be verified is its claim where need be
{{ require_green('search_staging') }}
with task as (
    select * from {{ ref('int_search_task') }}
    where is_scored
),

int_search_listing as (
    select * from {{ ref('int_search_listing') }}
),

stg_search_call as (
    select * from {{ ref('stg_search_call') }}
),

stg_search_run as (
    select * from {{ ref('stg_search_run') }}
),

int_search_run as (
    select * from {{ ref('int_search_run') }}
),

{{ cheaper_listings({'base': '', 'prime': 'prime_'}, ['is_accepted', 'is_open']) }},

{{ best_of_cheaper() }},

{{ ties_of_best() }},

finder as (
    select run_id, track, candidate_id, list(agent) as finders
    from int_search_listing
    where is_open
    group by run_id, track, candidate_id
),

open_candidate as (
    select run_id, scenario, track, task_id, candidate_id, finders,
        min({{ cost_of('cost_key', 'candidate_id', 'num', 'den') }}) as cost
    from cheaper
    inner join finder using (run_id, track, candidate_id)
    where not is_accepted
    group by run_id, scenario, track, task_id, candidate_id, finders
),

count_tasks as (
    select stg_search_call.run_id, track, count(distinct task_id) as scored_tasks
    from stg_search_call
    inner join task using (run_id, task_id)
    group by stg_search_call.run_id, track
),

asked as (
    select task.*, scenario.scenario, stg_search_call.track, stg_search_call.agent,
        stg_search_call.status as call_status,
        case scenario.scenario when 'base' then cost_num else prime_cost_num end
            as ref_num,
        task.cost_den as ref_den,
        count_tasks.scored_tasks,
        {{ cents('stg_search_run.match_tolerance_usd') }} as tolerance_cents
    from stg_search_call
    inner join task using (run_id, task_id)
    inner join count_tasks using (run_id, track)
    inner join stg_search_run using (run_id)
    cross join (values ('base'), ('prime')) as scenario (scenario)
),

-- an open page costs whoever found it the same
open_cost as (
    select run_id, scenario, track, task_id, asked.agent,
        min(cost) filter (where {{ in_list('finders', 'asked.agent') }}) as own_open,
        min(cost) filter (where not {{ in_list('finders', 'asked.agent') }})
            as rival_open
    from asked
    inner join open_candidate using (run_id, scenario, track, task_id)
    group by run_id, scenario, track, task_id, asked.agent
),

pooled as (
    select asked.*, int_search_run.model_id,
        best, coalesce(candidate_ids, best.candidate_id) as best_ties, rival_open,
        {{ lower_cost('best', 'own_open') }} as best_possible,
        {{ oracle_of_pool() }} as oracle,
        min(best) over (pool {{ all_other_rows() }}) as loo_oracle
    from asked
    inner join int_search_run using (run_id, agent)
    left join best_by_agent using (run_id, scenario, track, task_id, agent)
    left join tied using (run_id, scenario, track, task_id, agent)
    left join open_cost using (run_id, scenario, track, task_id, agent)
    window pool as (partition by run_id, scenario, track, task_id)
),

bounded as (
    select *,
        {{ lower_cost('oracle', 'best_possible') }} as oracle_hi,
        {{ lower_cost('oracle', 'rival_open') }} as oracle_lo
    from pooled
),

int_search_outcome as (
    select {{ search_outcome_columns() }}
    from bounded
)

select * from int_search_outcome
