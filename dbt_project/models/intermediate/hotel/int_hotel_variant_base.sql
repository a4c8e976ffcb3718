-- grain: one row per variant, answer to the base prompt and option
-- the two-option answers to the base prompt, cut to the tasks that a prompt variant was
-- asked; `variant` names that variant
-- published comparisons of prompts drop answers that name no option, in the base too
{{ config(materialized='view') }}
{{ require_green('hotel_staging') }}
with int_hotel_choice as (
    select * from {{ ref('int_hotel_choice') }}
    where format = 'binary'
),

variant_task as (
    select distinct study_id, model_id, variant, task_id
    from int_hotel_choice
    where variant != 'base'
),

int_hotel_variant_base as (
    select
        int_hotel_choice.study_id,
        int_hotel_choice.model_id,
        variant_task.variant,
        int_hotel_choice.answer_key,
        int_hotel_choice.option,
        int_hotel_choice.group_id,
        int_hotel_choice.hotel_id,
        int_hotel_choice.slot_sign,
        int_hotel_choice.stars,
        int_hotel_choice.bed_rank,
        int_hotel_choice.cancel,
        int_hotel_choice.breakfast,
        int_hotel_choice.review_score,
        int_hotel_choice.review_count_100,
        int_hotel_choice.log_price,
        int_hotel_choice.price_usd,
        int_hotel_choice.chosen_as_published_valid as chosen_as_published,
        int_hotel_choice.chosen_audited,
        int_hotel_choice.input_fingerprint
    from int_hotel_choice
    inner join variant_task
        on int_hotel_choice.study_id = variant_task.study_id
        and int_hotel_choice.model_id = variant_task.model_id
        and int_hotel_choice.task_id = variant_task.task_id
    where int_hotel_choice.variant = 'base'
)

select * from int_hotel_variant_base
