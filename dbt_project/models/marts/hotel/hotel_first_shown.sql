-- grain: study × model × variant × format × reading
-- how often the first card wins, and whether position alone decides
-- as published: verdict on `all`, band |first_shown_rate - 0.5| <= 0.35; audited: slot
-- shares per format against uniform, `all` takes the worst of its formats
{{ require_green('hotel_estimates') }}
with int_hotel_slot_count as (
    select * from {{ ref('int_hotel_slot_count') }}
),

est_hotel_slot_test as (
    select * from {{ ref('est_hotel_slot_test') }}
),

compute_shares as (
    select
        int_hotel_slot_count.*,
        n >= 1 as has_data,
        first_shown_count::double / nullif(n, 0) as first_shown_share,
        {%- for slot in range(1, 6) %}
        slot{{ slot }}_count::double / nullif(n, 0) as slot{{ slot }}_share,
        {%- endfor %}
        greatest(
            slot1_count, slot2_count, coalesce(slot3_count, 0),
            coalesce(slot4_count, 0), coalesce(slot5_count, 0)
        ) as top_slot_count
    from int_hotel_slot_count
),

join_tests as (
    select
        compute_shares.*,
        top_slot_count::double / nullif(n, 0) as top_slot_share,
        case top_slot_count
            when slot1_count then 1
            when slot2_count then 2
            when slot3_count then 3
            when slot4_count then 4
            else 5
        end as top_slot,
        est_hotel_slot_test.p_uniform,
        est_hotel_slot_test.p_uniform_holm
    from compute_shares
    left join est_hotel_slot_test
        on compute_shares.reading = 'audited'
        and compute_shares.study_id = est_hotel_slot_test.study_id
        and compute_shares.model_id = est_hotel_slot_test.model_id
        and compute_shares.variant = est_hotel_slot_test.variant
        and compute_shares.format = est_hotel_slot_test.format
),

judge_formats as (
    select
        *,
        case
            when not has_data then 'no_data'
            when n < {{ var('hotel_min_answers') }} then 'too_few'
            when top_slot_share >= {{ var('hotel_locked_share') }}
                then 'locked_slot' || top_slot
            when p_uniform_holm < {{ var('hotel_leaning_p') }}
                then 'leaning_slot' || top_slot
            else 'engaged'
        end as format_verdict
    from join_tests
),

rank_formats as (
    select
        study_id,
        model_id,
        variant,
        format_verdict,
        row_number() over (
            partition by study_id, model_id, variant
            order by
                case
                    when format_verdict like 'locked%' then 1
                    when format_verdict like 'leaning%' then 2
                    when format_verdict = 'engaged' then 3
                    when format_verdict = 'too_few' then 4
                    else 5
                end,
                top_slot_share desc nulls last,
                format
        ) as severity_rank
    from judge_formats
    where reading = 'audited' and format in ('binary', 'ternary')
),

hotel_first_shown as (
    select
        judge_formats.study_id::varchar as study_id,
        judge_formats.model_id::varchar as model_id,
        judge_formats.variant::varchar as variant,
        judge_formats.format::varchar as format,
        judge_formats.reading::varchar as reading,
        judge_formats.answers::bigint as answers,
        judge_formats.n::bigint as n,
        judge_formats.invalid_count::bigint as invalid_count,
        judge_formats.failed_count::bigint as failed_count,
        judge_formats.duplicate_count::bigint as duplicate_count,
        judge_formats.other_offset_count::bigint as other_offset_count,
        judge_formats.other_choice_count::bigint as other_choice_count,
        judge_formats.swapped_count::bigint as swapped_count,
        judge_formats.first_shown_count::bigint as first_shown_count,
        judge_formats.first_shown_share::double as first_shown_rate,
        case
            when judge_formats.reading = 'as_published'
                then abs(judge_formats.first_shown_share - 0.5)
            else {{ largest_imbalance('judge_formats') }}
        end::double as imbalance,
        {%- for slot in range(1, 6) %}
        judge_formats.slot{{ slot }}_count::bigint as slot{{ slot }}_count,
        judge_formats.slot{{ slot }}_share::double as slot{{ slot }}_share,
        {%- endfor %}
        judge_formats.p_uniform::double as p_uniform,
        judge_formats.p_uniform_holm::double as p_uniform_holm,
        case
            when judge_formats.reading = 'as_published'
                then {{ published_verdict('judge_formats') }}
            when judge_formats.format = 'all' then rank_formats.format_verdict
            else judge_formats.format_verdict
        end::varchar as verdict
    from judge_formats
    left join rank_formats
        on judge_formats.study_id = rank_formats.study_id
        and judge_formats.model_id = rank_formats.model_id
        and judge_formats.variant = rank_formats.variant
        and rank_formats.severity_rank = 1
)

select * from hotel_first_shown
