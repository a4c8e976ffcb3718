-- Which published conclusions about labels rest on failed calls?
-- One row per study, model and effect with a failed call in its two cells: the
-- published effect, how many of its decisions are failed calls scored as a skip, and
-- the effect over the questions (run, scenario, repeat) that both cells answered, with
-- the audited status.
with effect as (
    select * from (
        values
        ('badge_effect', 'D', 'none'),
        ('verified_minus_badge', 'A', 'D'),
        ('bond_shift', 'B', 'A')
    ) as listed (metric, label, other_label)
),

count_failed as (
    select
        purchase_cell.study_id,
        purchase_cell.model_id,
        effect.metric,
        sum(purchase_cell.failed) as failed_calls,
        sum(purchase_cell.rows) as decisions
    from {{ ref('purchase_cell') }} as purchase_cell
    inner join effect
        on purchase_cell.label in (effect.label, effect.other_label)
    group by purchase_cell.study_id, purchase_cell.model_id, effect.metric
),

answered as (
    select
        study_id,
        model_id,
        run_id,
        scenario_id,
        repeat,
        label,
        coalesce(choice = 'certificate', false)::int as certificates
    from {{ ref('int_purchase_decision') }}
    where not is_failed
),

pair_answers as (
    select
        answered.study_id,
        answered.model_id,
        effect.metric,
        count(*) as pairs,
        count(distinct answered.scenario_id) as scenarios,
        avg(answered.certificates - other.certificates) as paired_difference
    from effect
    inner join answered on effect.label = answered.label
    inner join answered as other
        on effect.other_label = other.label
        and answered.study_id = other.study_id
        and answered.model_id = other.model_id
        and answered.run_id = other.run_id
        and answered.scenario_id = other.scenario_id
        and answered.repeat = other.repeat
    group by answered.study_id, answered.model_id, effect.metric
)

select
    model.display_name,
    count_failed.study_id,
    count_failed.metric,
    published.value as as_published,
    published.ci_lo > 0 or published.ci_hi < 0 as published_as_real,
    count_failed.failed_calls,
    count_failed.decisions,
    coalesce(pair_answers.pairs, 0) as pairs,
    coalesce(pair_answers.scenarios, 0) as scenarios,
    pair_answers.paired_difference,
    audited.status as audited_status
from count_failed
inner join {{ ref('model') }} as model on count_failed.model_id = model.model_id
inner join {{ ref('purchase_metric') }} as published
    on count_failed.study_id = published.study_id
    and count_failed.model_id = published.model_id
    and count_failed.metric = published.metric
    and published.reading = 'as_published'
inner join {{ ref('purchase_metric') }} as audited
    on count_failed.study_id = audited.study_id
    and count_failed.model_id = audited.model_id
    and count_failed.metric = audited.metric
    and audited.reading = 'audited'
left join pair_answers
    on count_failed.study_id = pair_answers.study_id
    and count_failed.model_id = pair_answers.model_id
    and count_failed.metric = pair_answers.metric
where count_failed.failed_calls > 0
order by
    count_failed.study_id,
    abs(published.value - pair_answers.paired_difference) desc nulls last,
    model.display_name,
    count_failed.metric
