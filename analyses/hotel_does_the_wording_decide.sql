-- Does another prompt change what a model prefers?
-- One row per model, variant and figure, audited: the figure under the base
-- prompt and under the variant on the same pairs, their difference with its
-- interval, p adjusted over all differences of a study, and the smallest
-- difference that so many pairs would show.
select
    model.display_name,
    effect.study_id,
    effect.variant,
    effect.statistic,
    effect.base_estimate,
    effect.estimate,
    effect.difference,
    effect.ci_lo,
    effect.ci_hi,
    effect.p_holm,
    effect.smallest_detectable,
    effect.status
from {{ ref('hotel_variant_effect') }} as effect
inner join {{ ref('model') }} as model on effect.model_id = model.model_id
where effect.reading = 'audited'
order by
    effect.study_id,
    effect.p_holm nulls last,
    model.display_name,
    effect.variant,
    effect.statistic
