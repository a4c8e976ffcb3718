-- grain: run × track
-- how far judges agree, and what a random sample of rulings says of the panel
{{ require_green('search_estimates') }}
with est_search_agreement as (
    select * from {{ ref('est_search_agreement') }}
),

search_agreement as (
    select
        study_id::varchar as study_id,
        run_id::varchar as run_id,
        track::varchar as track,
        fleiss_kappa::double as fleiss_kappa,
        kappa_degenerate::boolean as kappa_degenerate,
        krippendorff_alpha::double as krippendorff_alpha,
        alpha_degenerate::boolean as alpha_degenerate,
        raw_agreement::double as raw_agreement,
        pairwise_agreement::double as pairwise_agreement,
        n::bigint as n,
        seats::bigint as seats,
        complete_count::bigint as complete_count,
        pairable_count::bigint as pairable_count,
        valid_share::double as valid_share,
        ruled_count::bigint as ruled_count,
        overturned_count::bigint as overturned_count,
        sampled_count::bigint as sampled_count,
        panel_sensitivity::double as panel_sensitivity,
        panel_specificity::double as panel_specificity,
        corrected_valid_share::double as corrected_valid_share,
        correction_status::varchar as correction_status
    from est_search_agreement
)

select * from search_agreement
