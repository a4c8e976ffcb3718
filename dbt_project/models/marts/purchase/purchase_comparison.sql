-- grain: study × metric × model a × model b × reading
-- models side by side on the same scenarios, a minus b; the source compares none
{{ require_green('purchase_estimates') }}
with est_purchase_comparison as (
    select * from {{ ref('est_purchase_comparison') }}
),

purchase_comparison as (
    select
        study_id::varchar as study_id,
        'purchase'::varchar as instrument,
        'base'::varchar as scope,
        metric::varchar as metric,
        model_a::varchar as model_a,
        model_b::varchar as model_b,
        reading::varchar as reading,
        difference::double as difference,
        std_error::double as std_error,
        ci_lo::double as ci_lo,
        ci_hi::double as ci_hi,
        p_value::double as p_value,
        p_adjusted::double as p_adjusted,
        family_tests::bigint as family_tests,
        n_paired::bigint as n_paired,
        smallest_detectable::double as smallest_detectable,
        status::varchar as status
    from est_purchase_comparison
)

select * from purchase_comparison
