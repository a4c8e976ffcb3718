-- grain: one row per answer of a run that is not excluded (answer_key)
-- adds to each answer its task, the slot in which the chosen card was shown, and which
-- reading it belongs to; a failed call that was made again is left out
{{ config(
    materialized='incremental', incremental_strategy='append',
    on_schema_change='sync_all_columns',
    pre_hook="{{ drop_outdated_first(ref('int_hotel_study_model')) }}",
) }}
{{ require_green('hotel_staging') }}
with stg_hotel_run as (
    select * from {{ ref('stg_hotel_run') }}
    where not is_excluded
),

stg_hotel_response as (
    select * from {{ ref('stg_hotel_response') }}
    where not is_superseded
),

int_hotel_option as (
    select * from {{ ref('int_hotel_option') }}
),

int_hotel_study_model as (
    select * from {{ ref('int_hotel_study_model') }}
),

pair_to_compute as (
    select * from int_hotel_study_model
    {{ only_changed('int_hotel_study_model') }}
),

describe_tasks as (
    select distinct bank_sha256, task_id, format, group_id, rep, option_count
    from int_hotel_option
),

int_hotel_answer as (
    select
        stg_hotel_response.answer_key,
        stg_hotel_run.study_id,
        stg_hotel_run.model_id,
        stg_hotel_run.run_id,
        stg_hotel_run.variant,
        stg_hotel_run.source,
        stg_hotel_response.bank_sha256,
        describe_tasks.format,
        stg_hotel_response.task_id,
        describe_tasks.group_id,
        describe_tasks.rep,
        stg_hotel_response.ordering,
        stg_hotel_response.repeat,
        describe_tasks.option_count,
        stg_hotel_response.choice,
        {{ shown_slot('chosen_option.option_number') }} as shown_slot,
        stg_hotel_response.published_choice,
        {{ shown_slot('published_option.option_number') }} as published_shown_slot,
        stg_hotel_response.reply_state,
        stg_hotel_response.is_valid,
        stg_hotel_response.is_valid_as_published,
        stg_hotel_response.valid_answer_number,
        stg_hotel_response.is_standard_offset,
        stg_hotel_response.id_offset,
        -- the published join knows one offset per file
        stg_hotel_response.id_offset
            = case when stg_hotel_response.ordering = 'original' then 0 else 10000 end
            as is_joined_as_published,
        coalesce(stg_hotel_response.valid_answer_number = 1, false) as is_audited,
        stg_hotel_response.source_file,
        stg_hotel_response.source_row,
        pair_to_compute.input_fingerprint
    from stg_hotel_run
    inner join pair_to_compute
        on stg_hotel_run.study_id = pair_to_compute.study_id
        and stg_hotel_run.model_id = pair_to_compute.model_id
    inner join stg_hotel_response
        on stg_hotel_run.run_id = stg_hotel_response.run_id
        and stg_hotel_run.bank_sha256 = stg_hotel_response.bank_sha256
        and stg_hotel_run.source = stg_hotel_response.source
    inner join describe_tasks
        on stg_hotel_response.bank_sha256 = describe_tasks.bank_sha256
        and stg_hotel_response.task_id = describe_tasks.task_id
    left join int_hotel_option as chosen_option
        on stg_hotel_response.bank_sha256 = chosen_option.bank_sha256
        and stg_hotel_response.task_id = chosen_option.task_id
        and stg_hotel_response.choice = chosen_option.option
    left join int_hotel_option as published_option
        on stg_hotel_response.bank_sha256 = published_option.bank_sha256
        and stg_hotel_response.task_id = published_option.task_id
        and stg_hotel_response.published_choice = published_option.option
)

select * from int_hotel_answer
