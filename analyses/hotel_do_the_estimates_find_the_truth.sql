-- Do the estimates find the tastes that the simulated shoppers really have?
-- One row per shopper and term, audited: the true taste, the estimate, and whether the
-- 95 % interval covers it. Only simulated studies have a truth.
with truth as (
    select stg_hotel_run.study_id, stg_hotel_run.model_id, taste.term, taste.taste
    from {{ ref('stg_hotel_simulated_taste') }} as taste
    inner join {{ ref('stg_hotel_run') }} as stg_hotel_run
        on taste.run_id = stg_hotel_run.run_id
    where not stg_hotel_run.is_excluded
),

-- a shopper who counts dollars is read in the linear form, the others in logs
price_form as (
    select
        study_id,
        model_id,
        case when max(term) filter (where term = 'price') is null then 'log'
            else 'linear' end as specification
    from truth
    group by study_id, model_id
)

select
    model.display_name,
    truth.study_id,
    truth.term,
    truth.taste,
    coefficient.estimate,
    coefficient.ci_lo,
    coefficient.ci_hi,
    truth.taste between coefficient.ci_lo and coefficient.ci_hi as is_covered,
    coefficient.status
from truth
inner join price_form
    on truth.study_id = price_form.study_id and truth.model_id = price_form.model_id
inner join {{ ref('model') }} as model on truth.model_id = model.model_id
inner join {{ ref('hotel_coefficient') }} as coefficient
    on truth.study_id = coefficient.study_id
    and truth.model_id = coefficient.model_id
    and truth.term = coefficient.term
    and price_form.specification = coefficient.specification
where coefficient.reading = 'audited'
    and coefficient.variant = 'base'
    and coefficient.block = 'binary'
order by truth.study_id, model.display_name, truth.term
