-- grain: one row per task of a bank (bank_sha256, task_id)
-- the tasks as their file lists them, options side by side as a_ … e_
{{ require_green('hotel_raw') }}
with task as (
    select * from {{ source('raw_hotel', 'task') }}
),

stg_hotel_task as (
    select
        bank_sha256,
        task_id,
        task_type as format,
        group_id,
        rep,
        {%- for letter in hotel_option_letters() %}
        {{ letter }}_hotel_id,
        {{ letter }}_name as {{ letter }}_hotel_name,
        {{ letter }}_stars,
        {{ letter }}_neighborhood,
        {{ letter }}_review_score,
        {{ letter }}_review_count,
        {{ letter }}_room_type,
        {{ letter }}_cancellation_free = 1 as {{ letter }}_is_cancellation_free,
        {{ letter }}_breakfast_included = 1 as {{ letter }}_is_breakfast_included,
        {{ letter }}_amenities,
        {{ letter }}_price as {{ letter }}_price_usd,
        {%- endfor %}
        _source_file as source_file,
        _source_row as source_row
    from task
)

select * from stg_hotel_task
