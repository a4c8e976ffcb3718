-- grain: study × scope × metric × model a × model b × reading
-- agents side by side on the same products, a minus b; the source compares none
{{ require_green('search_estimates') }}
with est_search_comparison as (
    select * from {{ ref('est_search_comparison') }}
),

int_search_run as (
    select * from {{ ref('int_search_run') }}
    where source != 'derived'
),

-- in order of the models' ids, which need not be that of the agents
order_by_model as (
    select
        pair.*,
        least(first.model_id, second.model_id) as model_a,
        greatest(first.model_id, second.model_id) as model_b,
        first.model_id < second.model_id as is_in_order
    from est_search_comparison as pair
    inner join int_search_run as first
        on pair.study_id = first.study_id and pair.agent_a = first.agent
    inner join int_search_run as second
        on pair.study_id = second.study_id and pair.agent_b = second.agent
),

search_comparison as (
    select
        study_id::varchar as study_id,
        'search'::varchar as instrument,
        (track || '/' || scenario)::varchar as scope,
        metric::varchar as metric,
        model_a::varchar as model_a,
        model_b::varchar as model_b,
        'audited'::varchar as reading,
        (case when is_in_order then difference else -difference end)::double
            as difference,
        std_error::double as std_error,
        (case when is_in_order then ci_lo else -ci_hi end)::double as ci_lo,
        (case when is_in_order then ci_hi else -ci_lo end)::double as ci_hi,
        p_value::double as p_value,
        p_adjusted::double as p_adjusted,
        family_tests::bigint as family_tests,
        n_paired::bigint as n_paired,
        smallest_detectable::double as smallest_detectable,
        status::varchar as status
    from order_by_model
)

select * from search_comparison
