-- grain: one row per study and model (study_id, model_id)
-- input_fingerprint: hash of the answers, tasks, runs and code behind the pair's
-- figures; the incremental models recompute a pair when it moves
{{ require_green('hotel_staging') }}
with stg_hotel_run as (
    select * from {{ ref('stg_hotel_run') }}
    where not is_excluded
),

stg_hotel_response as (
    select * from {{ ref('stg_hotel_response') }}
),

int_hotel_option as (
    select * from {{ ref('int_hotel_option') }}
),

gate_hotel_staging as (
    select * from {{ ref('gate_hotel_staging') }}
),

hash_tasks as (
    select
        bank_sha256,
        {{ rows_hash([
            'task_id', 'option', 'group_id', 'hotel_id', 'stars', 'bed_rank',
            'cancel', 'breakfast', 'review_score', 'review_count_100', 'price_usd',
            'chain', "coalesce(area, '')", 'luxury', 'dropped_listing',
        ]) }} as bank_hash
    from int_hotel_option
    group by bank_sha256
),

hash_answers as (
    select
        stg_hotel_run.study_id,
        stg_hotel_run.model_id,
        stg_hotel_run.bank_sha256,
        {{ rows_hash([
            'stg_hotel_response.answer_key', 'stg_hotel_response.task_id',
            "coalesce(stg_hotel_response.choice, '')",
            "coalesce(stg_hotel_response.published_choice, '')",
            'stg_hotel_response.reply_state', 'stg_hotel_run.variant',
        ]) }} as answers_hash
    from stg_hotel_run
    inner join stg_hotel_response
        on stg_hotel_run.run_id = stg_hotel_response.run_id
        and stg_hotel_run.bank_sha256 = stg_hotel_response.bank_sha256
        and stg_hotel_run.source = stg_hotel_response.source
    group by
        stg_hotel_run.study_id, stg_hotel_run.model_id, stg_hotel_run.bank_sha256
),

int_hotel_study_model as (
    select
        hash_answers.study_id,
        hash_answers.model_id,
        {{ short_hash([
            'hash_answers.answers_hash', 'hash_tasks.bank_hash',
            'gate_hotel_staging.code_sha256',
        ]) }} as input_fingerprint
    from hash_answers
    inner join hash_tasks on hash_answers.bank_sha256 = hash_tasks.bank_sha256
    cross join gate_hotel_staging
)

select * from int_hotel_study_model
