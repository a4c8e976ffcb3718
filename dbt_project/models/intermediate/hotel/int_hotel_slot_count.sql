-- grain: study × model × variant × format × reading
-- which shown slot was picked, and why the other answers are left out of n
-- as published (Kireyev 2026, section 5.1): `all` pools two- and three-option answers
-- that name A or B and keeps repeated and oddly numbered rows
{{ require_green('hotel_staging') }}
with int_hotel_answer as (
    select * from {{ ref('int_hotel_answer') }}
),

read_replies as (
    {{ answers_by_reading('int_hotel_answer') }}
),

count_under_formats as (
    select *, format as counted_format from read_replies
    union all
    select *, 'all' as counted_format
    from read_replies
    where format in ('binary', 'ternary')
),

classify_answers as (
    select
        *,
        case
            when reading = 'audited' and not is_standard_offset
                then 'other_offset'
            when
                reading = 'as_published'
                and counted_format != 'all'
                and not is_joined_as_published
                then 'other_offset'
            when reply_state = 'failed' then 'failed'
            when not is_read then 'invalid'
            when reading = 'audited' and valid_answer_number > 1
                then 'duplicate'
            when
                reading = 'as_published'
                and counted_format in ('all', 'ternary')
                and read_choice not in ('A', 'B')
                then 'other_choice'
            else 'counted'
        end as answer_class,
        case
            when reading = 'audited' or counted_format = 'fiveopt'
                then read_slot = 1
            else read_choice = case when ordering = 'original' then 'A' else 'B' end
        end as is_first_shown
    from count_under_formats
),

int_hotel_slot_count as (
    select
        study_id,
        model_id,
        variant,
        counted_format as format,
        reading,
        case when counted_format != 'all' then max(option_count) end as slot_count,
        count(*) as answers,
        count(*) filter (where answer_class = 'counted') as n,
        count(*) filter (where answer_class = 'invalid') as invalid_count,
        count(*) filter (where answer_class = 'failed') as failed_count,
        count(*) filter (where answer_class = 'duplicate') as duplicate_count,
        count(*) filter (where answer_class = 'other_offset') as other_offset_count,
        count(*) filter (where answer_class = 'other_choice') as other_choice_count,
        count(*) filter (where answer_class = 'counted' and ordering = 'swapped')
            as swapped_count,
        count(*) filter (where answer_class = 'counted' and is_first_shown)
            as first_shown_count,
        {%- for slot in range(1, 6) %}
        case
            when counted_format = 'all' or max(option_count) >= {{ slot }}
                then
                    count(*) filter (
                        where answer_class = 'counted' and read_slot = {{ slot }}
                    )
        end as slot{{ slot }}_count,
        {%- endfor %}
        max(input_fingerprint) as input_fingerprint
    from classify_answers
    group by study_id, model_id, variant, counted_format, reading
)

select * from int_hotel_slot_count
