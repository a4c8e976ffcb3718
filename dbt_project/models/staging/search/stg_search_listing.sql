-- grain: one row per listing that an agent claims (run_id, listing_id)
-- claims only: what is scored is the audit of the candidate
{{ require_green('search_raw') }}
with listing as (
    select * from {{ source('raw_search', 'listing') }}
),

finding as (
    select * from {{ source('raw_search', 'finding') }}
),

stg_search_listing as (
    select
        listing.run_id,
        listing.listing_id,
        listing.agent,
        listing.track,
        listing.task_id,
        listing.rank,
        finding.candidate_id,
        listing.url,
        listing.url_canonical,
        listing.title,
        listing.retailer,
        listing.seller,
        case when listing.item_price >= 0 then listing.item_price end as item_price,
        case when listing.shipping_price >= 0 then listing.shipping_price end
            as shipping_price,
        case when listing.landed_price >= 0 then listing.landed_price end
            as landed_price,
        coalesce(
            least(listing.item_price, listing.shipping_price, listing.landed_price) < 0,
            false
        ) as has_negative_claim,
        listing.currency,
        listing.pack_count,
        listing.condition,
        listing.in_stock,
        listing.note,
        listing.warnings,
        listing._source_file as source_file,
        listing._source_row as source_row
    from listing
    left join finding
        on listing.run_id = finding.run_id
        and listing.listing_id = finding.listing_id
)

select * from stg_search_listing
