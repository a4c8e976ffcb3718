-- grain: one row per option of a task (bank_sha256, task_id, option)
-- covariates of the choice models (Kireyev 2026, section 4); chain and luxury are read
-- off the hotel name by the substrings of the seeds, chains in their order
{{ require_green('hotel_staging') }}
with stg_hotel_task as (
    select * from {{ ref('stg_hotel_task') }}
),

hotel_chain_rule as (
    select * from {{ ref('hotel_chain_rule') }}
),

hotel_luxury_name as (
    select * from {{ ref('hotel_luxury_name') }}
),

hotel_area as (
    select * from {{ ref('hotel_area') }}
),

hotel_dropped_listing as (
    select * from {{ ref('hotel_dropped_listing') }}
),

stack_options as (
    {%- for letter in hotel_option_letters() %}
    select
        bank_sha256,
        task_id,
        format,
        group_id,
        rep,
        '{{ letter | upper }}' as option,
        {{ loop.index }} as option_number,
        {{ letter }}_hotel_id as hotel_id,
        {{ letter }}_hotel_name as hotel_name,
        {{ letter }}_neighborhood as neighborhood,
        {{ letter }}_room_type as room_type,
        {{ letter }}_stars as stars,
        {{ letter }}_is_cancellation_free as is_cancellation_free,
        {{ letter }}_is_breakfast_included as is_breakfast_included,
        {{ letter }}_review_score as review_score,
        {{ letter }}_review_count as review_count,
        {{ letter }}_price_usd as price_usd
    from stg_hotel_task
    where {{ letter }}_hotel_id is not null
    {{ "union all" if not loop.last }}
    {%- endfor %}
),

named_hotel as (
    select distinct hotel_name from stack_options
),

match_first_chain as (
    select
        named_hotel.hotel_name,
        min(hotel_chain_rule.rule_order) as rule_order
    from named_hotel
    inner join hotel_chain_rule
        on lower(named_hotel.hotel_name) like '%' || hotel_chain_rule.substring || '%'
    group by named_hotel.hotel_name
),

match_luxury as (
    select distinct named_hotel.hotel_name
    from named_hotel
    inner join hotel_luxury_name
        on lower(named_hotel.hotel_name) like '%' || hotel_luxury_name.substring || '%'
),

chain_name as (
    select distinct rule_order, chain from hotel_chain_rule
),

int_hotel_option as (
    select
        stack_options.bank_sha256,
        stack_options.task_id,
        stack_options.option,
        stack_options.option_number,
        count(*) over (
            partition by stack_options.bank_sha256, stack_options.task_id
        ) as option_count,
        stack_options.format,
        stack_options.group_id,
        stack_options.rep,
        stack_options.hotel_id,
        stack_options.hotel_name,
        coalesce(chain_name.chain, 'Independent') as chain,
        (match_luxury.hotel_name is not null)::integer as luxury,
        (hotel_dropped_listing.hotel_name is not null)::integer as dropped_listing,
        stack_options.neighborhood,
        hotel_area.area,
        stack_options.stars,
        {{ bed_rank('stack_options.room_type') }} as bed_rank,
        stack_options.is_cancellation_free::integer as cancel,
        stack_options.is_breakfast_included::integer as breakfast,
        stack_options.review_score,
        stack_options.review_count / 100.0::double as review_count_100,
        stack_options.price_usd,
        ln(stack_options.price_usd::double) as log_price
    from stack_options
    left join match_first_chain
        on stack_options.hotel_name = match_first_chain.hotel_name
    left join chain_name on match_first_chain.rule_order = chain_name.rule_order
    left join match_luxury on stack_options.hotel_name = match_luxury.hotel_name
    left join hotel_area on stack_options.neighborhood = hotel_area.neighborhood
    left join hotel_dropped_listing
        on stack_options.hotel_name = hotel_dropped_listing.hotel_name
)

select * from int_hotel_option
