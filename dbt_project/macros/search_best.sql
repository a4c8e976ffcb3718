{# What each agent's best of each product is, from one row per listing: the heart of
   int_search_outcome, which `make bench` times too. #}

{# Listings that cost less than their reference: `cheaper`, from int_search_listing and
   task. `scenarios` maps each to the prefix of its costs; kinds are is_accepted and
   is_open, of which the price may be the agent's claim. #}
{% macro cheaper_listings(scenarios, kinds) -%}
cheaper as (
    {%- for scenario, prefix in scenarios.items() %}
    {%- set outer = loop %}
    {%- for kind in kinds %}
    {%- set cost = 'open' if kind == 'is_open' else 'cost' %}
    {%- set num, den = prefix ~ cost ~ '_num', cost ~ '_den' %}
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
    {{ "union all" if not (loop.last and outer.last) }}
    {%- endfor %}
    {%- endfor %}
)
{%- endmacro %}

{# The cheapest of them that an agent may count: `best_by_agent`, of equal ones the
   candidate with the smallest id; `listings` says how many there are. #}
{% macro best_of_cheaper() -%}
lowest as (
    select run_id, scenario, track, task_id, agent, min(cost_key) as cost_key
    from cheaper
    where is_accepted
    group by run_id, scenario, track, task_id, agent
),

best_by_agent as (
    select run_id, scenario, track, task_id, agent, cost_key,
        {{ cost_of('cost_key', 'min(candidate_id)', 'min(num)', 'min(den)') }} as best,
        count(*) as listings
    from cheaper
    inner join lowest using (run_id, scenario, track, task_id, agent, cost_key)
    where is_accepted
    group by run_id, scenario, track, task_id, agent, cost_key
)
{%- endmacro %}

{# The lowest of these: the cheapest that any agent of the pool found. #}
{% macro oracle_of_pool() -%}
    min(best) over (partition by run_id, scenario, track, task_id)
{%- endmacro %}

{# All that cost as little as the best, gathered only where there are several: `tied`. #}
{% macro ties_of_best() -%}
tied as (
    select run_id, scenario, track, task_id, agent,
        {{ join_distinct('cheaper.candidate_id') }} as candidate_ids
    from cheaper
    inner join best_by_agent
        using (run_id, scenario, track, task_id, agent, cost_key)
    where is_accepted and listings > 1
    group by run_id, scenario, track, task_id, agent
)
{%- endmacro %}
