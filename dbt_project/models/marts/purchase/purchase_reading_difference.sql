-- grain: study × scope × model × metric
-- each published metric in both readings and what parts them; reason_count says of how
-- many failed calls of the model the reason speaks
{{ require_green('purchase_estimates') }}
with purchase_metric as (
    select * from {{ ref('purchase_metric') }}
),

int_purchase_run as (
    select * from {{ ref('int_purchase_run') }}
    where not is_excluded and source != 'derived'
),

purchase_cell as (
    select * from {{ ref('purchase_cell') }}
),

count_failed as (
    select study_id, model_id, sum(failed) as failed
    from purchase_cell
    group by study_id, model_id
),

observed_model as (
    select distinct study_id, model_id from int_purchase_run
),

spread_readings as (
    select
        purchase_metric.study_id,
        purchase_metric.model_id,
        purchase_metric.metric,
        max(value) filter (where reading = 'as_published') as as_published,
        max(value) filter (where reading = 'audited') as audited,
        bool_or(reading = 'as_published') as is_published,
        count_failed.failed
    from purchase_metric
    inner join observed_model
        on purchase_metric.study_id = observed_model.study_id
        and purchase_metric.model_id = observed_model.model_id
    inner join count_failed
        on purchase_metric.study_id = count_failed.study_id
        and purchase_metric.model_id = count_failed.model_id
    group by
        purchase_metric.study_id, purchase_metric.model_id, purchase_metric.metric,
        count_failed.failed
),

compare_readings as (
    select
        *,
        audited - as_published as difference,
        case
            when as_published is null or audited is null
                then as_published is null and audited is null
            else
                abs(audited - as_published)
                <= {{ var('reading_tolerance') }}
                * greatest(abs(audited), abs(as_published))
        end as is_same
    from spread_readings
    where is_published
),

name_reasons as (
    select
        *,
        case
            when is_same then null
            when failed > 0 and metric != 'bond_rational' then 'failed_calls_scored'
            when as_published is null then 'undefined_as_published'
            when audited is null then 'undefined_audited'
            else 'unpaired_rows'
        end as reason
    from compare_readings
),

purchase_reading_difference as (
    select
        study_id::varchar as study_id,
        'purchase'::varchar as instrument,
        'base'::varchar as scope,
        model_id::varchar as model_id,
        metric::varchar as metric,
        as_published::double as as_published,
        audited::double as audited,
        difference::double as difference,
        null::varchar as as_published_label,
        null::varchar as audited_label,
        reason::varchar as reason,
        case when reason = 'failed_calls_scored' then failed end::bigint as reason_count
    from name_reasons
)

select * from purchase_reading_difference
