-- What does each model pay for one more review point, and does the price form matter?
-- One row per study and model, audited: dollars a night at a $250 rate (log
-- form) and in the linear form, the Fieller interval of the first, and which
-- form fits better.
with wtp as (
    select
        study_id,
        model_id,
        max(wtp_usd) filter (where specification = 'log') as log_form_usd,
        max(fieller_lo) filter (where specification = 'log') as fieller_lo_usd,
        max(fieller_hi) filter (where specification = 'log') as fieller_hi_usd,
        max(wtp_usd) filter (where specification = 'linear') as linear_form_usd,
        max(status) filter (where specification = 'log') as status
    from {{ ref('hotel_wtp') }}
    where attribute = 'review_score' and reading = 'audited'
    group by study_id, model_id
)

select
    model.display_name,
    wtp.study_id,
    wtp.log_form_usd,
    wtp.fieller_lo_usd,
    wtp.fieller_hi_usd,
    wtp.linear_form_usd,
    hotel_functional_form.form as better_form,
    wtp.status
from wtp
inner join {{ ref('model') }} as model on wtp.model_id = model.model_id
left join {{ ref('hotel_functional_form') }} as hotel_functional_form
    on wtp.study_id = hotel_functional_form.study_id
    and wtp.model_id = hotel_functional_form.model_id
    and hotel_functional_form.reading = 'audited'
    and hotel_functional_form.block = 'binary'
order by wtp.study_id, wtp.log_form_usd nulls last, model.display_name
