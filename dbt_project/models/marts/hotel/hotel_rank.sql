-- grain: study × model × metric × reading (audited), base prompt, two-option answers
-- order of the models on a figure, with intervals that hold for all models at once:
-- models that cannot be told apart share ranks (Mogstad and others 2024); no rank is
-- better than another
{{ require_green('hotel_estimates') }}
with est_hotel_rank as (
    select * from {{ ref('est_hotel_rank') }}
),

hotel_rank as (
    select
        study_id::varchar as study_id,
        model_id::varchar as model_id,
        metric::varchar as metric,
        reading::varchar as reading,
        estimate::double as estimate,
        rank::bigint as rank,
        rank_lo::bigint as rank_lo,
        rank_hi::bigint as rank_hi,
        ranked_models::bigint as ranked_models,
        smallest_detectable::double as smallest_detectable,
        status::varchar as status
    from est_hotel_rank
)

select * from hotel_rank
