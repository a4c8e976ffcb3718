-- Whose booking can a seller win by taking another place on the page?
-- One row per model: the share of two-option bookings that the favoured slot gets, what
-- standing there is worth in price (the price rise, in percent, that cancels it), and
-- the verdict of both readings.
with first_shown as (
    select * from {{ ref('hotel_first_shown') }}
    where variant = 'base'
),

slot_and_price as (
    select
        study_id,
        model_id,
        max(estimate) filter (where term = 'slot') as slot,
        max(estimate) filter (where term = 'log_price' and ci_hi < 0) as log_price
    from {{ ref('hotel_coefficient') }}
    where variant = 'base' and block = 'binary'
        and specification = 'log' and reading = 'audited'
    group by study_id, model_id
)

select
    model.display_name,
    audited.study_id,
    greatest(audited.slot1_share, audited.slot2_share) as favoured_slot_share,
    case when audited.slot1_share >= audited.slot2_share then 1 else 2 end
        as favoured_slot,
    audited.verdict as audited_verdict,
    published.verdict as published_verdict,
    -- moving from the other slot gains 2 |slot| utility; null without a price response
    100 * (exp(2 * abs(slot_and_price.slot) / -slot_and_price.log_price) - 1)
        as price_rise_cancelled_pct
from first_shown as audited
inner join {{ ref('model') }} as model on audited.model_id = model.model_id
left join first_shown as published
    on audited.study_id = published.study_id
    and audited.model_id = published.model_id
    and published.reading = 'as_published'
    and published.format = 'all'
left join slot_and_price
    on audited.study_id = slot_and_price.study_id
    and audited.model_id = slot_and_price.model_id
where audited.reading = 'audited' and audited.format = 'binary'
order by audited.study_id, favoured_slot_share desc, model.display_name
