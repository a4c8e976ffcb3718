-- grain: study × scope × model × metric, base prompt
-- each headline figure in both readings and what moves it
-- the published form refitted on the audited answers splits a gap in two: the answers
-- (invalid, failed, repeated) and the omitted slot; the larger step is the reason
{{ require_green('hotel_estimates') }}
with int_hotel_model_figure as (
    select * from {{ ref('int_hotel_model_figure') }}
),

hotel_first_shown as (
    select * from {{ ref('hotel_first_shown') }}
    where variant = 'base'
),

count_answers as (
    select * from hotel_first_shown
    where reading = 'audited' and format = 'binary'
),

-- as published the gate pools formats; ours looks at the two-option answers
compare_positions as (
    select
        count_answers.study_id,
        count_answers.model_id,
        pooled.first_shown_rate as as_published,
        count_answers.first_shown_rate as audited,
        pooled.verdict as as_published_verdict,
        count_answers.verdict as audited_verdict,
        pooled.answers > count_answers.answers as is_pooled,
        -- would the published bound say otherwise of two-option answers alone?
        (
            abs(count_answers.first_shown_rate - 0.5)
            <= {{ var('hotel_published_band') }}
        )
        != (pooled.verdict = 'engaged') as is_turned_by_pooling
    from count_answers
    inner join hotel_first_shown as pooled
        on count_answers.study_id = pooled.study_id
        and count_answers.model_id = pooled.model_id
        and pooled.reading = 'as_published'
        and pooled.format = 'all'
),

stack_figures as (
    select
        study_id, model_id, metric, as_published, published_on_audited, audited,
        null::varchar as as_published_label, null::varchar as audited_label
    from int_hotel_model_figure
    union all
    select
        study_id, model_id, 'first_shown_rate', as_published, null, audited,
        null, null
    from compare_positions
    union all
    select
        study_id, model_id, 'verdict', null, null, null,
        as_published_verdict, audited_verdict
    from compare_positions
),

-- as published the sign of a positive price slope is lost in a willingness to pay
positive_price as (
    select study_id, model_id
    from int_hotel_model_figure
    where metric = 'log_price' and as_published > 0
),

compare_readings as (
    select
        *,
        audited - as_published as difference,
        abs(audited - published_on_audited) as slot_step,
        abs(published_on_audited - as_published) as answers_step,
        case
            when metric = 'verdict' then as_published_label = audited_label
            when as_published is null or audited is null
                then as_published is null and audited is null
            else
                abs(audited - as_published)
                <= {{ var('reading_tolerance') }}
                * greatest(abs(audited), abs(as_published))
        end as is_same
    from stack_figures
),

hotel_reading_difference as (
    select
        compare_readings.study_id::varchar as study_id,
        'hotel'::varchar as instrument,
        'base'::varchar as scope,
        compare_readings.model_id::varchar as model_id,
        compare_readings.metric::varchar as metric,
        compare_readings.as_published::double as as_published,
        compare_readings.audited::double as audited,
        compare_readings.difference::double as difference,
        compare_readings.as_published_label::varchar as as_published_label,
        compare_readings.audited_label::varchar as audited_label,
        case
            when compare_readings.is_same then null
            when
                compare_readings.metric in ('first_shown_rate', 'verdict')
                and compare_positions.is_pooled
                and (
                    compare_readings.metric = 'first_shown_rate'
                    or compare_positions.is_turned_by_pooling
                )
                then 'formats_pooled'
            when compare_readings.metric = 'verdict' then 'other_bounds'
            when compare_readings.as_published is null then 'undefined_as_published'
            when compare_readings.audited is null then 'undefined_audited'
            when
                compare_readings.metric = 'wtp_review_score_usd'
                and positive_price.model_id is not null
                then 'sign_lost'
            when compare_readings.slot_step >= compare_readings.answers_step
                then 'slot_omitted'
            else {{ largest_answer_loss('count_answers') }}
        end::varchar as reason,
        null::bigint as reason_count
    from compare_readings
    left join count_answers
        on compare_readings.study_id = count_answers.study_id
        and compare_readings.model_id = count_answers.model_id
    left join compare_positions
        on compare_readings.study_id = compare_positions.study_id
        and compare_readings.model_id = compare_positions.model_id
    left join positive_price
        on compare_readings.study_id = positive_price.study_id
        and compare_readings.model_id = positive_price.model_id
)

select * from hotel_reading_difference
