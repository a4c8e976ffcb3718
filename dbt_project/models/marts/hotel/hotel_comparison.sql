-- grain: study × instrument × scope × metric × model a × model b × reading (audited)
-- first minus second model on the pairs of hotels that both answered; Holm runs over
-- the pairs of models of one metric whose status is ok
{{ require_green('hotel_estimates') }}
with est_hotel_comparison as (
    select * from {{ ref('est_hotel_comparison') }}
),

hotel_comparison as (
    select
        study_id::varchar as study_id,
        'hotel'::varchar as instrument,
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
    from est_hotel_comparison
)

select * from hotel_comparison
