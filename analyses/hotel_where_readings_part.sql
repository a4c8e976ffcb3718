-- Which published hotel figures mislead, and why?
-- One row per figure that moves by more than its published standard error would allow
-- (twice the error), or whose label changes, with the reason.
with published_error as (
    select study_id, model_id, term as metric, std_error
    from {{ ref('hotel_coefficient') }}
    where variant = 'base'
        and block = 'binary'
        and reading = 'as_published'
        and (
            (specification = 'log' and term in ('log_price', 'review_score'))
            or (specification = 'linear' and term = 'price')
        )
    union all
    select study_id, model_id, 'wtp_review_score_usd' as metric, std_error
    from {{ ref('hotel_wtp') }}
    where reading = 'as_published'
        and specification = 'log'
        and attribute = 'review_score'
)

select
    model.display_name,
    reading_difference.study_id,
    reading_difference.metric,
    reading_difference.as_published,
    reading_difference.audited,
    reading_difference.as_published_label,
    reading_difference.audited_label,
    reading_difference.reason,
    abs(reading_difference.difference) / published_error.std_error
        as published_std_errors_apart
from {{ ref('reading_difference') }} as reading_difference
inner join {{ ref('model') }} as model on reading_difference.model_id = model.model_id
left join published_error
    on reading_difference.study_id = published_error.study_id
    and reading_difference.model_id = published_error.model_id
    and reading_difference.metric = published_error.metric
where reading_difference.instrument = 'hotel'
    and (
        abs(reading_difference.difference) > 2 * published_error.std_error
        or reading_difference.as_published_label
        is distinct from reading_difference.audited_label
    )
order by
    reading_difference.study_id,
    published_std_errors_apart desc nulls last,
    model.display_name,
    reading_difference.metric
