-- grain: reading × answer × option, five-option tasks
-- the answers whose choice tastes from two-option tasks are asked to predict
{{ config(materialized='view') }}
{{ require_green('hotel_staging') }}
with int_hotel_choice as (
    select * from {{ ref('int_hotel_choice') }}
    where format = 'fiveopt'
),

int_hotel_five_option_answer as (
    {%- for reading, chosen in [
        ('as_published', 'chosen_as_published_valid'), ('audited', 'chosen_audited')
    ] %}
    select
        study_id,
        model_id,
        '{{ reading }}' as reading,
        answer_key,
        option,
        group_id,
        stars,
        bed_rank,
        cancel,
        breakfast,
        review_score,
        review_count_100,
        log_price,
        {{ chosen }} as chosen
    from int_hotel_choice
    where {{ chosen }} is not null
    {{ "union all" if not loop.last }}
    {%- endfor %}
)

select * from int_hotel_five_option_answer
