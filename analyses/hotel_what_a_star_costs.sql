-- What does each model pay for one more star?
-- One row per study and model: dollars a night at a $250 rate, audited with the
-- Fieller interval and as published, and what share of that rate a star is
-- worth.
with wtp as (
    select
        study_id,
        model_id,
        max(wtp_usd) filter (where reading = 'as_published') as as_published_usd,
        max(wtp_usd) filter (where reading = 'audited') as audited_usd,
        max(fieller_lo) filter (where reading = 'audited') as fieller_lo_usd,
        max(fieller_hi) filter (where reading = 'audited') as fieller_hi_usd,
        max(reference_price_usd) as reference_price_usd,
        max(status) filter (where reading = 'audited') as status
    from {{ ref('hotel_wtp') }}
    where attribute = 'stars' and specification = 'log'
    group by study_id, model_id
)

select
    model.display_name,
    wtp.study_id,
    wtp.audited_usd,
    wtp.fieller_lo_usd,
    wtp.fieller_hi_usd,
    wtp.as_published_usd,
    wtp.audited_usd / wtp.reference_price_usd as share_of_rate,
    wtp.status
from wtp
inner join {{ ref('model') }} as model on wtp.model_id = model.model_id
order by wtp.study_id, wtp.audited_usd desc nulls last, model.display_name
