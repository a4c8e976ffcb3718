-- grain: study × model × statistic × reading, base prompt, two-option answers
-- percentile intervals and ranks from the same resamples of hotel pairs for all models
-- as published (Kireyev 2026, section 6): 500 draws of the log form; audited: 2,000 of
-- both forms
{{ require_green('hotel_estimates') }}
with est_hotel_bootstrap as (
    select * from {{ ref('est_hotel_bootstrap') }}
),

est_hotel_bootstrap_rank as (
    select * from {{ ref('est_hotel_bootstrap_rank') }}
),

list_models as (
    select
        study_id,
        reading,
        statistic,
        {{ unnest_lists({
            'model_id': 'model_id', 'model_status': 'model_status', 'rank': 'rank',
            'rank_lo': 'rank_lo', 'rank_hi': 'rank_hi', 'first_share': 'first_share',
            'bottom_two_share': 'bottom_two_share',
            'bottom_three_share': 'bottom_three_share',
        }) }}
    from est_hotel_bootstrap_rank
),

hotel_bootstrap as (
    select
        est_hotel_bootstrap.study_id::varchar as study_id,
        est_hotel_bootstrap.model_id::varchar as model_id,
        est_hotel_bootstrap.statistic::varchar as statistic,
        est_hotel_bootstrap.specification::varchar as specification,
        est_hotel_bootstrap.reading::varchar as reading,
        est_hotel_bootstrap.point::double as point,
        est_hotel_bootstrap.ci_lo::double as ci_lo,
        est_hotel_bootstrap.ci_hi::double as ci_hi,
        est_hotel_bootstrap.replicates::bigint as replicates,
        est_hotel_bootstrap.failed_replicates::bigint as failed_replicates,
        est_hotel_bootstrap.separated_replicates::bigint as separated_replicates,
        list_models.rank::double as rank,
        list_models.rank_lo::double as rank_lo,
        list_models.rank_hi::double as rank_hi,
        list_models.first_share::double as first_share,
        list_models.bottom_two_share::double as bottom_two_share,
        list_models.bottom_three_share::double as bottom_three_share,
        list_models.model_status::varchar as status
    from est_hotel_bootstrap
    left join list_models
        on est_hotel_bootstrap.study_id = list_models.study_id
        and est_hotel_bootstrap.model_id = list_models.model_id
        and est_hotel_bootstrap.reading = list_models.reading
        and est_hotel_bootstrap.statistic = list_models.statistic
)

select * from hotel_bootstrap
