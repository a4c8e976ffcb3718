-- grain: study × model × label × optimal × chosen
-- what was chosen where what was best; replies without a choice are kinds of their own
{{ require_green('purchase_estimates') }}
with int_purchase_decision as (
    select * from {{ ref('int_purchase_decision') }}
),

purchase_choice_mix as (
    select
        study_id::varchar as study_id,
        model_id::varchar as model_id,
        label::varchar as label,
        optimal::varchar as optimal,
        category::varchar as chosen,
        count(*)::bigint as n
    from int_purchase_decision
    group by study_id, model_id, label, optimal, category
)

select * from purchase_choice_mix
