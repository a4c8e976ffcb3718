{# Parts of int_search_candidate. #}

{# A candidate with its page, its votes and its ruling side by side, for
   int_search_candidate. #}
{% macro search_ruled_columns() -%}
    task.study_id,
        candidate.run_id,
        candidate.track,
        candidate.candidate_id,
        candidate.task_id,
        task.category,
        task.cost_den as reference_den,
        candidate.url_canonical,
        coalesce(ruling.final_host, audit.final_host, candidate.host) as offer_host,
        candidate.is_self_match
        or coalesce(audit.reason = 'self_match', false)
        or coalesce(ruling.final_url, audit.final_url, '') = task.url_canonical
            as is_self_match,
        coalesce(count_seats.seats, 0) as seats,
        coalesce(votes.valid_mask, 0) as valid_mask,
        coalesce(votes.invalid_mask, 0) as invalid_mask,
        coalesce(votes.n_valid, 0) as n_valid,
        coalesce(votes.n_invalid, 0) as n_invalid,
        case
            when votes.n_valid > count_seats.seats // 2 then 'valid'
            when votes.n_invalid > count_seats.seats // 2 then 'invalid'
            else 'no_majority'
        end as panel_verdict,
        ruling.candidate_id is not null as is_ruled,
        ruling.validity as ruled_validity,
        ruling.status as ruled_status,
        ruling.shipping as ruled_shipping,
        ruling.fees as ruled_fees,
        coalesce(ruling.is_sampled, false) as is_sampled,
        ruling.inclusion_probability,
        ruling.blind_validity,
        audit.candidate_id is not null as is_audited,
        audit.status as recorded_status,
        audit.reason,
        coalesce(audit.has_negative_amount, false) as has_negative_amount,
        coalesce(audit.http_status in (404, 410), false)
        or coalesce(audit.reason = 'dead_link', false) as is_dead,
        coalesce(audit.availability in ('out', 'not_now', 'store_only'), false)
        or coalesce(audit.condition != 'new', false) as is_unbuyable,
        audit.availability,
        coalesce(
            ruling.currency,
            audit.currency,
            case when ruling.status = 'verified' then 'USD' end
        ) as currency,
        audit.price as audited_price,
        coalesce(ruling.price, audit.price) as offer_price,
        coalesce(ruling.price is distinct from audit.price, false)
        and ruling.price is not null as is_repriced,
        audit.shipping as audited_shipping,
        audit.fees as audited_fees,
        nullif(greatest(coalesce(ruling.pack_count, audit.pack_count), 0), 0) as units,
        coalesce(audit.seller_scope, 'unknown') as seller_scope,
        audit.checked_at::date as priced_on,
        coalesce(audit.is_price_mismatch, false) as is_price_mismatch,
        candidate.source_file,
        candidate.source_row
{%- endmacro %}

{# What the later layers read of a candidate. Accepted means valid, verified, in dollars
   and not the reference itself; open means that only the page could not be verified. #}
{% macro search_candidate_columns() -%}
    study_id,
        run_id,
        track,
        candidate_id,
        task_id,
        url_canonical,
        offer_host as host,
        is_self_match,
        seats::bigint as seats,
        valid_mask::bigint as valid_mask,
        invalid_mask::bigint as invalid_mask,
        n_valid::bigint as n_valid,
        n_invalid::bigint as n_invalid,
        (seats - n_valid - n_invalid)::bigint as n_missing,
        panel_verdict,
        validity,
        is_ruled,
        ruled_validity,
        coalesce(
            panel_verdict != 'no_majority' and ruled_validity != panel_verdict, false
        ) as is_overturned,
        is_sampled,
        inclusion_probability,
        blind_validity,
        is_audited,
        recorded_status,
        page_status,
        status,
        currency,
        offer_price as price_usd,
        offer_shipping as shipping_usd,
        offer_fees as fees_usd,
        (offer_price + offer_shipping + offer_fees)::decimal(12, 2) as landed_usd,
        units as pack_count,
        case when cost_den is not null then cost_num end as cost_num,
        case when cost_den is not null then prime_cost_num end as prime_cost_num,
        cost_den,
        validity = 'valid' and status = 'verified' and not is_self_match
        and coalesce(currency = 'USD', false) as is_accepted,
        validity != 'invalid' and not is_self_match
        and status in ('temporarily_unverifiable', 'needs_human')
        and coalesce(currency = 'USD', true) as is_open,
        is_price_mismatch,
        source_file,
        source_row
{%- endmacro %}
