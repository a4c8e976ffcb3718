-- grain: study × statistic × reading, base prompt, two-option answers
-- how far the order of the models by a bootstrapped figure depends on the tasks drawn
-- (Kireyev 2026, section 6)
{{ require_green('hotel_estimates') }}
with est_hotel_bootstrap_rank as (
    select * from {{ ref('est_hotel_bootstrap_rank') }}
),

hotel_rank_stability as (
    select
        study_id::varchar as study_id,
        statistic::varchar as statistic,
        specification::varchar as specification,
        reading::varchar as reading,
        models::bigint as models,
        replicates::bigint as replicates,
        mean_spearman::double as mean_spearman,
        spread::double as spread,
        spread_median::double as spread_median,
        spread_lo::double as spread_lo,
        spread_hi::double as spread_hi,
        spread_undefined_replicates::bigint as spread_undefined_replicates,
        interval_pairs::bigint as interval_pairs,
        disjoint_interval_pairs::bigint as disjoint_interval_pairs
    from est_hotel_bootstrap_rank
)

select * from hotel_rank_stability
