-- grain: study × reading × model × specification × term, base prompt
-- the family over which tests are adjusted (Kireyev 2026, section 6): of every engaged
-- model (audited: of every model) the price slope in both forms and the six controls of
-- the log form; a statement rests on price and review score of well-identified models
{{ require_green('hotel_estimates') }}
with hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base' and block = 'binary'
),

int_hotel_taste as (
    select * from {{ ref('int_hotel_taste') }}
    where engaged
),

int_hotel_test_family as (
    select
        hotel_coefficient.study_id,
        hotel_coefficient.reading,
        hotel_coefficient.model_id,
        hotel_coefficient.specification,
        hotel_coefficient.term,
        hotel_coefficient.p_value,
        hotel_coefficient.specification = 'log'
        and hotel_coefficient.term in ('log_price', 'review_score')
        and int_hotel_taste.well_identified as claimed
    from hotel_coefficient
    inner join int_hotel_taste
        on hotel_coefficient.study_id = int_hotel_taste.study_id
        and hotel_coefficient.model_id = int_hotel_taste.model_id
        and hotel_coefficient.reading = int_hotel_taste.reading
    where
        (
            hotel_coefficient.specification = 'linear'
            and hotel_coefficient.term = 'price'
        )
        or (
            hotel_coefficient.specification = 'log'
            and hotel_coefficient.term not in ('intercept', 'slot')
        )
)

select * from int_hotel_test_family
