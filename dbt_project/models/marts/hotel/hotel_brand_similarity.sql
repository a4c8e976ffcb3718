-- grain: study × reading × specification (base, two-option brand fits)
-- are the chain tastes of models of one provider more alike than those of two? (Kireyev
-- 2026, section 5.4): engaged models and the published generator as published, all
-- models and p with the observed division counted audited
{{ require_green('hotel_estimates') }}
with est_hotel_brand_similarity as (
    select * from {{ ref('est_hotel_brand_similarity') }}
),

hotel_brand_similarity as (
    select
        study_id::varchar as study_id,
        reading::varchar as reading,
        specification::varchar as specification,
        models::bigint as models,
        models_left_out::bigint as models_left_out,
        all_brands_positive_models::bigint as all_brands_positive_models,
        within_pairs::bigint as within_pairs,
        across_pairs::bigint as across_pairs,
        skipped_pairs::bigint as skipped_pairs,
        within_r::double as within_r,
        across_r::double as across_r,
        gap::double as gap,
        permutations::bigint as permutations,
        at_least_as_large::bigint as at_least_as_large,
        p_value::double as p_value,
        null_sd::double as null_sd,
        null_p05::double as null_p05,
        null_p50::double as null_p50,
        null_p95::double as null_p95,
        status::varchar as status
    from est_hotel_brand_similarity
)

select * from hotel_brand_similarity
