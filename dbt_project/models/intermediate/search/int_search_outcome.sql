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

cheaper as (
    {%- for scenario, prefix in {'base': '', 'prime': 'prime_'}.items() %}
    {%- for kind, num, den in [
        ('is_accepted', prefix ~ 'cost_num', 'cost_den'),
        ('is_open', prefix ~ 'open_num', 'open_den'),
    ] %}
    select
        listing.run_id,
        '{{ scenario }}' as scenario,
        listing.track,
        listing.task_id,
        listing.agent,
        listing.candidate_id,
        listing.is_accepted,
        listing.{{ num }} as num,
        listing.{{ den }} as den,
        {{ cost_key('listing.' ~ num, 'listing.' ~ den) }} as cost_key
    from int_search_listing as listing
    inner join task
        on listing.run_id = task.run_id and listing.task_id = task.task_id
    where listing.{{ kind }} and listing.{{ num }} > 0
        and listing.{{ num }}::hugeint * task.cost_den
        < task.{{ prefix }}cost_num::hugeint * listing.{{ den }}
    {{ "union all" if not loop.last }}
    {%- endfor %}
    {{ "union all" if not loop.last }}
    {%- endfor %}
),

lowest as (
    select run_id, scenario, track, task_id, agent, min(cost_key) as cost_key
    from cheaper
    where is_accepted
    group by run_id, scenario, track, task_id, agent
),

best_by_agent as (
    select run_id, scenario, track, task_id, agent,
        {{ cost_of('cost_key', 'min(candidate_id)', 'min(num)', 'min(den)') }} as best,
        {{ join_distinct('candidate_id') }} as best_ties
    from cheaper
    inner join lowest using (run_id, scenario, track, task_id, agent, cost_key)
    where is_accepted
    group by run_id, scenario, track, task_id, agent, cost_key
),

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
        best, best_ties, rival_open,
        {{ lower_cost('best', 'own_open') }} as best_possible,
        min(best) over (pool) as oracle,
        min(best) over (pool {{ all_other_rows() }}) as loo_oracle
    from asked
    inner join int_search_run using (run_id, agent)
    left join best_by_agent using (run_id, scenario, track, task_id, agent)
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
