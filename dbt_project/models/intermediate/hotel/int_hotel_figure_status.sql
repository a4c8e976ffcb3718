-- grain: study × model × specification × term × in_usd, base prompt, two-option answers
-- what the marts know of audited figures beyond their fits (a lock, one order only), so
-- that comparisons of models know it too; in_usd: what the term is worth in dollars
{{ require_green('hotel_estimates') }}
with hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base' and block = 'binary' and reading = 'audited'
        and specification in ('log', 'linear')
),

hotel_wtp as (
    select * from {{ ref('hotel_wtp') }}
    where reading = 'audited'
),

hotel_slot_value as (
    select * from {{ ref('hotel_slot_value') }}
),

int_hotel_figure_status as (
    select study_id, model_id, specification, term, false as in_usd, status
    from hotel_coefficient
    union all
    select
        study_id, model_id, specification, attribute as term, true as in_usd, status
    from hotel_wtp
    union all
    select study_id, model_id, specification, 'slot' as term, true as in_usd, status
    from hotel_slot_value
)

select * from int_hotel_figure_status
