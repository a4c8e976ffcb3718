-- grain: study × model × variant × reading
-- what the model books when two rooms qualify: price, stars and chain of its choices
-- in two-option tasks (Kireyev 2026, section 5.3); answers that name no option are out
-- beside it what the same tasks would have cost always cheaper, always dearer and by
-- the toss of a coin, which is what a model that follows the slot books
{{ require_green('hotel_estimates') }}
with int_hotel_answer as (
    select * from {{ ref('int_hotel_answer') }}
    where format = 'binary'
),

int_hotel_option as (
    select * from {{ ref('int_hotel_option') }}
),

read_replies as (
    {{ answers_by_reading('int_hotel_answer') }}
),

count_by_reading as (
    select
        *,
        case reading
            when 'as_published' then is_joined_as_published and is_read
            else is_audited
        end as is_in
    from read_replies
),

bound_by_task as (
    select
        bank_sha256,
        task_id,
        min(price_usd) as cheaper_usd,
        max(price_usd) as dearer_usd
    from int_hotel_option
    where format = 'binary'
    group by bank_sha256, task_id
),

toss_coin as (
    select
        count_by_reading.study_id,
        count_by_reading.model_id,
        count_by_reading.variant,
        count_by_reading.reading,
        avg(int_hotel_option.price_usd) as mean_price_usd,
        median(int_hotel_option.price_usd) as median_price_usd
    from count_by_reading
    inner join int_hotel_option
        on count_by_reading.bank_sha256 = int_hotel_option.bank_sha256
        and count_by_reading.task_id = int_hotel_option.task_id
    where count_by_reading.is_in
    group by
        count_by_reading.study_id, count_by_reading.model_id,
        count_by_reading.variant, count_by_reading.reading
),

hotel_booking_outcome as (
    select
        count_by_reading.study_id::varchar as study_id,
        count_by_reading.model_id::varchar as model_id,
        count_by_reading.variant::varchar as variant,
        count_by_reading.reading::varchar as reading,
        count(*)::bigint as answers,
        count(*) filter (where is_in)::bigint as n,
        count(*) filter (where not is_in)::bigint as left_out_count,
        (avg(int_hotel_option.price_usd) filter (where is_in))::double
            as mean_price_usd,
        (median(int_hotel_option.price_usd) filter (where is_in))::double
            as median_price_usd,
        (avg(int_hotel_option.stars) filter (where is_in))::double as mean_stars,
        {%- for chain in hotel_chains() %}
        (
            count(*) filter (where is_in and int_hotel_option.chain = '{{ chain }}')
            ::double / nullif(count(*) filter (where is_in), 0)
        )::double as {{ chain | lower }}_share,
        {%- endfor %}
        (avg(bound_by_task.cheaper_usd) filter (where is_in))::double
            as cheapest_mean_price_usd,
        (avg(bound_by_task.dearer_usd) filter (where is_in))::double
            as dearest_mean_price_usd,
        max(toss_coin.mean_price_usd)::double as coin_flip_mean_price_usd,
        max(toss_coin.median_price_usd)::double as coin_flip_median_price_usd
    from count_by_reading
    left join int_hotel_option
        on count_by_reading.bank_sha256 = int_hotel_option.bank_sha256
        and count_by_reading.task_id = int_hotel_option.task_id
        and count_by_reading.read_choice = int_hotel_option.option
    left join bound_by_task
        on count_by_reading.bank_sha256 = bound_by_task.bank_sha256
        and count_by_reading.task_id = bound_by_task.task_id
    left join toss_coin
        on count_by_reading.study_id = toss_coin.study_id
        and count_by_reading.model_id = toss_coin.model_id
        and count_by_reading.variant = toss_coin.variant
        and count_by_reading.reading = toss_coin.reading
    group by
        count_by_reading.study_id, count_by_reading.model_id,
        count_by_reading.variant, count_by_reading.reading
)

select * from hotel_booking_outcome
