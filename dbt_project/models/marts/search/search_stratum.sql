-- grain: run × scenario × track × agent × stratum_kind × stratum
-- the published metrics for the products of a retailer, a category, a size of long-tail
-- store or a place on the best-seller list; small groups carry no interval
{{ require_green('search_estimates') }}
with int_search_outcome as (
    select * from {{ ref('int_search_outcome') }}
),

place_outcomes as (
    {%- for kind, expression in {
        'retailer': 'retailer', 'category': 'category', 'long_tail': 'stratum',
        'list_rank': 'selected_rank::varchar',
    }.items() %}
    select
        '{{ kind }}' as stratum_kind,
        {{ expression }} as stratum_name,
        *
    from int_search_outcome
    where {{ expression }} is not null
    {{ "union all" if not loop.last }}
    {%- endfor %}
),

search_stratum as (
    select
        study_id::varchar as study_id,
        run_id::varchar as run_id,
        scenario::varchar as scenario,
        track::varchar as track,
        agent::varchar as agent,
        stratum_kind::varchar as stratum_kind,
        stratum_name::varchar as stratum,
        model_id::varchar as model_id,
        count(*)::bigint as n,
        count(capture)::bigint as n_opportunity,
        avg(capture)::double as savings_capture,
        avg(found)::double as savings_found,
        avg(success::int)::double as success_rate,
        (avg(recall::int) filter (where capture is not null))::double
            as best_price_recall,
        (sum(savings_total_usd) / nullif(sum(opportunity_total_usd), 0))::double
            as capture_ratio_of_sums
    from place_outcomes
    group by
        study_id, run_id, scenario, track, agent, stratum_kind, stratum_name, model_id
)

select * from search_stratum
