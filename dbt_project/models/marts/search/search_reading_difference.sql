-- grain: study × scope × model × metric
-- each published metric in both readings and what parts them; beside them the ratio of
-- sums against the pooled oracle and against the best of the other agents: how much of
-- a capture depends on who is in the pool
{{ require_green('search_estimates') }}
with est_search_metric as (
    select * from {{ ref('est_search_metric') }}
),

int_search_run as (
    select * from {{ ref('int_search_run') }}
    where not is_excluded and source != 'derived'
),

search_coverage as (
    select * from {{ ref('search_coverage') }}
),

spread_readings as (
    select
        study_id,
        track,
        scenario,
        agent,
        metric,
        max(value) filter (where reading = 'as_published') as as_published,
        max(value) filter (where reading = 'audited') as audited
    from est_search_metric
    group by study_id, track, scenario, agent, metric
    having bool_or(reading = 'as_published')
    union all
    select
        study_id,
        track,
        scenario,
        agent,
        'capture_ratio_of_sums' as metric,
        max(value) filter (where metric = 'capture_ratio_of_sums') as as_published,
        max(value) filter (where metric = 'capture_leave_one_out_ratio_of_sums')
            as audited
    from est_search_metric
    group by study_id, track, scenario, agent
),

compare_readings as (
    select
        spread_readings.*,
        int_search_run.model_id,
        search_coverage.transport_error_count as failed,
        case
            when as_published is null or audited is null
                then as_published is null and audited is null
            else
                abs(audited - as_published)
                <= {{ var('reading_tolerance') }}
                * greatest(abs(audited), abs(as_published))
        end as is_same
    from spread_readings
    inner join int_search_run
        on spread_readings.study_id = int_search_run.study_id
        and spread_readings.agent = int_search_run.agent
    inner join search_coverage
        on int_search_run.run_id = search_coverage.run_id
        and spread_readings.track = search_coverage.track
        and spread_readings.agent = search_coverage.agent
),

name_reasons as (
    select
        *,
        case
            when is_same then null
            when metric = 'capture_ratio_of_sums' then 'pool_dependence'
            when failed > 0 then 'failed_calls_scored'
            when as_published is null then 'undefined_as_published'
            else 'undefined_audited'
        end as reason
    from compare_readings
),

search_reading_difference as (
    select
        study_id::varchar as study_id,
        'search'::varchar as instrument,
        (track || '/' || scenario)::varchar as scope,
        model_id::varchar as model_id,
        metric::varchar as metric,
        as_published::double as as_published,
        audited::double as audited,
        (audited - as_published)::double as difference,
        null::varchar as as_published_label,
        null::varchar as audited_label,
        reason::varchar as reason,
        case when reason = 'failed_calls_scored' then failed end::bigint as reason_count
    from name_reasons
)

select * from search_reading_difference
