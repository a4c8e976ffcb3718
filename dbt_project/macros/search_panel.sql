{# What the panel of a track made of each candidate: one bit for each seat that accepted
   or refused it. Most of all seats decide, not of those that answered. #}
{% macro count_votes() -%}
number_seats as (
    select
        run_id,
        track,
        judge,
        row_number() over (partition by run_id, track order by judge) - 1 as seat
    from stg_search_judge
),

count_seats as (
    select run_id, track, count(*) as seats
    from stg_search_judge
    group by run_id, track
),

count_votes as (
    select
        vote.run_id,
        vote.track,
        vote.candidate_id,
        {%- for verdict in ['valid', 'invalid'] %}
        coalesce(
            sum((2 ** seat)::bigint) filter (where vote.verdict = '{{ verdict }}'), 0
        ) as {{ verdict }}_mask,
        count(*) filter (where vote.verdict = '{{ verdict }}') as n_{{ verdict }}
        {{- "," if not loop.last }}
        {%- endfor %}
    from stg_search_vote as vote
    inner join number_seats
        on vote.run_id = number_seats.run_id
        and vote.track = number_seats.track
        and vote.judge = number_seats.judge
    group by vote.run_id, vote.track, vote.candidate_id
)
{%- endmacro %}
