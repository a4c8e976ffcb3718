-- grain: one row per step of a verification (run_id, track, candidate_id, seq)
{{ require_green('search_raw') }}
with audit_check as (
    select * from {{ source('raw_search', 'audit_check') }}
),

stg_search_audit_check as (
    select
        run_id,
        track,
        candidate_id,
        seq,
        kind,
        method,
        outcome,
        value,
        evidence_sha256,
        detail,
        checked_at,
        _source_file as source_file,
        _source_row as source_row
    from audit_check
)

select * from stg_search_audit_check
