{# How search prices become costs that compare exactly. #}

{# Order of a cost in cents over units, neither of them negative: its whole number of
   10^-18 cents, which is larger for a larger cost and the same for the same one, while
   no pack holds more than 10^9 units, since two fractions with such denominators lie
   10^-18 apart or more. Up to that size nine digits are divided out at a time, since a
   division of 128 bits takes ten times as long. #}
{% macro cost_key(num, den) -%}
    {%- set rest = "(" ~ num ~ " % " ~ den ~ ") * 1000000000" -%}
    case
            when {{ den }} <= 1000000000 then
                ({{ num }} // {{ den }})::hugeint * 1000000000000000000
                + {{ rest }} // {{ den }} * 1000000000
                + {{ rest }} % {{ den }} * 1000000000 // {{ den }}
            else {{ num }}::hugeint * 1000000000000000000 // {{ den }}
        end
{%- endmacro %}

{# Whole cents of an amount in dollars. #}
{% macro cents(amount) -%}
    (({{ amount }}) * 100)::bigint
{%- endmacro %}

{% macro is_amazon(host) -%}
    ({{ host }} = 'amazon.com' or {{ host }} like '%.amazon.com')
{%- endmacro %}

{# The row of the run's shipping policy for each offer of `offers` (run_id, offer_id,
   host, seller_scope, category, price, priced_on, policy_row_id): the one named, else the
   most specific one in force on the day. Offers of marketplace sellers match only rows
   for any seller. A threshold is inclusive; a blank one, or a blank fee below
   it, leaves shipping unknown, as does an order too small to be placed alone. #}
{% macro apply_shipping_policy(offers) -%}
match_policy as (
    select
        {{ offers }}.run_id,
        {{ offers }}.offer_id,
        {{ offers }}.price,
        policy.*
    from {{ offers }}
    inner join stg_search_shipping_policy as policy
        on {{ offers }}.run_id = policy.run_id
        and case
            when {{ offers }}.policy_row_id is not null
                then {{ offers }}.policy_row_id = policy.row_id
            else
                (
                    {{ offers }}.host = policy.domain
                    or {{ offers }}.host like '%.' || policy.domain
                )
                and (
                    policy.seller_scope = 'any'
                    or {{ offers }}.seller_scope = policy.seller_scope
                )
                and (
                    policy.category_scope is null
                    or {{ offers }}.category = policy.category_scope
                )
                and {{ offers }}.priced_on
                between coalesce(policy.effective_from, date '0001-01-01')
                and coalesce(policy.effective_to, date '9999-12-31')
        end
    where {{ offers }}.price is not null
    qualify row_number() over (
        partition by {{ offers }}.run_id, {{ offers }}.offer_id
        order by
            policy.category_scope is null, policy.seller_scope = 'any',
            length(policy.domain) desc, policy.effective_from desc, policy.row_id
    ) = 1
),

apply_policy as (
    select
        run_id,
        offer_id,
        row_id as policy_row_id,
        coalesce(min_order_usd > price, false) as is_below_minimum,
        case
            when min_order_usd > price then null
            when price >= threshold_usd then coalesce(at_or_above_fee_usd, 0.00)
            when price < threshold_usd then below_fee_usd
        end as shipping,
        round(price * coalesce(surcharge_pct, 0) * 0.01, 2)::decimal(12, 2) as fees
    from match_policy
)
{%- endmacro %}

{# Numerator of the difference of two costs: first minus second, over the product of
   their units. #}
{% macro cost_gap(num, den, other_num, other_den) -%}
    ({{ num }}::hugeint * {{ other_den }} - {{ other_num }}::hugeint * {{ den }})
{%- endmacro %}

{# The lower of two such costs, either of which may be null. #}
{% macro lower_cost(first, second) -%}
    case when {{ first }} is null or {{ second }} < {{ first }} then {{ second }}
        else {{ first }} end
{%- endmacro %}

{# Numerator of what a cost saves of the reference, ref_num over ref_den. #}
{% macro saved_by(cost) -%}
    {{ cost_gap('ref_num', 'ref_den', cost ~ '.num', cost ~ '.den') }}
{%- endmacro %}

{# What one cost saves as a share of what another saves; the reference is ref_num over
   ref_den. Null where the other saves nothing, 0 where the one does. #}
{% macro share_of_opportunity(cost, oracle) -%}
    case
            when {{ oracle }} is null then null
            when {{ cost }} is null then 0
            else
                {{ saved_by(cost) }} * {{ oracle }}.den
                / ({{ saved_by(oracle) }} * {{ cost }}.den)
        end
{%- endmacro %}

{# Frame of a window that leaves the row itself out. #}
{% macro all_other_rows() -%}
    rows between unbounded preceding and unbounded following exclude current row
{%- endmacro %}
