-- grain: bank × block × specification × term
-- what the tasks can teach about a model with assumed tastes, before it is asked: a
-- bank has no study until someone answers it; `run` leads from a study to its bank
-- D-error of Huber and Zwerina (1996), smallest detectable difference of Bloom (1995)
{{ require_green('hotel_estimates') }}
with est_hotel_design as (
    select * from {{ ref('est_hotel_design') }}
),

hotel_design as (
    select
        bank_sha256::varchar as bank_sha256,
        block::varchar as block,
        specification::varchar as specification,
        term::varchar as term,
        bank_tasks::bigint as bank_tasks,
        tasks::bigint as tasks,
        answers::bigint as answers,
        assumed_taste::double as assumed_taste,
        expected_std_error::double as expected_std_error,
        variance_inflation::double as variance_inflation,
        largest_correlation::double as largest_correlation,
        correlated_with::varchar as correlated_with,
        wtp_usd::double as wtp_usd,
        wtp_std_error::double as wtp_std_error_usd,
        wtp_detectable_difference::double as wtp_detectable_difference_usd,
        d_error::double as d_error,
        status::varchar as status
    from est_hotel_design
)

select * from hotel_design
