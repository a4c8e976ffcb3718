-- grain: study × model × label
-- what became of the decisions of each cell; a cell that was never asked has 0 rows
-- status: whether the cell carries audited figures, by the rule of purchase_metric
{{ require_green('purchase_estimates') }}
with int_purchase_decision as (
    select * from {{ ref('int_purchase_decision') }}
),

label as (
    select * from (
        values
        {%- for label, shown in purchase_labels().items() %}
        ('{{ label }}', '{{ shown }}'){{ "," if not loop.last }}
        {%- endfor %}
    ) as listed (label, label_shown)
),

asked_model as (
    select
        study_id,
        model_id,
        max(bank_scenarios) as bank_scenarios
    from int_purchase_decision
    group by study_id, model_id
),

count_decisions as (
    select
        study_id,
        model_id,
        label,
        count(*) as decisions,
        count(choice) as valid,
        count(*) filter (where choice is null and not is_failed) as invalid,
        count(*) filter (where is_failed) as failed,
        count(distinct scenario_id) filter (where not is_failed) as scenarios,
        avg((coalesce(choice = 'certificate', false))::int)
            filter (where not is_failed) as certificate_share,
        avg(is_optimal::int) filter (where not is_failed) as optimal_share,
        avg(regret_share) filter (where not is_failed) as mean_regret_share,
        avg((coalesce(choice = 'certificate', false))::int)
            as certificate_share_as_published,
        avg(regret_share) as mean_regret_share_as_published
    from int_purchase_decision
    group by study_id, model_id, label
),

purchase_cell as (
    select
        asked_model.study_id::varchar as study_id,
        asked_model.model_id::varchar as model_id,
        label.label::varchar as label,
        label.label_shown::varchar as label_shown,
        coalesce(count_decisions.decisions, 0)::bigint as rows,
        coalesce(count_decisions.valid, 0)::bigint as valid,
        coalesce(count_decisions.invalid, 0)::bigint as invalid,
        coalesce(count_decisions.failed, 0)::bigint as failed,
        coalesce(count_decisions.scenarios, 0)::bigint as scenarios,
        asked_model.bank_scenarios::bigint as bank_scenarios,
        count_decisions.certificate_share::double as certificate_share,
        count_decisions.optimal_share::double as optimal_share,
        count_decisions.mean_regret_share::double as mean_regret_share,
        count_decisions.certificate_share_as_published::double
            as certificate_share_as_published,
        count_decisions.mean_regret_share_as_published::double
            as mean_regret_share_as_published,
        case
            when
                coalesce(count_decisions.decisions - count_decisions.failed, 0)
                < {{ var('purchase_min_decisions') }}
                or coalesce(count_decisions.scenarios, 0)
                < {{ var('purchase_min_scenario_share') }} * asked_model.bank_scenarios
                then 'too_few'
            else 'ok'
        end::varchar as status
    from asked_model
    cross join label
    left join count_decisions
        on asked_model.study_id = count_decisions.study_id
        and asked_model.model_id = count_decisions.model_id
        and label.label = count_decisions.label
)

select * from purchase_cell
