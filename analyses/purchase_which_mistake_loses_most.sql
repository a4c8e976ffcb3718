-- Which mistake loses a model most of what is at stake?
-- One row per study and model, without a label and without failed calls: the mean loss
-- in percent of the value and its parts, which add up to it (not buying where buying is
-- best, buying where it is not, buying the wrong thing, replies without a choice), what
-- a wrong decision loses on average, of how much of the bank this is, and what a
-- thousand replies cost.
with loss as (
    select
        decision.study_id,
        decision.model_id,
        decision.scenario_id,
        decision.bank_scenarios,
        decision.regret_share,
        decision.is_optimal,
        case
            when decision.is_optimal then 'none'
            when decision.choice is null then 'unread'
            when not decision.bought then 'underbought'
            when not decision.buy_optimal then 'overbought'
            else 'misbought'
        end as mistake
    from {{ ref('int_purchase_decision') }} as decision
    where decision.label = 'none'
        and not decision.is_failed
        and decision.source != 'derived'
),

add_up as (
    select
        study_id,
        model_id,
        count(distinct scenario_id) as scenarios,
        max(bank_scenarios) as bank_scenarios,
        count(*) as decisions,
        count(*) filter (where not is_optimal) as mistakes,
        100 * avg(regret_share) as lost_pct,
        100 * coalesce(sum(regret_share) filter (where mistake = 'underbought'), 0)
        / count(*) as underbought_pct,
        100 * coalesce(sum(regret_share) filter (where mistake = 'overbought'), 0)
        / count(*) as overbought_pct,
        100 * coalesce(sum(regret_share) filter (where mistake = 'misbought'), 0)
        / count(*) as misbought_pct,
        100 * coalesce(sum(regret_share) filter (where mistake = 'unread'), 0)
        / count(*) as unread_pct,
        100 * avg(regret_share) filter (where not is_optimal) as lost_by_a_mistake_pct
    from loss
    group by study_id, model_id
)

select
    model.display_name,
    add_up.study_id,
    add_up.scenarios,
    add_up.bank_scenarios,
    add_up.decisions,
    add_up.mistakes,
    add_up.lost_pct,
    add_up.underbought_pct,
    add_up.overbought_pct,
    add_up.misbought_pct,
    add_up.unread_pct,
    add_up.lost_by_a_mistake_pct,
    1000 * purchase_cost.usd_per_answer as usd_per_1000_answers
from add_up
inner join {{ ref('model') }} as model on add_up.model_id = model.model_id
left join {{ ref('purchase_cost') }} as purchase_cost
    on add_up.study_id = purchase_cost.study_id
    and add_up.model_id = purchase_cost.model_id
order by add_up.study_id, add_up.lost_pct, model.display_name
