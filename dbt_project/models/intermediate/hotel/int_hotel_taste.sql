-- grain: study × reading × model, base prompt
-- what second-stage analyses compare models by: decisiveness, price slope and worth of
-- a review point in the two-option log form, and who takes part in which reading
-- net_pseudo_r2 leaves out what the slot alone explains: a model with a slot term and
-- nothing else has the shares of the two slots as its choice probabilities
{{ require_green('hotel_estimates') }}
with hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base' and block = 'binary' and specification = 'log'
        and term = 'log_price'
),

hotel_fit as (
    select * from {{ ref('hotel_fit') }}
    where variant = 'base' and block = 'binary' and specification = 'log'
),

hotel_wtp as (
    select * from {{ ref('hotel_wtp') }}
    where attribute = 'review_score' and specification = 'log'
),

hotel_first_shown as (
    select * from {{ ref('hotel_first_shown') }}
    where variant = 'base'
),

slot_alone as (
    select
        study_id,
        model_id,
        reading,
        -- 1 - log likelihood / log likelihood of equal shares
        1 - (
            {{ x_log_x('slot1_share') }} + {{ x_log_x('slot2_share') }}
        ) / ln(0.5) as pseudo_r2
    from hotel_first_shown
    where format = 'binary' and reading = 'audited' and n > 0
),

int_hotel_taste as (
    select
        hotel_fit.study_id,
        hotel_fit.reading,
        hotel_fit.model_id,
        -- a lock takes no model out of an audited comparison
        hotel_fit.reading = 'audited' or coalesce(triage.verdict = 'engaged', false)
            as engaged,
        coalesce(hotel_wtp.well_identified, false) as well_identified,
        hotel_fit.pseudo_r2,
        hotel_fit.pseudo_r2 - slot_alone.pseudo_r2 as net_pseudo_r2,
        hotel_coefficient.estimate as log_price,
        hotel_coefficient.p_value as log_price_p_value,
        hotel_wtp.wtp_usd,
        hotel_coefficient.status
    from hotel_fit
    inner join hotel_coefficient
        on hotel_fit.study_id = hotel_coefficient.study_id
        and hotel_fit.model_id = hotel_coefficient.model_id
        and hotel_fit.reading = hotel_coefficient.reading
    left join hotel_wtp
        on hotel_fit.study_id = hotel_wtp.study_id
        and hotel_fit.model_id = hotel_wtp.model_id
        and hotel_fit.reading = hotel_wtp.reading
    left join hotel_first_shown as triage
        on hotel_fit.study_id = triage.study_id
        and hotel_fit.model_id = triage.model_id
        and triage.reading = 'as_published' and triage.format = 'all'
    left join slot_alone
        on hotel_fit.study_id = slot_alone.study_id
        and hotel_fit.model_id = slot_alone.model_id
        and hotel_fit.reading = slot_alone.reading
)

select * from int_hotel_taste
