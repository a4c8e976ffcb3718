-- grain: study × reading × specification × model × brand, base prompt
-- chain coefficients of the models that are compared: engaged ones as published, all
-- audited
{{ require_green('hotel_estimates') }}
with hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base' and block = 'binary'
        and term in (
            {%- for chain in hotel_chains()[:-1] %}
            '{{ chain }}'{{ "," if not loop.last }}
            {%- endfor %}
        )
),

int_hotel_taste as (
    select * from {{ ref('int_hotel_taste') }}
    where engaged
),

int_hotel_model as (
    select * from {{ ref('int_hotel_model') }}
),

int_hotel_brand as (
    select
        hotel_coefficient.study_id,
        hotel_coefficient.reading,
        hotel_coefficient.specification,
        -- names that two models share are told apart by the id
        int_hotel_model.display_name || case
            when count(*) over (
                partition by hotel_coefficient.study_id, hotel_coefficient.reading,
                hotel_coefficient.specification, hotel_coefficient.term,
                int_hotel_model.display_name
            ) > 1 then ' ' || int_hotel_model.model_id
            else ''
        end as display_name,
        -- a model without a known provider is a provider of its own
        coalesce(int_hotel_model.provider, int_hotel_model.model_id) as provider,
        hotel_coefficient.term as brand,
        hotel_coefficient.estimate
    from hotel_coefficient
    inner join int_hotel_taste
        on hotel_coefficient.study_id = int_hotel_taste.study_id
        and hotel_coefficient.model_id = int_hotel_taste.model_id
        and hotel_coefficient.reading = int_hotel_taste.reading
    inner join int_hotel_model
        on hotel_coefficient.model_id = int_hotel_model.model_id
)

select * from int_hotel_brand
