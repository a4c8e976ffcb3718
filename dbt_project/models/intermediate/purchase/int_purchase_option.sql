-- grain: one row per scenario, menu and option (bank_sha256, scenario_id, menu, option)
-- what every option is worth: [p + (1 - p) p_free] value - spend, skipping p_free value
-- (Knipe 2026, payoffs); the bonded menu refunds the document that the certificate
-- picked where it fails
{{ require_green('purchase_staging') }}
with stg_purchase_scenario as (
    select * from {{ ref('stg_purchase_scenario') }}
),

menu as (
    select 'ordinary' as menu
    union all
    select 'bonded' as menu
),

menu_option as (
    select * from (
        values
        (1, 'skip'), (2, 'buy_one'), (3, 'buy_all'), (4, 'teaser'), (5, 'certificate')
    ) as listed (option_number, option)
),

describe_options as (
    select
        stg_purchase_scenario.bank_sha256,
        stg_purchase_scenario.scenario_id,
        menu.menu,
        menu_option.option,
        menu_option.option_number,
        stg_purchase_scenario.value_usd,
        stg_purchase_scenario.p_free,
        stg_purchase_scenario.p_certificate,
        stg_purchase_scenario.document_price_usd,
        stg_purchase_scenario.certificate_price_usd,
        case menu_option.option
            when 'buy_one' then stg_purchase_scenario.p_document
            when 'buy_all' then 1 - pow(1 - stg_purchase_scenario.p_document, 3)
            when 'teaser' then stg_purchase_scenario.p_teaser
            when 'certificate' then stg_purchase_scenario.p_certificate
        end as p_useful,
        menu.menu = 'bonded' and menu_option.option = 'certificate' as is_refunded
    from stg_purchase_scenario
    cross join menu
    cross join menu_option
),

-- doubles are added in the published order, so that ours equal them to the last bit
value_options as (
    select
        *,
        case
            when option = 'skip' then 0
            when is_refunded
                then p_certificate * document_price_usd + certificate_price_usd
            when option = 'certificate' then document_price_usd + certificate_price_usd
            when option = 'buy_all' then 3 * document_price_usd
            else document_price_usd
        end as spend_usd,
        case
            when option = 'skip' then p_free * value_usd
            when is_refunded
                then
                    (p_useful + (1 - p_useful) * p_free) * value_usd
                    - p_certificate * document_price_usd
                    - certificate_price_usd
            when option = 'certificate'
                then
                    (p_useful + (1 - p_useful) * p_free) * value_usd
                    - (document_price_usd + certificate_price_usd)
            when option = 'buy_all'
                then
                    (p_useful + (1 - p_useful) * p_free) * value_usd
                    - 3 * document_price_usd
            else
                (p_useful + (1 - p_useful) * p_free) * value_usd - document_price_usd
        end as expected_value_usd
    from describe_options
),

rank_options as (
    select
        *,
        row_number() over (
            partition by bank_sha256, scenario_id, menu
            order by expected_value_usd desc, option_number
        ) as place
    from value_options
),

best_option as (
    select
        bank_sha256,
        scenario_id,
        menu,
        max(option) filter (where place = 1) as optimal,
        max(expected_value_usd) filter (where place = 1) as best_value_usd,
        max(expected_value_usd) filter (where place = 2) as second_value_usd
    from rank_options
    group by bank_sha256, scenario_id, menu
),

int_purchase_option as (
    select
        rank_options.bank_sha256,
        rank_options.scenario_id,
        rank_options.menu,
        rank_options.option,
        rank_options.option_number,
        rank_options.value_usd,
        rank_options.p_useful,
        rank_options.spend_usd,
        rank_options.expected_value_usd,
        best_option.optimal,
        rank_options.place = 1 as is_optimal,
        best_option.best_value_usd - best_option.second_value_usd as gap_usd,
        (best_option.best_value_usd - rank_options.expected_value_usd)
        / rank_options.value_usd as regret_share
    from rank_options
    inner join best_option
        on rank_options.bank_sha256 = best_option.bank_sha256
        and rank_options.scenario_id = best_option.scenario_id
        and rank_options.menu = best_option.menu
)

select * from int_purchase_option
