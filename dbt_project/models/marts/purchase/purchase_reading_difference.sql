-- grain: study × scope × model × metric
-- each published metric in both readings and what parts them; reason_count has the
-- failed calls of the model, failed_in_cells those of the metric's own cells
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

metric_cell as (
    select * from (
        values
        {%- for metric, labels in purchase_metric_cells().items() %}
        {%- set is_last = loop.last %}
        {%- for label in labels %}
        ('{{ metric }}', '{{ label }}'){{ "," if not (is_last and loop.last) }}
        {%- endfor %}
        {%- endfor %}
    ) as listed (metric, label)
),

count_failed as (
    select study_id, model_id, sum(failed) as failed
    from purchase_cell
    group by study_id, model_id
),

count_failed_in_cells as (
    select
        purchase_cell.study_id,
        purchase_cell.model_id,
        metric_cell.metric,
        sum(purchase_cell.failed) as failed_in_cells
    from purchase_cell
    inner join metric_cell on purchase_cell.label = metric_cell.label
    group by purchase_cell.study_id, purchase_cell.model_id, metric_cell.metric
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
        count_failed.failed,
        coalesce(max(count_failed_in_cells.failed_in_cells), 0) as failed_in_cells
    from purchase_metric
    inner join observed_model
        on purchase_metric.study_id = observed_model.study_id
        and purchase_metric.model_id = observed_model.model_id
    inner join count_failed
        on purchase_metric.study_id = count_failed.study_id
        and purchase_metric.model_id = count_failed.model_id
    left join count_failed_in_cells
        on purchase_metric.study_id = count_failed_in_cells.study_id
        and purchase_metric.model_id = count_failed_in_cells.model_id
        and purchase_metric.metric = count_failed_in_cells.metric
    group by
        purchase_metric.study_id, purchase_metric.model_id, purchase_metric.metric,
        count_failed.failed
),

compare_readings as (
    select
        *,
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
            when failed_in_cells > 0 then 'failed_calls_scored'
            when as_published is null then 'undefined_as_published'
            when audited is null then 'undefined_audited'
            when metric = 'bond_rational' then 'asked_rows_only'
            else 'unpaired_rows'
        end as reason,
        -- readings that agree differ by nothing: what is left are last bits of doubles,
        -- since the published figure is a difference of two rounded shares
        case
            when is_same and audited is not null then 0
            else audited - as_published
        end as difference
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
        case when reason = 'failed_calls_scored' then failed end::bigint
            as reason_count,
        failed_in_cells::bigint as failed_in_cells
    from name_reasons
)

select * from purchase_reading_difference
