-- grain: study × reading × model × specification × term (base, two-option price forms)
-- which coefficients stay significant when the whole family of tests is counted
-- (Kireyev 2026, section 6): as published eight tests of each engaged model, audited of
-- each model
{{ require_green('hotel_estimates') }}
with est_hotel_multiplicity as (
    select * from {{ ref('est_hotel_multiplicity') }}
),

hotel_multiplicity as (
    select
        study_id::varchar as study_id,
        reading::varchar as reading,
        model_id::varchar as model_id,
        specification::varchar as specification,
        term::varchar as term,
        claimed::boolean as claimed,
        family_tests::bigint as family_tests,
        p_raw::double as p_raw,
        p_bonferroni::double as p_bonferroni,
        p_holm::double as p_holm,
        p_bh::double as p_bh,
        significant_raw::boolean as significant_raw,
        significant_bonferroni::boolean as significant_bonferroni,
        significant_holm::boolean as significant_holm,
        significant_bh::boolean as significant_bh
    from est_hotel_multiplicity
)

select * from hotel_multiplicity
