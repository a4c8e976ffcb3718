-- grain: study × reading × axis × measure × subset (base, two-option log form)
-- do more capable models decide more sharply, and value quality more? (Kireyev 2026,
-- section 6): audited also net of what the slot alone explains
{{ require_green('hotel_estimates') }}
with est_hotel_capability_correlation as (
    select * from {{ ref('est_hotel_capability_correlation') }}
),

hotel_capability_correlation as (
    select
        study_id::varchar as study_id,
        reading::varchar as reading,
        axis::varchar as axis,
        measure::varchar as measure,
        subset::varchar as subset,
        scored_models::bigint as scored_models,
        n::bigint as n,
        pearson_r::double as pearson_r,
        pearson_p::double as pearson_p,
        pearson_p_holm::double as pearson_p_holm,
        spearman_rho::double as spearman_rho,
        spearman_p::double as spearman_p,
        spearman_p_holm::double as spearman_p_holm,
        status::varchar as status
    from est_hotel_capability_correlation
)

select * from hotel_capability_correlation
