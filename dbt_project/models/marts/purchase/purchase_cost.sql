-- grain: study × model
-- what asking cost: as published, means over the unlabelled decisions with what a call
-- does not state taken as 0; per answer, means over those that brought a reply
{{ require_green('purchase_estimates') }}
with int_purchase_decision as (
    select * from {{ ref('int_purchase_decision') }}
),

int_purchase_run as (
    select * from {{ ref('int_purchase_run') }}
    where not is_excluded
),

total_by_model as (
    select
        study_id,
        model_id,
        count(*) filter (where label = 'none') as decisions,
        count(*) filter (where label = 'none' and not is_failed) as answers,
        {%- for column in ['cost_usd', 'reasoning_tokens', 'secs'] %}
        count({{ column }}) > 0 as has_{{ column }},
        (sum({{ column }}) filter (where label = 'none'))::double as {{ column }},
        (sum({{ column }}) filter (where label = 'none' and not is_failed))::double
            as answered_{{ column }},
        {%- endfor %}
        sum(cost_usd) as usd_total
    from int_purchase_decision
    group by study_id, model_id
),

total_by_run as (
    select study_id, model_id, sum(cost_usd) as usd_spent
    from int_purchase_run
    group by study_id, model_id
),

average_by_model as (
    select
        *,
        {%- for column in ['cost_usd', 'reasoning_tokens', 'secs'] %}
        case when has_{{ column }} then coalesce({{ column }}, 0) end
        / nullif(decisions, 0) as mean_{{ column }},
        answered_{{ column }} / nullif(answers, 0) as answer_{{ column }}
        {{- "," if not loop.last }}
        {%- endfor %}
    from total_by_model
),

purchase_cost as (
    select
        average_by_model.study_id::varchar as study_id,
        average_by_model.model_id::varchar as model_id,
        average_by_model.decisions::bigint as decisions,
        average_by_model.answers::bigint as answers,
        average_by_model.mean_cost_usd::double as usd_per_decision,
        (1000 * average_by_model.mean_cost_usd)::double as usd_per_1000_decisions,
        average_by_model.usd_total::decimal(18, 9) as usd_total,
        total_by_run.usd_spent::decimal(18, 9) as usd_spent,
        average_by_model.mean_reasoning_tokens::double as reasoning_tokens_per_decision,
        average_by_model.mean_secs::double as secs_per_decision,
        average_by_model.answer_cost_usd::double as usd_per_answer,
        average_by_model.answer_reasoning_tokens::double as reasoning_tokens_per_answer,
        average_by_model.answer_secs::double as secs_per_answer
    from average_by_model
    left join total_by_run
        on average_by_model.study_id = total_by_run.study_id
        and average_by_model.model_id = total_by_run.model_id
)

select * from purchase_cost
