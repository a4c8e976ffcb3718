-- grain: one row per model name of a loaded capability table
-- outside benchmark scores, kept as printed; source_* says where each was read
{{ require_green('hotel_raw') }}
with capability_score as (
    select * from {{ source('raw_hotel', 'capability_score') }}
),

stg_hotel_capability_score as (
    select
        model_name,
        score_aa,
        score_arena,
        score_mmlu,
        source_aa,
        source_arena,
        source_mmlu,
        retrieved,
        _source_file as source_file,
        _source_sha256 as source_sha256,
        _source_row as source_row
    from capability_score
)

select * from stg_hotel_capability_score
