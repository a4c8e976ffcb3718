-- grain: study × model × metric, base prompt, two-option tasks
-- headline figures of the choice models in three designs: as published, the published
-- form refitted on the audited answers, and audited
{{ require_green('hotel_estimates') }}
with est_hotel_logit as (
    select * from {{ ref('est_hotel_logit') }}
    where variant = 'base' and block = 'binary'
        and design in ('as_published', 'audited', 'published_on_audited')
),

est_hotel_wtp as (
    select * from {{ ref('est_hotel_wtp') }}
    where variant = 'base' and specification = 'log' and attribute = 'review_score'
),

list_terms as (
    select
        study_id,
        model_id,
        design,
        specification,
        {{ unnest_lists({'term': 'term', 'estimate': 'estimate'}) }}
    from est_hotel_logit
),

stack_figures as (
    select study_id, model_id, design, term as metric, estimate as figure
    from list_terms
    where
        (specification = 'log' and term in ('log_price', 'review_score'))
        or (specification = 'linear' and term = 'price')
    union all
    select study_id, model_id, design, 'pseudo_r2' as metric, pseudo_r2 as figure
    from est_hotel_logit
    where specification = 'log'
    union all
    select
        study_id,
        model_id,
        design,
        'wtp_review_score_usd' as metric,
        wtp_usd as figure
    from est_hotel_wtp
),

int_hotel_model_figure as (
    select
        study_id,
        model_id,
        metric,
        max(figure) filter (where design = 'as_published') as as_published,
        max(figure) filter (where design = 'published_on_audited')
            as published_on_audited,
        max(figure) filter (where design = 'audited') as audited
    from stack_figures
    group by study_id, model_id, metric
)

select * from int_hotel_model_figure
