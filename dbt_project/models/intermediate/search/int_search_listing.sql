-- grain: one row per listing (run_id, listing_id) of runs that are not excluded
-- what scoring needs of a listing on one row: the judges' votes as a mask and what its
-- candidate costs; beside it what the agent claims, for pages that can't be verified
{{ require_green('search_staging') }}
with int_search_task as (
    select * from {{ ref('int_search_task') }}
),

int_search_candidate as (
    select * from {{ ref('int_search_candidate') }}
),

stg_search_listing as (
    select * from {{ ref('stg_search_listing') }}
),

claim as (
    select
        listing.*,
        task.study_id,
        task.position,
        candidate.valid_mask,
        candidate.invalid_mask,
        coalesce(candidate.is_self_match, false) as is_self_match,
        coalesce(candidate.is_accepted, false) as is_accepted,
        coalesce(candidate.is_open, false) as is_open,
        candidate.validity,
        candidate.status,
        candidate.cost_num,
        candidate.prime_cost_num,
        candidate.cost_den,
        candidate.price_usd,
        coalesce(listing.landed_price, listing.item_price + coalesce(
            listing.shipping_price, 0.00
        )) as claimed_usd,
        {{ is_amazon('candidate.host') }} as is_amazon,
        case
            when task.cost_den = 1 then 1
            else nullif(coalesce(candidate.pack_count, listing.pack_count), 0)
        end as claimed_den
    from stg_search_listing as listing
    inner join int_search_task as task
        on listing.run_id = task.run_id and listing.task_id = task.task_id
    left join int_search_candidate as candidate
        on listing.run_id = candidate.run_id
        and listing.track = candidate.track
        and listing.candidate_id = candidate.candidate_id
),

int_search_listing as (
    select
        study_id,
        run_id,
        track,
        agent,
        task_id,
        position,
        listing_id,
        rank,
        candidate_id,
        valid_mask,
        invalid_mask,
        is_self_match,
        is_accepted,
        is_open,
        validity,
        status,
        cost_num,
        prime_cost_num,
        cost_den,
        coalesce(cost_num, {{ cents('claimed_usd') }}) as open_num,
        coalesce(
            prime_cost_num,
            case
                when is_amazon then {{ cents('item_price') }}
                else {{ cents('claimed_usd') }}
            end
        ) as prime_open_num,
        claimed_den as open_den,
        coalesce(item_price != price_usd, false) as is_price_mismatch,
        has_negative_claim,
        source_file,
        source_row
    from claim
)

select * from int_search_listing
order by run_id, track, task_id
