-- grain: bank × block × decile
-- the tenths of the prices of a bank (Kireyev 2026, section 5.2), one set of edges each
-- for two-option tasks, three-option tasks and both together
-- edges are percentiles by linear interpolation over the options of the tasks; a price
-- belongs to the decile with lower_usd < price <= upper_usd
{{ require_green('hotel_staging') }}
with int_hotel_option as (
    select * from {{ ref('int_hotel_option') }}
),

stack_blocks as (
    select bank_sha256, format as block, price_usd::double as price_usd
    from int_hotel_option
    where format in ('binary', 'ternary')
    union all
    select bank_sha256, 'pooled' as block, price_usd::double as price_usd
    from int_hotel_option
    where format in ('binary', 'ternary')
),

find_edges as (
    select
        bank_sha256,
        block,
        -- the lowest edge lies below the lowest price, so that its bin holds it
        min(price_usd) - 0.5 as edge_0,
        {%- for edge in range(1, 10) %}
        round(
            percentile_cont({{ edge / 10 }}) within group (order by price_usd),
            {{ var('hotel_edge_digits') }}
        ) as edge_{{ edge }},
        {%- endfor %}
        max(price_usd) as edge_10
    from stack_blocks
    group by bank_sha256, block
),

list_edges as (
    {%- for decile in range(1, 11) %}
    select
        bank_sha256,
        block,
        {{ decile }} as decile,
        edge_{{ decile - 1 }} as lower_usd,
        edge_{{ decile }} as upper_usd
    from find_edges
    {{ "union all" if not loop.last }}
    {%- endfor %}
),

int_hotel_price_decile as (
    select
        list_edges.bank_sha256,
        list_edges.block,
        list_edges.decile,
        list_edges.lower_usd,
        list_edges.upper_usd,
        count(stack_blocks.price_usd) as price_count,
        median(stack_blocks.price_usd) as median_price_usd
    from list_edges
    left join stack_blocks
        on list_edges.bank_sha256 = stack_blocks.bank_sha256
        and list_edges.block = stack_blocks.block
        and list_edges.lower_usd < stack_blocks.price_usd
        and list_edges.upper_usd >= stack_blocks.price_usd
    group by
        list_edges.bank_sha256, list_edges.block, list_edges.decile,
        list_edges.lower_usd, list_edges.upper_usd
)

select * from int_hotel_price_decile
