-- grain: one row per purchase run (study_id, run_id), excluded runs included and marked
-- how many calls were made, failed and could not be read, and what all of them cost,
-- superseded ones included
{{ require_green('purchase_staging') }}
with stg_purchase_run as (
    select * from {{ ref('stg_purchase_run') }}
),

stg_purchase_response as (
    select * from {{ ref('stg_purchase_response') }}
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
    from stg_purchase_response
    group by run_id, bank_sha256, source
),

int_purchase_run as (
    select
        stg_purchase_run.run_id::varchar as run_id,
        stg_purchase_run.study_id::varchar as study_id,
        'purchase'::varchar as instrument,
        stg_purchase_run.model_id::varchar as model_id,
        count_answers.model_id_served::varchar as model_id_served,
        stg_purchase_run.variant::varchar as variant,
        stg_purchase_run.source::varchar as source,
        stg_purchase_run.bank_sha256::varchar as bank_sha256,
        stg_purchase_run.prompt_sha256::varchar as prompt_sha256,
        stg_purchase_run.protocol::varchar as protocol,
        stg_purchase_run.settings::varchar as settings,
        stg_purchase_run.settings_label::varchar as settings_label,
        count_answers.providers_served::varchar as providers_served,
        stg_purchase_run.run_date::date as run_date,
        coalesce(count_answers.calls, 0)::bigint as calls,
        coalesce(count_answers.failed_calls, 0)::bigint as failed_calls,
        coalesce(count_answers.invalid_replies, 0)::bigint as invalid_replies,
        count_answers.cost_usd::decimal(18, 9) as cost_usd,
        stg_purchase_run.is_excluded::boolean as is_excluded,
        stg_purchase_run.excluded_reason::varchar as excluded_reason
    from stg_purchase_run
    left join count_answers
        on stg_purchase_run.run_id = count_answers.run_id
        and stg_purchase_run.bank_sha256 = count_answers.bank_sha256
        and stg_purchase_run.source = count_answers.source
)

select * from int_purchase_run
