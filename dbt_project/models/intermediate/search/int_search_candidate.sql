-- grain: one row per candidate and track (run_id, track, candidate_id), runs that are
-- excluded left out
-- what the panel said, what a person said, what the page says and costs; a person's
-- value replaces the page's field by field, and only a ruling on the status changes it
{{ require_green('search_staging') }}
with int_search_task as (
    select * from {{ ref('int_search_task') }}
),

stg_search_candidate as (
    select * from {{ ref('stg_search_candidate') }}
),

stg_search_audit as (
    select * from {{ ref('stg_search_audit') }}
),

stg_search_label as (
    select * from {{ ref('stg_search_label') }}
),

stg_search_judge as (
    select * from {{ ref('stg_search_judge') }}
),

stg_search_vote as (
    select * from {{ ref('stg_search_vote') }}
),

stg_search_shipping_policy as (
    select * from {{ ref('stg_search_shipping_policy') }}
),

{{ count_votes() }},

rule_on_candidate as (
    select
        {{ search_ruled_columns() }}
    from stg_search_candidate as candidate
    inner join int_search_task as task
        on candidate.run_id = task.run_id and candidate.task_id = task.task_id
    left join count_seats
        on candidate.run_id = count_seats.run_id
        and candidate.track = count_seats.track
    {%- for joined, relation in {
        'votes': 'count_votes', 'audit': 'stg_search_audit',
        'ruling': 'stg_search_label',
    }.items() %}
    left join {{ relation }} as {{ joined }}
        on candidate.run_id = {{ joined }}.run_id
        and candidate.track = {{ joined }}.track
        and candidate.candidate_id = {{ joined }}.candidate_id
    {%- endfor %}
),

offer as (
    select
        *,
        track || ':' || candidate_id as offer_id,
        offer_host as host,
        offer_price as price,
        null::varchar as policy_row_id
    from rule_on_candidate
),

{{ apply_shipping_policy('offer') }},

-- a corrected price is looked up again, unless shipping and fees are corrected too;
-- no fee stated and none in the table means none
settle_shipping as (
    select
        offer.*,
        coalesce(policy.is_below_minimum, false) as is_below_minimum,
        case
            when ruled_shipping is not null then ruled_shipping
            when is_repriced and policy.offer_id is not null then policy.shipping
            when has_negative_amount then audited_shipping
            else coalesce(audited_shipping, policy.shipping)
        end as offer_shipping,
        case
            when ruled_fees is not null then ruled_fees
            when is_repriced and policy.offer_id is not null then policy.fees
            else coalesce(audited_fees, policy.fees, 0.00)
        end as offer_fees
    from offer
    left join apply_policy as policy
        on offer.run_id = policy.run_id and offer.offer_id = policy.offer_id
),

judge_page as (
    select
        *,
        case
            when is_dead or is_unbuyable or currency != 'USD'
                or (is_below_minimum and not is_repriced)
                then 'rejected'
            when availability = 'unknown'
                or (audited_price is not null and reference_den > 1 and units is null)
                then 'needs_human'
            when audited_price is null or offer_shipping is null or has_negative_amount
                or currency is null
                then 'temporarily_unverifiable'
            else 'verified'
        end as page_status,
        {{ cents('offer_price + offer_shipping + offer_fees') }} as cost_num,
        {{ cents('offer_price + offer_fees') }}
        + case
            when {{ is_amazon('offer_host') }} then 0
            else {{ cents('offer_shipping') }}
        end as prime_cost_num,
        case when reference_den > 1 then units else 1 end as cost_den
    from settle_shipping
),

settle_status as (
    select
        *,
        case
            when ruled_status is not null then ruled_status
            else
                {{ graver_status(
                    "coalesce(recorded_status, 'temporarily_unverifiable')",
                    'page_status',
                ) }}
        end as settled_status
    from judge_page
),

int_search_candidate as (
    select
        {{ search_candidate_columns() }}
    from (
        select
            *,
            coalesce(ruled_validity, panel_verdict) as validity,
            -- never assume one unit, not even where a person verified the page
            case
                when settled_status = 'verified' and cost_den is null then 'needs_human'
                else settled_status
            end as status
        from settle_status
    ) as settled
)

select * from int_search_candidate
