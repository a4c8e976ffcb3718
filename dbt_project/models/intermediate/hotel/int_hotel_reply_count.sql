-- grain: study × model × reading, base prompt, two-option answers
-- what kinds of texts a model replied with, in which order, and the most frequent ones;
-- as published all rows of the pairs, audited without failed calls and repeated answers
{{ require_green('hotel_staging') }}
with int_hotel_answer as (
    select * from {{ ref('int_hotel_answer') }}
    where variant = 'base' and format = 'binary'
),

stg_hotel_response as (
    select
        answer_key,
        coalesce({{ strip_text('raw_output') }}, '') as reply
    from {{ ref('stg_hotel_response') }}
),

stack_readings as (
    {{ answers_by_reading('int_hotel_answer') }}
),

keep_answers_of_reading as (
    select * from stack_readings
    where
        case reading
            when 'as_published' then is_joined_as_published
            else
                is_standard_offset
                and reply_state != 'failed'
                and coalesce(valid_answer_number = 1, true)
        end
),

read_replies as (
    select
        keep_answers_of_reading.*,
        stg_hotel_response.reply,
        {{ reply_kind('stg_hotel_response.reply', 'keep_answers_of_reading.is_read') }}
            as kind
    from keep_answers_of_reading
    inner join stg_hotel_response
        on keep_answers_of_reading.answer_key = stg_hotel_response.answer_key
),

count_replies as (
    select
        study_id,
        model_id,
        reading,
        count(*) as answers,
        {%- for ordering in ['original', 'swapped'] %}
        {%- set shown = "ordering = '" ~ ordering ~ "'" %}
        count(*) filter (where {{ shown }}) as {{ ordering }}_count,
        count(*) filter (where {{ shown }} and is_read) as {{ ordering }}_valid_count,
        count(*) filter (where {{ shown }} and reply = '')
            as {{ ordering }}_empty_count,
        count(*) filter (where {{ shown }} and is_read and read_slot = 1)
            as {{ ordering }}_first_count,
        {%- endfor %}
        {%- for kind in hotel_reply_kinds() %}
        count(*) filter (where kind = '{{ kind }}') as {{ kind }}_count,
        {%- endfor %}
        count(*) filter (where kind is not null) as text_count,
        count(*) filter (where kind is not null and ordering = 'original')
            as original_text_count,
        count(*) filter (where kind = 'bare' and ordering = 'original')
            as original_bare_count
    from read_replies
    group by study_id, model_id, reading
),

count_texts as (
    select study_id, model_id, reading, reply, count(*) as text_count
    from read_replies
    where reply != ''
    group by study_id, model_id, reading, reply
),

order_texts as (
    select
        *,
        row_number() over (
            partition by study_id, model_id, reading order by text_count desc, reply
        ) as place
    from count_texts
),

frequent_texts as (
    select
        study_id,
        model_id,
        reading,
        {%- for place in range(1, 6) %}
        max(reply) filter (where place = {{ place }}) as reply_{{ place }},
        max(text_count) filter (where place = {{ place }}) as reply_{{ place }}_count
        {{- "," if not loop.last }}
        {%- endfor %}
    from order_texts
    group by study_id, model_id, reading
),

int_hotel_reply_count as (
    select
        count_replies.*,
        {%- for place in range(1, 6) %}
        frequent_texts.reply_{{ place }},
        frequent_texts.reply_{{ place }}_count{{ "," if not loop.last }}
        {%- endfor %}
    from count_replies
    left join frequent_texts
        on count_replies.study_id = frequent_texts.study_id
        and count_replies.model_id = frequent_texts.model_id
        and count_replies.reading = frequent_texts.reading
)

select * from int_hotel_reply_count
