-- grain: study × model × reading, base prompt, two-option answers
-- what a model wrote and whether it followed the slot (Kireyev 2026, section 5.1), for
-- every model: a locked one may still have tastes, an engaged one may ramble
{{ require_green('hotel_estimates') }}
with reply as (
    select * from {{ ref('int_hotel_reply_count') }}
),

-- as published the verdict pools formats; ours looks at the two-option answers
hotel_first_shown as (
    select * from {{ ref('hotel_first_shown') }}
    where variant = 'base'
        and (
            (reading = 'as_published' and format = 'all')
            or (reading = 'audited' and format = 'binary')
        )
),

hotel_coefficient as (
    select * from {{ ref('hotel_coefficient') }}
    where variant = 'base' and block = 'binary' and specification = 'log'
),

hotel_fit as (
    select * from {{ ref('hotel_fit') }}
    where variant = 'base' and block = 'binary' and specification = 'log'
),

log_price as (
    select * from hotel_coefficient
    where term = 'log_price'
),

count_slopes as (
    select
        study_id,
        model_id,
        reading,
        count(p_value) as slopes,
        count(*) filter (where p_value < {{ var('hotel_slope_p') }})
            as significant_slopes
    from hotel_coefficient
    where term not in ('intercept', 'slot')
    group by study_id, model_id, reading
),

hotel_locked_forensics as (
    select
        reply.study_id::varchar as study_id,
        reply.model_id::varchar as model_id,
        reply.reading::varchar as reading,
        hotel_first_shown.verdict::varchar as verdict,
        hotel_first_shown.first_shown_rate::double as first_shown_rate,
        reply.answers::bigint as answers,
        {%- for ordering in ['original', 'swapped'] %}
        reply.{{ ordering }}_count::bigint as {{ ordering }}_count,
        (
            reply.{{ ordering }}_valid_count / nullif(reply.{{ ordering }}_count, 0)
        )::double
            as {{ ordering }}_valid_share,
        (reply.{{ ordering }}_count - reply.{{ ordering }}_valid_count)::bigint
            as {{ ordering }}_invalid_count,
        reply.{{ ordering }}_empty_count::bigint as {{ ordering }}_empty_count,
        (
            reply.{{ ordering }}_first_count
            / nullif(reply.{{ ordering }}_valid_count, 0)
        )::double
            as {{ ordering }}_first_share,
        {%- endfor %}
        (reply.answers - reply.text_count)::bigint as unknown_text_count,
        {%- for kind in hotel_reply_kinds() %}
        (reply.{{ kind }}_count / nullif(reply.text_count, 0))::double
            as {{ kind }}_share,
        {%- endfor %}
        (reply.original_bare_count / nullif(reply.original_text_count, 0))::double
            as original_bare_share,
        {%- for place in range(1, 6) %}
        reply.reply_{{ place }}::varchar as reply_{{ place }},
        reply.reply_{{ place }}_count::bigint as reply_{{ place }}_count,
        {%- endfor %}
        hotel_fit.n::bigint as fit_n,
        log_price.estimate::double as log_price,
        case
            when reply.reading = 'audited' then log_price.cluster_std_error
            else log_price.std_error
        end::double as std_error,
        log_price.p_value::double as p_value,
        hotel_fit.pseudo_r2::double as pseudo_r2,
        count_slopes.slopes::bigint as slopes,
        count_slopes.significant_slopes::bigint as significant_slopes,
        coalesce(log_price.status, 'too_few')::varchar as status
    from reply
    left join hotel_first_shown using (study_id, model_id, reading)
    left join hotel_fit using (study_id, model_id, reading)
    left join log_price using (study_id, model_id, reading)
    left join count_slopes using (study_id, model_id, reading)
)

select * from hotel_locked_forensics
