-- grain: one row per hotel run (study_id, run_id), excluded runs included and marked
-- how many calls were made, failed and could not be read, who served them and what they
-- cost, those that were made again included
{{ require_green('hotel_staging') }}
with stg_hotel_run as (
    select * from {{ ref('stg_hotel_run') }}
),

stg_hotel_response as (
    select * from {{ ref('stg_hotel_response') }}
),

count_answers as (
    select
        run_id,
        bank_sha256,
        source,
        count(*) as calls,
        count(*) filter (where reply_state = 'failed') as failed_calls,
        count(*) filter (where reply_state = 'invalid') as invalid_replies,
        {{ join_distinct('model_id_served') }} as model_id_served,
        {{ join_distinct('provider') }} as providers_served,
        sum(cost_usd) as cost_usd
    from stg_hotel_response
    group by run_id, bank_sha256, source
),

int_hotel_run as (
    select
        stg_hotel_run.run_id::varchar as run_id,
        stg_hotel_run.study_id::varchar as study_id,
        'hotel'::varchar as instrument,
        stg_hotel_run.model_id::varchar as model_id,
        coalesce(
            count_answers.model_id_served, stg_hotel_run.model_id_served
        )::varchar as model_id_served,
        stg_hotel_run.variant::varchar as variant,
        stg_hotel_run.source::varchar as source,
        stg_hotel_run.bank_sha256::varchar as bank_sha256,
        stg_hotel_run.prompt_sha256::varchar as prompt_sha256,
        stg_hotel_run.protocol::varchar as protocol,
        stg_hotel_run.settings::varchar as settings,
        stg_hotel_run.settings_label::varchar as settings_label,
        coalesce(
            count_answers.providers_served, stg_hotel_run.providers_served
        )::varchar as providers_served,
        stg_hotel_run.run_date::date as run_date,
        coalesce(count_answers.calls, 0)::bigint as calls,
        coalesce(count_answers.failed_calls, 0)::bigint as failed_calls,
        coalesce(count_answers.invalid_replies, 0)::bigint as invalid_replies,
        coalesce(count_answers.cost_usd, stg_hotel_run.cost_usd)::decimal(18, 9)
            as cost_usd,
        stg_hotel_run.is_excluded::boolean as is_excluded,
        stg_hotel_run.excluded_reason::varchar as excluded_reason
    from stg_hotel_run
    left join count_answers
        on stg_hotel_run.run_id = count_answers.run_id
        and stg_hotel_run.bank_sha256 = count_answers.bank_sha256
        and stg_hotel_run.source = count_answers.source
)

select * from int_hotel_run
