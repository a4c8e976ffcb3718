-- grain: one row per decision as it stands in its file (answer_key)
-- of several rows for one scenario, label and repeat the last one counts; earlier ones
-- are marked, never dropped
{{ require_green('purchase_raw') }}
with response as (
    select * from {{ source('raw_purchase', 'response') }}
),

stg_purchase_response as (
    select
        concat_ws(
            ':', source, run_id, substr(bank_sha256, 1, 12), _source_file, _source_row
        ) as answer_key,
        run_id,
        source,
        bank_sha256,
        scenario_id,
        label,
        repeat,
        choice,
        reply_state,
        coalesce(choice, reply_state) as category,
        row_number() over (
            partition by bank_sha256, source, run_id, scenario_id, label, repeat
            order by _source_row desc, _source_file desc
        ) > 1 as is_superseded,
        raw_output,
        error,
        provider,
        model_id_served,
        finish,
        prompt_tokens,
        completion_tokens,
        reasoning_tokens,
        cost_usd,
        secs,
        stated_regret_share,
        stated_is_optimal,
        stated_bought,
        stated_buy_optimal,
        _source_file as source_file,
        _source_row as source_row
    from response
)

select * from stg_purchase_response
