-- grain: one row per answer as it stands in its file (answer_key)
-- a release stores no reply state: a blank choice reads as invalid, any other as letter
-- repeated answers are marked by valid_answer_number, failed calls that were made again
-- by is_superseded; none is dropped
{{ require_green('hotel_raw') }}
with response as (
    select * from {{ source('raw_hotel', 'response') }}
),

read_reply_state as (
    select
        *,
        coalesce(
            reply_state,
            case when choice is null then 'invalid' else 'letter' end
        ) as state_read
    from response
),

number_valid_answers as (
    select
        *,
        choice is not null as is_valid,
        published_choice is not null as is_valid_as_published,
        -- a release has no such state, so that all of its rows stand
        state_read = 'failed' and lead(_source_row) over (
            partition by
                bank_sha256, source, run_id, ordering, repeat, bank_task_id
            order by _source_row, _source_file
        ) is not null as is_superseded,
        -- the audited reading knows the offsets 0 and 10000 only
        id_offset in (0, 10000) as is_standard_offset,
        row_number() over (
            partition by
                bank_sha256, source, run_id, ordering, repeat, bank_task_id,
                choice is not null and id_offset in (0, 10000)
            order by _source_row, _source_file
        ) as position_among_equals
    from read_reply_state
),

stg_hotel_response as (
    select
        concat_ws(
            ':', source, run_id, substr(bank_sha256, 1, 12), ordering, _source_row
        ) as answer_key,
        run_id,
        source,
        bank_sha256,
        ordering,
        repeat,
        bank_task_id as task_id,
        choice,
        published_choice,
        raw_output,
        state_read as reply_state,
        case
            when is_valid and is_standard_offset then position_among_equals
        end as valid_answer_number,
        is_valid,
        is_valid_as_published,
        is_standard_offset,
        is_superseded,
        error,
        provider,
        model_id_served,
        finish,
        prompt_tokens,
        completion_tokens,
        reasoning_tokens,
        cost_usd,
        secs,
        first_tokens,
        task_id as task_id_in_file,
        id_offset,
        _source_file as source_file,
        _source_row as source_row
    from number_valid_answers
)

select * from stg_hotel_response
