-- grain: run × track × judge
-- what each judge said, and how often people who ruled on the same candidate agreed
{{ require_green('search_estimates') }}
with stg_search_judge as (
    select * from {{ ref('stg_search_judge') }}
),

stg_search_vote as (
    select * from {{ ref('stg_search_vote') }}
),

int_search_candidate as (
    select * from {{ ref('int_search_candidate') }}
    where not is_self_match
),

search_judge as (
    select
        candidate.study_id::varchar as study_id,
        judge.run_id::varchar as run_id,
        judge.track::varchar as track,
        judge.judge::varchar as judge,
        judge.lab::varchar as lab,
        judge.model::varchar as judge_model,
        count(*)::bigint as candidates,
        count(vote.verdict)::bigint as votes,
        (count(*) - count(vote.verdict))::bigint as missing_count,
        (count(*) filter (where vote.is_repaired))::bigint as repaired_count,
        avg((vote.verdict = 'valid')::int)::double as valid_share,
        (
            count(candidate.ruled_validity) filter (where vote.verdict is not null)
        )::bigint as ruled_count,
        avg((vote.verdict = candidate.ruled_validity)::int)::double as accuracy
    from stg_search_judge as judge
    inner join int_search_candidate as candidate
        on judge.run_id = candidate.run_id and judge.track = candidate.track
    left join stg_search_vote as vote
        on judge.run_id = vote.run_id
        and judge.track = vote.track
        and judge.judge = vote.judge
        and candidate.candidate_id = vote.candidate_id
    group by
        candidate.study_id, judge.run_id, judge.track, judge.judge, judge.lab,
        judge.model
)

select * from search_judge
