-- grain: study × model × reading
-- the purchase scorecard; headline: share of best choices without a label, in percent
-- as published, ranks go by the printed headline, then by the printed regret; audited,
-- by paired differences, as intervals that hold for all models of a study at once
{{ require_green('purchase_estimates') }}
with run as (
    select * from {{ ref('int_purchase_run') }}
    where not is_excluded and source != 'derived'
),

purchase_metric as (
    select * from {{ ref('purchase_metric') }}
),

purchase_cell as (
    select * from {{ ref('purchase_cell') }}
),

purchase_cost as (
    select * from {{ ref('purchase_cost') }}
),

est_purchase_rank as (
    select * from {{ ref('est_purchase_rank') }}
),

int_purchase_decision as (
    select * from {{ ref('int_purchase_decision') }}
),

describe_runs as (
    select
        study_id,
        model_id,
        min(source) as source,
        min(bank_sha256) as bank_sha256,
        max(run_date) as run_date,
        {{ join_distinct('settings_label') }} as settings_label
    from run
    group by study_id, model_id
),

count_providers as (
    select study_id, model_id, coalesce(provider, 'none') as provider, count(*) as n
    from int_purchase_decision
    group by study_id, model_id, coalesce(provider, 'none')
),

list_providers as (
    select
        study_id,
        model_id,
        {{ join_in_order("provider || ' ' || n", 'n desc, provider') }}
            as providers_served
    from count_providers
    group by study_id, model_id
),

count_rows as (
    select
        study_id,
        model_id,
        sum(rows) as answers,
        sum(invalid) as invalid_count,
        sum(failed) as failed_count,
        max(scenarios) filter (where label = 'none') as scenarios,
        max(bank_scenarios) as bank_scenarios
    from purchase_cell
    group by study_id, model_id
),

{%- set metrics = purchase_metrics() %}

spread_metrics as (
    select
        study_id,
        model_id,
        reading,
        {%- for part in ['ci_lo', 'ci_hi', 'n', 'status'] %}
        max({{ part }}) filter (where metric = 'optimal_pct') as {{ part }},
        {%- endfor %}
        {%- for metric in metrics %}
        max(value) filter (where metric = '{{ metric }}') as {{ metric | lower }},
        max(status) filter (where metric = '{{ metric }}')
            as {{ metric | lower }}_status{{ "," if not loop.last }}
        {%- endfor %}
    from purchase_metric
    group by study_id, model_id, reading
),

rank_as_published as (
    select
        spread_metrics.*,
        rank() over (
            partition by study_id, reading, status
            order by {{ as_printed('optimal_pct', 3) }} desc,
                {{ as_printed('regret_pct_v', 3) }}
        ) as published_rank
    from spread_metrics
    inner join describe_runs using (study_id, model_id)
),

purchase_board as (
    select
        describe_runs.study_id::varchar as study_id,
        describe_runs.model_id::varchar as model_id,
        'purchase'::varchar as instrument,
        ranked.reading::varchar as reading,
        'base'::varchar as scope,
        'optimal_pct'::varchar as headline,
        ranked.optimal_pct::double as value,
        ranked.ci_lo::double as ci_lo,
        ranked.ci_hi::double as ci_hi,
        {%- for end in ['lo', 'hi'] %}
        case
            when ranked.status != 'ok' then null
            when ranked.reading = 'as_published' then ranked.published_rank
            else est_purchase_rank.rank_{{ end }}
        end::double as rank_{{ end }},
        {%- endfor %}
        ranked.status::varchar as status,
        ranked.n::bigint as n,
        (count_rows.failed_count::double / nullif(count_rows.answers, 0))::double
            as failed_share,
        purchase_cost.usd_spent::decimal(18, 9) as cost_usd,
        describe_runs.run_date::date as run_date,
        describe_runs.settings_label::varchar as settings_label,
        list_providers.providers_served::varchar as providers_served,
        describe_runs.bank_sha256::varchar as bank_sha256,
        describe_runs.source::varchar as source,
        purchase_cost.usd_per_1000_decisions::double as usd_per_1000_decisions,
        (1000 * purchase_cost.usd_per_answer)::double as usd_per_1000_answers,
        {%- for metric in metrics if metric != 'optimal_pct' %}
        ranked.{{ metric | lower }}::double as {{ metric | lower }},
        ranked.{{ metric | lower }}_status::varchar as {{ metric | lower }}_status,
        {%- endfor %}
        count_rows.answers::bigint as answers,
        count_rows.invalid_count::bigint as invalid_count,
        count_rows.failed_count::bigint as failed_count,
        count_rows.scenarios::bigint as scenarios,
        count_rows.bank_scenarios::bigint as bank_scenarios
    from describe_runs
    inner join rank_as_published as ranked using (study_id, model_id)
    inner join count_rows using (study_id, model_id)
    left join purchase_cost using (study_id, model_id)
    left join list_providers using (study_id, model_id)
    left join est_purchase_rank using (study_id, model_id)
)

select * from purchase_board
