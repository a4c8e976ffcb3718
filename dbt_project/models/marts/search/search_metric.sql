-- grain: run × scenario × track × agent × metric × reading
-- the five published metrics in both readings, and those that only the audit has
{{ require_green('search_estimates') }}
with est_search_metric as (
    select * from {{ ref('est_search_metric') }}
),

int_search_run as (
    select * from {{ ref('int_search_run') }}
),

search_metric as (
    select
        est_search_metric.study_id::varchar as study_id,
        int_search_run.run_id::varchar as run_id,
        est_search_metric.scenario::varchar as scenario,
        est_search_metric.track::varchar as track,
        est_search_metric.agent::varchar as agent,
        est_search_metric.metric::varchar as metric,
        est_search_metric.reading::varchar as reading,
        int_search_run.model_id::varchar as model_id,
        {%- for figure in [
            'value', 'ci_lo', 'ci_hi', 'wilson_lo', 'wilson_hi', 'zero_as_one',
            'zero_as_zero',
        ] %}
        est_search_metric.{{ figure }}::double as {{ figure }},
        {%- endfor %}
        est_search_metric.n::bigint as n,
        est_search_metric.replicates::bigint as replicates,
        est_search_metric.undefined_replicates::bigint as undefined_replicates,
        est_search_metric.status::varchar as status
    from est_search_metric
    inner join int_search_run
        on est_search_metric.study_id = int_search_run.study_id
        and est_search_metric.agent = int_search_run.agent
)

select * from search_metric
