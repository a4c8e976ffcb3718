-- grain: one row per product of a run that is not excluded (run_id, task_id)
-- the reference after corrections: what it costs, per unit where it is a multipack
-- (num cents over den units), in both scenarios; a void one, or one whose cost is
-- unknown, is not scored
{{ require_green('search_staging') }}
with stg_search_run as (
    select * from {{ ref('stg_search_run') }}
    where not is_excluded
),

stg_search_task as (
    select * from {{ ref('stg_search_task') }}
),

stg_search_cell as (
    select * from {{ ref('stg_search_cell') }}
),

stg_search_ref_label as (
    select * from {{ ref('stg_search_ref_label') }}
),

stg_search_shipping_policy as (
    select * from {{ ref('stg_search_shipping_policy') }}
),

correct_reference as (
    select
        stg_search_run.study_id,
        stg_search_run.source,
        task.*,
        stg_search_cell.kind,
        stg_search_cell.stratum,
        stg_search_cell.subcategory,
        stg_search_cell.selected_rank,
        correction.task_id is not null as is_corrected,
        coalesce(correction.is_void, false) as is_void,
        coalesce(correction.price_usd, task.price_usd) as reference_price,
        coalesce(correction.price_usd != task.price_usd, false) as is_repriced,
        correction.shipping_usd as corrected_shipping,
        correction.fees_usd as corrected_fees,
        coalesce(correction.pack_count, task.pack_count) as units,
        coalesce(correction.is_fashion, task.is_fashion) as fashion
    from stg_search_run
    inner join stg_search_task as task on stg_search_run.run_id = task.run_id
    left join stg_search_cell
        on task.run_id = stg_search_cell.run_id
        and task.cell_id = stg_search_cell.cell_id
    left join stg_search_ref_label as correction
        on task.run_id = correction.run_id and task.task_id = correction.task_id
),

offer as (
    select
        run_id,
        task_id as offer_id,
        host,
        'first_party' as seller_scope,
        category,
        reference_price as price,
        coalesce(shipping_at, extraction_at)::date as priced_on,
        shipping_policy_row as policy_row_id
    from correct_reference
),

{{ apply_shipping_policy('offer') }},

-- a corrected price is looked up again, unless shipping and fees are corrected too
settle_shipping as (
    select
        correct_reference.*,
        case
            when corrected_shipping is not null then corrected_shipping
            when is_repriced and policy.offer_id is not null then policy.shipping
            else coalesce(shipping_usd, policy.shipping)
        end as reference_shipping,
        case
            when corrected_fees is not null then corrected_fees
            when is_repriced and policy.offer_id is not null then policy.fees
            else coalesce(fees_usd, policy.fees, 0.00)
        end as reference_fees
    from correct_reference
    left join apply_policy as policy
        on correct_reference.run_id = policy.run_id
        and correct_reference.task_id = policy.offer_id
),

count_cents as (
    select
        *,
        {{ cents('reference_price + reference_shipping + reference_fees') }}
            as cost_num,
        {{ cents('reference_price + reference_fees') }}
        + case
            when {{ is_amazon('host') }} then 0
            else {{ cents('reference_shipping') }}
        end as prime_cost_num,
        case when units > 1 then units else 1 end as cost_den
    from settle_shipping
),

int_search_task as (
    select
        study_id,
        run_id,
        task_id,
        source,
        bank_sha256,
        position,
        label,
        title,
        retailer,
        category,
        kind,
        stratum,
        subcategory,
        selected_rank,
        -- stores of the long tail share neither sellers nor shipping rules
        case when retailer = 'longtail' then host else retailer end as shop,
        host,
        url_canonical,
        {{ is_amazon('host') }} as is_amazon,
        reference_price as price_usd,
        reference_shipping as shipping_usd,
        reference_fees as fees_usd,
        (reference_price + reference_shipping + reference_fees)::decimal(12, 2)
            as landed_usd,
        units as pack_count,
        case when cost_den > 1 then 'per_unit' else 'total' end as basis,
        cost_num,
        prime_cost_num,
        cost_den,
        fashion as is_fashion,
        is_corrected,
        is_void,
        not is_void and coalesce(cost_num > 0, false) as is_scored,
        stated_landed_usd,
        source_file,
        source_row
    from count_cents
)

select * from int_search_task
