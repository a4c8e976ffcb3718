{# Parts of search_coverage. #}

{# What a call can end as. #}
{% macro search_call_statuses() -%}
    {{ return([
        'ok', 'empty', 'refused', 'unparsable', 'truncated', 'transport_error',
    ]) }}
{%- endmacro %}

{# Counts over the candidates of an agent; all but self_matches leave the reference
   itself out. #}
{% macro search_candidate_counts() -%}
    count(*) filter (where is_self_match) as self_matches,
        {%- for name, condition in {
            'accepted_candidates': "is_accepted",
            'valid_candidates': "panel_verdict = 'valid'",
            'no_majority_candidates': "panel_verdict = 'no_majority'",
            'unresolved_candidates': "validity = 'no_majority'",
            'unjudged_candidates':
                "n_valid + n_invalid = 0 and validity = 'no_majority'",
            'verified_candidates': "status = 'verified'",
            'rejected_candidates': "status = 'rejected'",
            'unverifiable_candidates':
                "status in ('temporarily_unverifiable', 'needs_human')",
            'unaudited_candidates': "not is_audited",
            'ruled_candidates': "is_ruled",
            'overturned_candidates': "is_overturned",
        }.items() %}
        count(*) filter (where not is_self_match and {{ condition }}) as {{ name }}
        {{- "," if not loop.last }}
        {%- endfor %}
{%- endmacro %}

{% macro search_coverage_columns() -%}
    run.study_id::varchar as study_id,
        run_id::varchar as run_id,
        track::varchar as track,
        agent::varchar as agent,
        run.model_id::varchar as model_id,
        tasks::bigint as tasks,
        void_tasks::bigint as void_tasks,
        unpriced_tasks::bigint as unpriced_tasks,
        calls::bigint as calls,
        (scored_tasks - scored_calls)::bigint as unasked_tasks,
        {%- for status in search_call_statuses() %}
        {{ status }}_count::bigint as {{ status }}_count,
        {%- endfor %}
        {%- for name in [
            'listings', 'unpooled_listings', 'listings_dropped', 'price_mismatches',
            'negative_claims', 'candidates', 'self_matches', 'accepted_candidates',
            'valid_candidates',
            'no_majority_candidates', 'unresolved_candidates', 'unjudged_candidates',
            'verified_candidates', 'rejected_candidates', 'unverifiable_candidates',
            'unaudited_candidates', 'ruled_candidates', 'overturned_candidates',
        ] %}
        coalesce({{ name }}, 0)::bigint as {{ name }},
        {%- endfor %}
        {%- for name in ['unverifiable', 'valid'] %}
        ({{ name }}_candidates / nullif(candidates - self_matches, 0))::double
            as {{ name }}_share,
        {%- endfor %}
        -- as corrected_share of models/search_agreement.py: unknown where the errors are
        -- unknown or the panel guesses (least and greatest pass over a null)
        case
            when candidates > self_matches
                and panel.panel_sensitivity + panel.panel_specificity > 1
                then least(greatest(
                    (valid_candidates / (candidates - self_matches)
                        + panel.panel_specificity - 1)
                    / (panel.panel_sensitivity + panel.panel_specificity - 1), 0
                ), 1)
        end::double as corrected_valid_share,
        coalesce(panel.correction_status, 'too_few')::varchar as correction_status
{%- endmacro %}
