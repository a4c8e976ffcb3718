-- grain: one row per option of an answer (answer_key, option)
-- the rows of the choice models with both readings of what was chosen; null where the
-- answer is not part of that reading
-- as published, a base answer to a pair that named no option counts as option B
{{ config(
    materialized='incremental', unique_key=['study_id', 'model_id'],
    incremental_strategy='delete+insert', on_schema_change='sync_all_columns',
    post_hook="{{ drop_outdated(ref('int_hotel_study_model')) }}",
) }}
{{ require_green('hotel_staging') }}
with int_hotel_answer as (
    select * from {{ ref('int_hotel_answer') }}
    {{ only_changed('int_hotel_answer') }}
),

int_hotel_option as (
    select * from {{ ref('int_hotel_option') }}
),

read_choice as (
    select
        *,
        case
            when not is_joined_as_published then null
            when is_valid then choice
            when format = 'binary' and variant = 'base' then 'B'
        end as choice_as_published,
        case when is_audited then choice end as choice_audited
    from int_hotel_answer
),

int_hotel_choice as (
    select
        read_choice.study_id,
        read_choice.model_id,
        read_choice.variant,
        read_choice.format,
        read_choice.answer_key,
        read_choice.run_id,
        read_choice.bank_sha256,
        read_choice.task_id,
        read_choice.group_id,
        read_choice.ordering,
        int_hotel_option.option,
        int_hotel_option.option_number,
        int_hotel_option.option_count,
        case
            when read_choice.ordering = 'original' then int_hotel_option.option_number
            else int_hotel_option.option_count + 1 - int_hotel_option.option_number
        end as shown_slot,
        -- x_A - x_B is +1 where A is shown first and -1 where it is shown second
        case
            when read_choice.format != 'binary' then null
            when int_hotel_option.option = 'B' then 0.0
            when read_choice.ordering = 'original' then 1.0
            else -1.0
        end as slot_sign,
        int_hotel_option.hotel_id,
        int_hotel_option.stars,
        int_hotel_option.bed_rank,
        int_hotel_option.cancel,
        int_hotel_option.breakfast,
        int_hotel_option.review_score,
        int_hotel_option.review_count_100,
        int_hotel_option.log_price,
        int_hotel_option.price_usd,
        int_hotel_option.chain,
        read_choice.choice_as_published = int_hotel_option.option
            as chosen_as_published,
        read_choice.choice_audited = int_hotel_option.option as chosen_audited,
        read_choice.input_fingerprint
    from read_choice
    inner join int_hotel_option
        on read_choice.bank_sha256 = int_hotel_option.bank_sha256
        and read_choice.task_id = int_hotel_option.task_id
)

select * from int_hotel_choice
