-- grain: study × model × reading, base prompt
-- the hotel scorecard; headline: willingness to pay for one review point, log form at
-- $250; no value is better than another, so there is no rank
-- a model without two-option answers stands here with what its others say
{{ require_green('hotel_estimates') }}
with run as (
    select * from {{ ref('int_hotel_run') }}
    where not is_excluded and variant = 'base' and source != 'derived'
),

hotel_first_shown as (
    select * from {{ ref('hotel_first_shown') }}
    where variant = 'base'
),

hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base' and block = 'binary' and specification = 'log'
),

hotel_fit as (
    select * from {{ ref('hotel_fit') }}
    where variant = 'base' and block = 'binary' and specification = 'log'
),

hotel_functional_form as (
    select * from {{ ref('hotel_functional_form') }}
    where block = 'binary'
),

hotel_wtp as (
    select * from {{ ref('hotel_wtp') }}
    where attribute = 'review_score'
),

log_wtp as (
    select * from hotel_wtp
    where specification = 'log'
),

linear_wtp as (
    select study_id, model_id, reading, wtp_usd as linear_wtp_usd
    from hotel_wtp
    where specification = 'linear'
),

describe_runs as (
    select
        study_id,
        model_id,
        min(source) as source,
        min(bank_sha256) as bank_sha256,
        max(run_date) as run_date,
        {{ join_distinct('settings_label') }} as settings_label,
        {{ join_distinct('providers_served') }} as providers_served,
        sum(cost_usd) as cost_usd
    from run
    group by study_id, model_id
),

spread_terms as (
    select
        study_id,
        model_id,
        reading,
        {%- for term in ['slot', 'log_price', 'review_score'] %}
        max(estimate) filter (where term = '{{ term }}') as {{ term }},
        max(status) filter (where term = '{{ term }}') as {{ term }}_status
        {{- "," if not loop.last }}
        {%- endfor %}
    from hotel_coefficient
    group by study_id, model_id, reading
),

-- `all` holds the two- and three-option answers
answered as (
    select study_id, model_id, reading from hotel_first_shown
    where format = 'all'
),

-- as published the gate pools formats; ours looks at the two-option answers
choose_slot_shares as (
    select * from hotel_first_shown
    where (reading = 'as_published' and format = 'all')
        or (reading = 'audited' and format = 'binary')
),

hotel_board as (
    select
        describe_runs.study_id::varchar as study_id,
        describe_runs.model_id::varchar as model_id,
        'hotel'::varchar as instrument,
        answered.reading::varchar as reading,
        'base'::varchar as scope,
        'wtp_review_score_usd'::varchar as headline,
        log_wtp.wtp_usd::double as value,
        log_wtp.ci_lo::double as ci_lo,
        log_wtp.ci_hi::double as ci_hi,
        null::double as rank_lo,
        null::double as rank_hi,
        coalesce(log_wtp.status, hotel_fit.status, 'too_few')::varchar as status,
        coalesce(hotel_fit.n, 0)::bigint as n,
        (
            choose_slot_shares.failed_count::double
            / nullif(choose_slot_shares.answers, 0)
        )::double as failed_share,
        describe_runs.cost_usd::decimal(18, 9) as cost_usd,
        describe_runs.run_date::date as run_date,
        describe_runs.settings_label::varchar as settings_label,
        describe_runs.providers_served::varchar as providers_served,
        describe_runs.bank_sha256::varchar as bank_sha256,
        describe_runs.source::varchar as source,
        choose_slot_shares.first_shown_rate::double as first_shown_rate,
        coalesce(choose_slot_shares.verdict, 'no_data')::varchar as verdict,
        spread_terms.slot::double as slot,
        spread_terms.slot_status::varchar as slot_status,
        spread_terms.log_price::double as log_price,
        coalesce(spread_terms.log_price_status, 'too_few')::varchar as log_price_status,
        spread_terms.review_score::double as review_score,
        coalesce(spread_terms.review_score_status, 'too_few')::varchar
            as review_score_status,
        hotel_fit.pseudo_r2::double as pseudo_r2,
        hotel_functional_form.form::varchar as price_form,
        linear_wtp.linear_wtp_usd::double as linear_wtp_usd,
        coalesce(
            choose_slot_shares.n > 0
            and choose_slot_shares.swapped_count in (0, choose_slot_shares.n),
            false
        )::boolean as one_order_only,
        coalesce(choose_slot_shares.answers, 0)::bigint as answers,
        coalesce(choose_slot_shares.invalid_count, 0)::bigint as invalid_count,
        coalesce(choose_slot_shares.failed_count, 0)::bigint as failed_count,
        coalesce(choose_slot_shares.duplicate_count, 0)::bigint as duplicate_count,
        coalesce(choose_slot_shares.other_offset_count, 0)::bigint
            as other_offset_count
    from describe_runs
    inner join answered using (study_id, model_id)
    left join hotel_fit using (study_id, model_id, reading)
    left join choose_slot_shares using (study_id, model_id, reading)
    left join spread_terms using (study_id, model_id, reading)
    left join hotel_functional_form using (study_id, model_id, reading)
    left join log_wtp using (study_id, model_id, reading)
    left join linear_wtp using (study_id, model_id, reading)
)

select * from hotel_board
