-- grain: run × scenario × track × agent × task
-- what each agent made of each product that is scored; costs per unit where the
-- reference is a multipack. Quantities of the audit are columns beside the pooled ones
{{ require_green('search_estimates') }}
with int_search_outcome as (
    select * from {{ ref('int_search_outcome') }}
),

search_outcome as (
    select
        study_id::varchar as study_id,
        run_id::varchar as run_id,
        scenario::varchar as scenario,
        track::varchar as track,
        agent::varchar as agent,
        task_id::varchar as task_id,
        model_id::varchar as model_id,
        position::bigint as position,
        retailer::varchar as retailer,
        category::varchar as category,
        stratum::varchar as stratum,
        basis::varchar as basis,
        call_status::varchar as call_status,
        {%- for cost in ['ref', 'best', 'oracle', 'loo_oracle'] %}
        {{ cost }}_cost::double as {{ cost }}_cost,
        {%- endfor %}
        {%- for name in ['opportunity', 'savings', 'capture', 'found'] %}
        {{ name }}::double as {{ name }},
        {%- endfor %}
        success::boolean as success,
        recall::boolean as recall,
        is_tiny_opportunity::boolean as is_tiny_opportunity,
        best_candidate_id::varchar as best_candidate_id,
        best_ties::varchar as best_ties,
        {%- for cost in ['ref', 'best', 'oracle'] %}
        {{ cost }}_cost_num::bigint as {{ cost }}_cost_num,
        {{ cost }}_cost_den::bigint as {{ cost }}_cost_den,
        {%- endfor %}
        (best_outlay_cents / 100)::double as best_outlay_usd,
        {%- for name in [
            'savings_total_usd', 'opportunity_total_usd', 'loo_opportunity_total_usd',
            'loo_capture', 'capture_bound_lo', 'capture_bound_hi',
        ] %}
        {{ name }}::double as {{ name }},
        {%- endfor %}
        only_this_agent::boolean as only_this_agent
    from int_search_outcome
)

select * from search_outcome
