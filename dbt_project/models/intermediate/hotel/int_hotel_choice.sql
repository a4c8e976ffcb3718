-- grain: one row per option of an answer (answer_key, option)
-- the rows of the choice models with both readings of what was chosen; null where the
-- answer is not part of that reading
-- as published, a base answer to a pair that named no option counts as option B
{{ config(
    materialized='incremental', incremental_strategy='append',
    on_schema_change='sync_all_columns',
    pre_hook="{{ drop_outdated_first(ref('int_hotel_study_model')) }}",
) }}
{{ require_green('hotel_staging') }}
with int_hotel_answer as (
    select * from {{ ref('int_hotel_answer') }}
    {{ only_changed('int_hotel_answer') }}
),

int_hotel_option as (
    select * from {{ ref('int_hotel_option') }}
),

int_hotel_price_decile as (
    select * from {{ ref('int_hotel_price_decile') }}
),

-- one row of edges per block: a join on ranges would be slow
spread_edges as (
    select
        bank_sha256,
        block,
        {%- for decile in range(1, 11) %}
        max(upper_usd) filter (where decile = {{ decile }}) as edge_{{ decile }}
        {{- "," if not loop.last }}
        {%- endfor %}
    from int_hotel_price_decile
    group by bank_sha256, block
),

bin_prices as (
    select
        int_hotel_option.*,
        {{ decile_of('int_hotel_option.price_usd', 'own_edge') }} as price_decile,
        {{ decile_of('int_hotel_option.price_usd', 'pooled_edge') }}
            as pooled_price_decile
    from int_hotel_option
    left join spread_edges as own_edge
        on int_hotel_option.bank_sha256 = own_edge.bank_sha256
        and int_hotel_option.format = own_edge.block
    left join spread_edges as pooled_edge
        on int_hotel_option.bank_sha256 = pooled_edge.bank_sha256
        and int_hotel_option.format in ('binary', 'ternary')
        and pooled_edge.block = 'pooled'
),

read_choice as (
    select
        *,
        case
            when not is_joined_as_published then null
            when is_valid_as_published then published_choice
            when format = 'binary' and variant = 'base' then 'B'
        end as choice_as_published,
        case when is_joined_as_published then published_choice end
            as choice_as_published_valid,
        case when is_audited then choice end as choice_audited
    from int_hotel_answer
),

int_hotel_choice as (
    select
        read_choice.study_id,
        read_choice.model_id,
        read_choice.variant,
        read_choice.format,
        read_choice.answer_key,
        read_choice.run_id,
        read_choice.bank_sha256,
        read_choice.task_id,
        read_choice.group_id,
        read_choice.ordering,
        bin_prices.option,
        bin_prices.option_number,
        bin_prices.option_count,
        case
            when read_choice.ordering = 'original' then bin_prices.option_number
            else bin_prices.option_count + 1 - bin_prices.option_number
        end as shown_slot,
        -- x_A - x_B is +1 where A is shown first and -1 where it is shown second
        case
            when read_choice.format != 'binary' then null
            when bin_prices.option = 'B' then 0.0
            when read_choice.ordering = 'original' then 1.0
            else -1.0
        end as slot_sign,
        bin_prices.hotel_id,
        bin_prices.stars,
        bin_prices.bed_rank,
        bin_prices.cancel,
        bin_prices.breakfast,
        bin_prices.review_score,
        bin_prices.review_count_100,
        bin_prices.log_price,
        bin_prices.price_usd,
        bin_prices.price_decile,
        bin_prices.pooled_price_decile,
        bin_prices.chain,
        bin_prices.area,
        bin_prices.luxury,
        bin_prices.dropped_listing,
        read_choice.choice_as_published = bin_prices.option
            as chosen_as_published,
        read_choice.choice_as_published_valid = bin_prices.option
            as chosen_as_published_valid,
        read_choice.choice_audited = bin_prices.option as chosen_audited,
        read_choice.input_fingerprint
    from read_choice
    inner join bin_prices
        on read_choice.bank_sha256 = bin_prices.bank_sha256
        and read_choice.task_id = bin_prices.task_id
)

select * from int_hotel_choice
