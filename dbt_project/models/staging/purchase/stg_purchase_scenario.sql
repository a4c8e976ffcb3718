-- grain: one row per scenario of a bank (bank_sha256, scenario_id)
-- the numbers that decide; amounts are doubles as published
{{ require_green('purchase_raw') }}
with scenario as (
    select * from {{ source('raw_purchase', 'scenario') }}
),

stg_purchase_scenario as (
    select
        bank_sha256,
        scenario_id,
        value_usd,
        p_free,
        p_document,
        p_teaser,
        p_certificate,
        document_price_usd,
        certificate_price_usd,
        document_unit,
        certificate_unit,
        optimal as stated_optimal,
        optimal_bonded as stated_optimal_bonded,
        topic,
        order_seed,
        _source_file as source_file,
        _source_row as source_row
    from scenario
)

select * from stg_purchase_scenario
