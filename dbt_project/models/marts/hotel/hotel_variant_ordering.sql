-- grain: study × reading × variant × statistic (two-option tasks, log form)
-- does another prompt leave the order of models as it was? (Kireyev 2026, section 6)
{{ require_green('hotel_estimates') }}
with est_hotel_variant_ordering as (
    select * from {{ ref('est_hotel_variant_ordering') }}
),

hotel_variant_ordering as (
    select
        study_id::varchar as study_id,
        reading::varchar as reading,
        variant::varchar as variant,
        statistic::varchar as statistic,
        n::bigint as n,
        spearman_rho::double as spearman_rho,
        spearman_p::double as spearman_p,
        status::varchar as status
    from est_hotel_variant_ordering
)

select * from hotel_variant_ordering
