-- grain: study × reading × axis × model, base prompt
-- scores of capability tables and the logarithm of the size beside each model's taste;
-- tables name models by display name, and a name with two scores has none
{{ require_green('hotel_estimates') }}
with stg_hotel_capability_score as (
    select * from {{ ref('stg_hotel_capability_score') }}
),

int_hotel_taste as (
    select * from {{ ref('int_hotel_taste') }}
),

int_hotel_model as (
    select * from {{ ref('int_hotel_model') }}
),

stack_axes as (
    {%- for axis in ['score_aa', 'score_arena', 'score_mmlu'] %}
    select '{{ axis }}' as axis, model_name, {{ axis }} as score
    from stg_hotel_capability_score
    union all
    {%- endfor %}
    -- proprietary models do not state their size
    select 'log10_parameters_b' as axis, display_name, log10(parameters_b) as score
    from int_hotel_model
),

score_once as (
    select
        axis,
        model_name,
        case when count(distinct score) = 1 then max(score) end as score
    from stack_axes
    group by axis, model_name
),

axis_name as (
    select distinct axis from stack_axes
),

int_hotel_capability as (
    select
        int_hotel_taste.study_id,
        int_hotel_taste.reading,
        axis_name.axis,
        int_hotel_taste.model_id,
        score_once.score::double as score,
        int_hotel_model.family,
        coalesce(int_hotel_model.open_weights, false) as open_weights,
        int_hotel_taste.engaged,
        int_hotel_taste.well_identified,
        int_hotel_taste.log_price,
        int_hotel_taste.log_price_p_value,
        int_hotel_taste.pseudo_r2,
        int_hotel_taste.net_pseudo_r2,
        int_hotel_taste.wtp_usd
    from int_hotel_taste
    cross join axis_name
    inner join int_hotel_model on int_hotel_taste.model_id = int_hotel_model.model_id
    left join score_once
        on axis_name.axis = score_once.axis
        and int_hotel_model.display_name = score_once.model_name
)

select * from int_hotel_capability
