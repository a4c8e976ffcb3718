-- grain: study × model × contrast × reading (base, two-option tasks, audited alone)
-- how far a change moves the chance of being chosen (Hainmueller, Hopkins and Yamamoto
-- 2014): least squares on the stacked options with a slot term, clustered by pair
{{ require_green('hotel_estimates') }}
with est_hotel_amce as (
    select * from {{ ref('est_hotel_amce') }}
),

hotel_amce as (
    select
        study_id::varchar as study_id,
        model_id::varchar as model_id,
        contrast::varchar as contrast,
        'audited'::varchar as reading,
        n::bigint as n,
        clusters::bigint as clusters,
        estimate_pp::double as estimate_pp,
        std_error_pp::double as cluster_std_error_pp,
        p_value::double as p_value,
        ci_lo_pp::double as ci_lo_pp,
        ci_hi_pp::double as ci_hi_pp,
        status::varchar as status
    from est_hotel_amce
)

select * from hotel_amce
