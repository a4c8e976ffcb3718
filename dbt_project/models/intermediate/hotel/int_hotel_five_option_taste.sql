-- grain: study × reading × model × term, study of the five-option answers
-- log-form coefficients of the model's two-option answers; these belong to another
-- bank, so to another study: the one of the same source with the most answers (of equal
-- ones the first by id)
{{ require_green('hotel_estimates') }}
with hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base' and block = 'binary' and specification = 'log'
),

hotel_fit as (
    select * from {{ ref('hotel_fit') }}
    where variant = 'base' and block = 'binary' and specification = 'log'
),

study_source as (
    select distinct study_id, source from {{ ref('int_hotel_run') }}
),

asked_model as (
    select distinct study_id, model_id, reading
    from {{ ref('int_hotel_five_option_answer') }}
),

rank_studies as (
    select
        asked_model.study_id,
        asked_model.model_id,
        asked_model.reading,
        hotel_fit.study_id as taste_study_id,
        row_number() over (
            partition by
                asked_model.study_id, asked_model.model_id, asked_model.reading
            order by hotel_fit.n desc, hotel_fit.study_id
        ) as place
    from asked_model
    inner join study_source as asked_source
        on asked_model.study_id = asked_source.study_id
    inner join hotel_fit
        on asked_model.model_id = hotel_fit.model_id
        and asked_model.reading = hotel_fit.reading
    inner join study_source as taste_source
        on hotel_fit.study_id = taste_source.study_id
        and asked_source.source = taste_source.source
),

int_hotel_five_option_taste as (
    select
        rank_studies.study_id,
        rank_studies.reading,
        rank_studies.model_id,
        rank_studies.taste_study_id,
        hotel_coefficient.term,
        hotel_coefficient.estimate,
        hotel_coefficient.status
    from rank_studies
    inner join hotel_coefficient
        on rank_studies.taste_study_id = hotel_coefficient.study_id
        and rank_studies.model_id = hotel_coefficient.model_id
        and rank_studies.reading = hotel_coefficient.reading
    where rank_studies.place = 1
)

select * from int_hotel_five_option_taste
