{# What one agent made of one product, from the costs laid side by side in
   int_search_outcome: every amount is one division of two exact whole numbers. #}
{% macro search_outcome_columns() -%}
    study_id,
        run_id,
        scenario,
        track,
        agent,
        model_id,
        task_id,
        position,
        source,
        retailer,
        category,
        kind,
        stratum,
        shop,
        selected_rank,
        basis,
        call_status,
        call_status = 'transport_error' as is_failed,
        scored_tasks,
        ref_num as ref_cost_num,
        ref_den as ref_cost_den,
        best.candidate_id as best_candidate_id,
        best_ties,
        {%- for cost in ['best', 'oracle', 'loo_oracle'] %}
        {{ cost }}.num as {{ cost }}_cost_num,
        {{ cost }}.den as {{ cost }}_cost_den,
        {{ cost }}.num / ({{ cost }}.den * 100) as {{ cost }}_cost,
        {%- endfor %}
        ref_num / (ref_den * 100) as ref_cost,
        {%- for name, cost in {
            'opportunity': 'oracle', 'savings': 'best', 'loo_opportunity': 'loo_oracle',
        }.items() %}
        {%- set gap = saved_by(cost) %}
        {%- set without = 'null' if cost == 'loo_oracle' else '0' %}
        coalesce({{ gap }} / (ref_den::hugeint * {{ cost }}.den * 100), {{ without }})
            as {{ name }},
        -- for the quantity of the reference, so that dollars add to dollars
        coalesce({{ gap }} / ({{ cost }}.den::hugeint * 100), {{ without }})
            as {{ name }}_total_usd,
        {%- endfor %}
        {{ share_of_opportunity('best', 'oracle') }} as capture,
        {{ share_of_opportunity('best', 'loo_oracle') }} as loo_capture,
        {{ share_of_opportunity('best', 'oracle_lo') }} as capture_bound_lo,
        {{ share_of_opportunity('best_possible', 'oracle_hi') }} as capture_bound_hi,
        coalesce(
            {{ saved_by('best') }} / (best.den::hugeint * ref_num), 0
        ) as found,
        best is not null as success,
        coalesce(
            {{ cost_gap('best.num', 'best.den', 'oracle.num', 'oracle.den') }}
            <= tolerance_cents * best.den::hugeint * oracle.den,
            false
        ) as recall,
        coalesce(
            {{ saved_by('oracle') }}
            <= tolerance_cents * ref_den::hugeint * oracle.den,
            false
        ) as is_tiny_opportunity,
        best is not null and loo_oracle is null as only_this_agent,
        best.num as best_outlay_cents
{%- endmacro %}
