-- grain: study × model × reading × scope
-- the search scorecard; headline: mean share of the savings that the pool found, on the
-- exact track and, as a second scope, the equivalent one; audited ranks are intervals
-- that hold for all agents of a track at once
{{ require_green('search_estimates') }}
with run as (
    select * from {{ ref('int_search_run') }}
    where not is_excluded and source != 'derived'
),

est_search_metric as (
    select * from {{ ref('est_search_metric') }}
    where scenario = 'base'
),

est_search_rank as (
    select * from {{ ref('est_search_rank') }}
    where scenario = 'base'
),

search_cost as (
    select * from {{ ref('search_cost') }}
),

search_coverage as (
    select * from {{ ref('search_coverage') }}
),

stg_search_agent as (
    select * from {{ ref('stg_search_agent') }}
),

{%- set metrics = [
    'savings_capture', 'savings_found', 'success_rate', 'best_price_recall',
    'capture_ratio_of_sums', 'capture_bound_lo', 'capture_bound_hi',
    'capture_leave_one_out_median', 'only_this_agent_count',
] %}

spread_metrics as (
    select
        study_id,
        track,
        agent,
        reading,
        {%- for part in ['ci_lo', 'ci_hi', 'n', 'status'] %}
        max({{ part }}) filter (where metric = 'savings_capture') as {{ part }},
        {%- endfor %}
        {%- for metric in metrics %}
        max(value) filter (where metric = '{{ metric }}') as {{ metric }},
        max(status) filter (where metric = '{{ metric }}')
            as {{ metric }}_status{{ "," if not loop.last }}
        {%- endfor %}
    from est_search_metric
    group by study_id, track, agent, reading
),

rank_as_published as (
    select
        spread_metrics.*,
        rank() over (
            partition by study_id, track, reading, status
            order by savings_capture desc
        ) as published_rank
    from spread_metrics
),

search_board as (
    select
        run.study_id::varchar as study_id,
        run.model_id::varchar as model_id,
        'search'::varchar as instrument,
        ranked.reading::varchar as reading,
        (ranked.track || '/base')::varchar as scope,
        'savings_capture'::varchar as headline,
        ranked.savings_capture::double as value,
        ranked.ci_lo::double as ci_lo,
        ranked.ci_hi::double as ci_hi,
        {%- for end in ['lo', 'hi'] %}
        case
            when ranked.status != 'ok' then null
            when ranked.reading = 'as_published' then ranked.published_rank
            else est_search_rank.rank_{{ end }}
        end::double as rank_{{ end }},
        {%- endfor %}
        ranked.status::varchar as status,
        ranked.n::bigint as n,
        (coverage.tasks - coverage.void_tasks - coverage.unpriced_tasks)::bigint
            as products,
        (coverage.transport_error_count / coverage.calls)::double as failed_share,
        cost.cost_usd::decimal(18, 9) as cost_usd,
        run.run_date::date as run_date,
        run.settings_label::varchar as settings_label,
        run.providers_served::varchar as providers_served,
        run.bank_sha256::varchar as bank_sha256,
        stg_search_agent.prompt_sha256::varchar as prompt_sha256,
        run.source::varchar as source,
        run.run_id::varchar as run_id,
        ranked.agent::varchar as agent,
        {%- for metric in metrics if metric != 'savings_capture' %}
        ranked.{{ metric }}::double as {{ metric }},
        ranked.{{ metric }}_status::varchar as {{ metric }}_status,
        {%- endfor %}
        coverage.calls::bigint as answers,
        (
            coverage.refused_count + coverage.unparsable_count
            + coverage.truncated_count
        )::bigint as invalid_count,
        coverage.transport_error_count::bigint as failed_count,
        (coverage.unjudged_candidates + coverage.unpooled_listings)::bigint
            as unjudged_pages,
        coverage.unverifiable_candidates::bigint as unverifiable_candidates,
        coverage.unverifiable_share::double as unverifiable_share,
        cost.usd_per_100_products::double as usd_per_100_products,
        cost.median_latency_s::double as median_latency_s
    from rank_as_published as ranked
    inner join run on ranked.study_id = run.study_id and ranked.agent = run.agent
    inner join search_coverage as coverage
        on run.run_id = coverage.run_id
        and ranked.track = coverage.track
        and ranked.agent = coverage.agent
    inner join search_cost as cost
        on run.run_id = cost.run_id
        and ranked.track = cost.track
        and ranked.agent = cost.agent
    inner join stg_search_agent
        on run.run_id = stg_search_agent.run_id
        and ranked.track = stg_search_agent.track
        and ranked.agent = stg_search_agent.agent
    left join est_search_rank
        on ranked.study_id = est_search_rank.study_id
        and ranked.track = est_search_rank.track
        and ranked.agent = est_search_rank.agent
)

select * from search_board
