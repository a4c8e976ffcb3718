-- Which agent's wins depend on who else is in the pool?
-- One row per study, track and agent: its share of the savings that any agent of the
-- pool found, itself included; the median of what it saves against the best of the
-- others (above 1: better than all of them together); the products that only it found
-- cheaper, where its own find is the whole yardstick; and the rank it would lose or
-- gain if each agent were measured against the others alone.
with figure as (
    select
        study_id,
        run_id,
        track,
        agent,
        model_id,
        max(value) filter (where metric = 'savings_capture') as capture,
        max(value) filter (where metric = 'capture_leave_one_out_median')
            as against_others,
        max(value) filter (where metric = 'only_this_agent_count') as alone,
        max(n) filter (where metric = 'savings_capture') as products,
        max(status) filter (where metric = 'capture_leave_one_out_median') as status
    from {{ ref('search_metric') }}
    where reading = 'audited' and scenario = 'base'
    group by study_id, run_id, track, agent, model_id
),

ranked as (
    select
        *,
        rank() over (
            partition by study_id, track order by capture desc nulls last
        ) as rank_in_pool,
        rank() over (
            partition by study_id, track order by against_others desc nulls last
        ) as rank_against_others
    from figure
)

select
    model.display_name,
    ranked.study_id,
    ranked.track,
    ranked.capture,
    ranked.against_others,
    ranked.alone as products_only_it_found,
    ranked.products,
    ranked.rank_in_pool,
    ranked.rank_against_others,
    ranked.status
from ranked
inner join {{ ref('model') }} as model on ranked.model_id = model.model_id
order by
    ranked.study_id,
    ranked.track desc,
    abs(ranked.rank_in_pool - ranked.rank_against_others) desc,
    ranked.rank_in_pool,
    model.display_name
