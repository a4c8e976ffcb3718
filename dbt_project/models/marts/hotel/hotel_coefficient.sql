-- grain: study × model × variant × block × specification × reading × term
-- coefficients of the choice models (Kireyev 2026, section 4); the audited reading has
-- a slot term, leaves out answers that name no option and clusters by pair
{{ require_green('hotel_estimates') }}
with est_hotel_logit as (
    select * from {{ ref('est_hotel_logit') }}
    where design in ('as_published', 'audited')
),

hotel_first_shown as (
    select * from {{ ref('hotel_first_shown') }}
    where reading = 'audited'
),

list_terms as (
    select
        study_id,
        model_id,
        variant,
        block,
        specification,
        design as reading,
        {{ unnest_lists({
            'term': 'term', 'estimate': 'estimate', 'std_error': 'std_error',
            'cluster_std_error': 'cluster_std_error',
            'twoway_std_error': 'twoway_std_error', 'p_value': 'p_value',
            'ci_lo': 'ci_lo', 'ci_hi': 'ci_hi', 'term_status': 'term_status',
        }) }}
    from est_hotel_logit
),

hotel_coefficient as (
    select
        list_terms.study_id::varchar as study_id,
        list_terms.model_id::varchar as model_id,
        list_terms.variant::varchar as variant,
        list_terms.block::varchar as block,
        list_terms.specification::varchar as specification,
        list_terms.reading::varchar as reading,
        list_terms.term::varchar as term,
        list_terms.estimate::double as estimate,
        list_terms.std_error::double as std_error,
        list_terms.cluster_std_error::double as cluster_std_error,
        list_terms.twoway_std_error::double as twoway_std_error,
        list_terms.p_value::double as p_value,
        list_terms.ci_lo::double as ci_lo,
        list_terms.ci_hi::double as ci_hi,
        case
            -- asked in one order only, the slot is a constant of option A
            when
                list_terms.reading = 'audited'
                and list_terms.term like 'slot%'
                and list_terms.term_status = 'ok'
                and hotel_first_shown.swapped_count in (0, hotel_first_shown.n)
                then 'weak'
            when
                list_terms.reading = 'audited'
                and list_terms.term_status in ('ok', 'weak')
                and hotel_first_shown.verdict like 'locked%'
                and list_terms.ci_lo <= 0
                and list_terms.ci_hi >= 0
                then 'locked'
            else list_terms.term_status
        end::varchar as status
    from list_terms
    left join hotel_first_shown
        on list_terms.study_id = hotel_first_shown.study_id
        and list_terms.model_id = hotel_first_shown.model_id
        and list_terms.variant = hotel_first_shown.variant
        -- the verdict on pooled answers is the worst of their formats
        and case when list_terms.block = 'pooled' then 'all' else list_terms.block end
        = hotel_first_shown.format
)

select * from hotel_coefficient
