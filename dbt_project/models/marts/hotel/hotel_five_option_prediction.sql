-- grain: study × model × reading, five-option answers
-- do tastes estimated on two options predict choices among five? (Kireyev 2026, section
-- 6); both orders of a task share a prediction, so no slot is ever predicted
{{ require_green('hotel_estimates') }}
with est_hotel_five_option_prediction as (
    select * from {{ ref('est_hotel_five_option_prediction') }}
),

hotel_five_option_prediction as (
    select
        study_id::varchar as study_id,
        model_id::varchar as model_id,
        reading::varchar as reading,
        n::bigint as n,
        clusters::bigint as clusters,
        hit_rate::double as hit_rate,
        hit_rate_ci_lo::double as hit_rate_ci_lo,
        hit_rate_ci_hi::double as hit_rate_ci_hi,
        hit_rate_chance::double as hit_rate_chance,
        top_two_rate::double as top_two_rate,
        top_two_rate_ci_lo::double as top_two_rate_ci_lo,
        top_two_rate_ci_hi::double as top_two_rate_ci_hi,
        top_two_rate_chance::double as top_two_rate_chance,
        mean_rank::double as mean_rank,
        mean_rank_ci_lo::double as mean_rank_ci_lo,
        mean_rank_ci_hi::double as mean_rank_ci_hi,
        mean_rank_chance::double as mean_rank_chance,
        log_score::double as log_score,
        log_score_ci_lo::double as log_score_ci_lo,
        log_score_ci_hi::double as log_score_ci_hi,
        log_score_chance::double as log_score_chance,
        cheapest_hit_rate::double as cheapest_hit_rate,
        status::varchar as status
    from est_hotel_five_option_prediction
)

select * from hotel_five_option_prediction
