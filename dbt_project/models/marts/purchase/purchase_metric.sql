-- grain: study × model × metric × reading
-- the ten published metrics in both readings, and four that only the audit has
{{ require_green('purchase_estimates') }}
with est_purchase_metric as (
    select * from {{ ref('est_purchase_metric') }}
),

purchase_metric as (
    select
        study_id::varchar as study_id,
        model_id::varchar as model_id,
        metric::varchar as metric,
        reading::varchar as reading,
        value::double as value,
        ci_lo::double as ci_lo,
        ci_hi::double as ci_hi,
        n::bigint as n,
        replicates::bigint as replicates,
        undefined_replicates::bigint as undefined_replicates,
        status::varchar as status
    from est_purchase_metric
)

select * from purchase_metric
