-- grain: study × model × reading, base prompt
-- do two- and three-option answers share their slopes? (Kireyev 2026, section 5.2)
-- as published by likelihood ratio; audited by a Wald test from the covariances
-- clustered by group, the likelihood ratio beside it
{{ require_green('hotel_estimates') }}
with est_hotel_pooling_test as (
    select * from {{ ref('est_hotel_pooling_test') }}
),

hotel_pooling_test as (
    select
        study_id::varchar as study_id,
        model_id::varchar as model_id,
        reading::varchar as reading,
        {%- for part in ['binary', 'ternary', 'pooled'] %}
        {{ part }}_n::bigint as {{ part }}_n,
        {{ part }}_log_price::double as {{ part }}_log_price,
        {{ part }}_std_error::double as {{ part }}_std_error,
        {{ part }}_log_likelihood::double as {{ part }}_log_likelihood,
        {%- endfor %}
        lr_chi2::double as lr_chi2,
        lr_df::bigint as lr_df,
        lr_p_value::double as lr_p_value,
        wald_chi2::double as wald_chi2,
        wald_df::bigint as wald_df,
        wald_p_value::double as wald_p_value,
        case when reading = 'audited' then wald_p_value else lr_p_value end::double
            as p_value,
        std_error_ratio::double as std_error_ratio,
        status::varchar as status
    from est_hotel_pooling_test
)

select * from hotel_pooling_test
