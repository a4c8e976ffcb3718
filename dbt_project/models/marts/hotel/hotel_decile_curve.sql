-- grain: study × model × block × reading × decile, base prompt
-- utility by tenth of the price, the cheapest being 0 (Kireyev 2026, section 5.2); each
-- block has its own edges
{{ require_green('hotel_estimates') }}
with hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base' and specification = 'decile'
),

hotel_fit as (
    select * from {{ ref('hotel_fit') }}
    where variant = 'base' and specification = 'decile'
),

int_hotel_price_decile as (
    select * from {{ ref('int_hotel_price_decile') }}
),

study_bank as (
    select distinct study_id, bank_sha256 from {{ ref('int_hotel_run') }}
),

hotel_decile_curve as (
    select
        hotel_fit.study_id::varchar as study_id,
        hotel_fit.model_id::varchar as model_id,
        hotel_fit.block::varchar as block,
        hotel_fit.reading::varchar as reading,
        int_hotel_price_decile.decile::bigint as decile,
        int_hotel_price_decile.lower_usd::double as lower_usd,
        int_hotel_price_decile.upper_usd::double as upper_usd,
        int_hotel_price_decile.median_price_usd::double as median_price_usd,
        int_hotel_price_decile.price_count::bigint as price_count,
        hotel_fit.n::bigint as n,
        case
            when int_hotel_price_decile.decile = 1 then 0.0
            else hotel_coefficient.estimate
        end::double as estimate,
        hotel_coefficient.std_error::double as std_error,
        hotel_coefficient.cluster_std_error::double as cluster_std_error,
        hotel_coefficient.twoway_std_error::double as twoway_std_error,
        hotel_coefficient.p_value::double as p_value,
        hotel_coefficient.ci_lo::double as ci_lo,
        hotel_coefficient.ci_hi::double as ci_hi,
        coalesce(hotel_coefficient.status, hotel_fit.status)::varchar as status
    from hotel_fit
    inner join study_bank on hotel_fit.study_id = study_bank.study_id
    inner join int_hotel_price_decile
        on study_bank.bank_sha256 = int_hotel_price_decile.bank_sha256
        and hotel_fit.block = int_hotel_price_decile.block
    left join hotel_coefficient
        on hotel_fit.study_id = hotel_coefficient.study_id
        and hotel_fit.model_id = hotel_coefficient.model_id
        and hotel_fit.block = hotel_coefficient.block
        and hotel_fit.reading = hotel_coefficient.reading
        and hotel_coefficient.term = 'D' || int_hotel_price_decile.decile
)

select * from hotel_decile_curve
