-- Where does a discount move a booking?
-- One row per study and model, audited, two options: the share of choices that
-- 10 % off wins at three prices (of two rooms that were equally good before),
-- in the price form that fits better and along the decile curve. The log form
-- takes it that 10 % off wins the same at every price; the curve does not, and is
-- null beyond the medians of its outer deciles. Then the price across which utility
-- drops most (the last edge is mostly the width of the dearest decile), and whether
-- a cheap room is less liked than a dearer one.
with lever as (
    select
        study_id,
        model_id,
        specification,
        max(share_change) filter (where price_usd = 100) as share_won_at_100_usd,
        max(share_change) filter (where price_usd = 250) as share_won_at_250_usd,
        max(share_change) filter (where price_usd = 800) as share_won_at_800_usd,
        max(status) filter (where price_usd = 800) as status_at_800_usd
    from {{ ref('hotel_price_lever') }}
    where lever = 'minus_10_pct' and block = 'binary' and reading = 'audited'
    group by study_id, model_id, specification
),

form as (
    select
        study_id,
        model_id,
        form,
        -- where neither form fits better the log form stands, as on the board
        case form when 'linear' then 'linear' else 'log' end as specification
    from {{ ref('hotel_functional_form') }}
    where block = 'binary' and reading = 'audited'
)

select
    model.display_name,
    form.study_id,
    form.form as better_form,
    lever.share_won_at_100_usd,
    lever.share_won_at_250_usd,
    lever.share_won_at_800_usd,
    lever.status_at_800_usd,
    curve.share_won_at_100_usd as curve_share_won_at_100_usd,
    curve.share_won_at_250_usd as curve_share_won_at_250_usd,
    curve.share_won_at_800_usd as curve_share_won_at_800_usd,
    shape.threshold_usd,
    shape.drop_status as threshold_status,
    shape.bump_decile,
    shape.bump_status
from form
inner join lever
    on form.study_id = lever.study_id
    and form.model_id = lever.model_id
    and form.specification = lever.specification
left join lever as curve
    on form.study_id = curve.study_id
    and form.model_id = curve.model_id
    and curve.specification = 'decile'
inner join {{ ref('model') }} as model on form.model_id = model.model_id
left join {{ ref('hotel_price_shape') }} as shape
    on form.study_id = shape.study_id
    and form.model_id = shape.model_id
    and shape.block = 'binary'
    and shape.reading = 'audited'
order by form.study_id, lever.share_won_at_250_usd desc nulls last, model.display_name
