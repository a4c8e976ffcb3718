-- grain: one row per candidate and track (run_id, track, candidate_id)
-- the version that stands; earlier ones are in stg_search_label_change
{{ require_green('search_raw') }}
with label as (
    select * from {{ source('raw_search', 'label') }}
),

stg_search_label as (
    select
        run_id,
        track,
        candidate_id,
        version,
        validity,
        status,
        price,
        shipping,
        fees,
        currency,
        pack_count,
        availability,
        condition,
        final_url,
        {{ url_host('final_url') }} as final_host,
        overturns_panel,
        reason_code,
        note,
        reviewer,
        labelled_at,
        is_sampled,
        inclusion_probability,
        blind_validity,
        blind_status,
        blind_reviewer,
        _source_file as source_file,
        _source_row as source_row
    from label
)

select * from stg_search_label
