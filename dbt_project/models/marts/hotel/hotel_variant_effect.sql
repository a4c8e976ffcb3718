-- grain: study × reading × model × variant × statistic (two-option tasks, log form)
-- what another prompt or temperature does to a model's tastes (Kireyev 2026, section
-- 6): as published as if the runs had answered different tasks, audited pair by pair
{{ require_green('hotel_estimates') }}
with est_hotel_variant_effect as (
    select * from {{ ref('est_hotel_variant_effect') }}
),

hotel_variant_effect as (
    select
        study_id::varchar as study_id,
        reading::varchar as reading,
        model_id::varchar as model_id,
        variant::varchar as variant,
        statistic::varchar as statistic,
        method::varchar as method,
        estimate::double as estimate,
        base_estimate::double as base_estimate,
        difference::double as difference,
        std_error::double as std_error,
        ci_lo::double as ci_lo,
        ci_hi::double as ci_hi,
        z::double as z,
        p_value::double as p_value,
        p_holm::double as p_holm,
        n_paired::bigint as n_paired,
        smallest_detectable::double as smallest_detectable,
        status::varchar as status
    from est_hotel_variant_effect
)

select * from hotel_variant_effect
