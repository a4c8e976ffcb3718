-- Do judges accept more of what agents of their own lab found?
-- One row per study, track, lab of the judge and provider of the agent: how many votes
-- on pages that such an agent found, how often the judge accepts them, and how often
-- the other seats accept the same pages. Judges never see who found a page; a judge
-- that favours its own lab all the same has a larger gap where is_own_lab.
with found as (
    select distinct
        listing.study_id,
        listing.run_id,
        listing.track,
        listing.candidate_id,
        coalesce(model.provider, split_part(run.model_id, '/', 1)) as provider
    from {{ ref('int_search_listing') }} as listing
    inner join {{ ref('int_search_run') }} as run
        on listing.run_id = run.run_id and listing.agent = run.agent
    inner join {{ ref('model') }} as model on run.model_id = model.model_id
    where not listing.is_self_match and not run.is_excluded
),

vote as (
    select
        cast_vote.run_id,
        cast_vote.track,
        cast_vote.candidate_id,
        judge.lab,
        (cast_vote.verdict = 'valid')::int as accepts
    from {{ ref('stg_search_vote') }} as cast_vote
    inner join {{ ref('stg_search_judge') }} as judge
        on cast_vote.run_id = judge.run_id
        and cast_vote.track = judge.track
        and cast_vote.judge = judge.judge
    where cast_vote.verdict is not null
),

with_others as (
    select
        vote.*,
        sum(accepts) over (page) - accepts as others_accepting,
        count(*) over (page) - 1 as other_votes
    from vote
    window page as (partition by run_id, track, candidate_id)
)

select
    found.study_id,
    found.track,
    with_others.lab as judge_lab,
    found.provider as agent_provider,
    lower(with_others.lab) = lower(found.provider) as is_own_lab,
    count(*) as votes,
    avg(with_others.accepts) as accepted_share,
    sum(with_others.others_accepting) / nullif(sum(with_others.other_votes), 0)
        as accepted_share_of_others
from found
inner join with_others
    on found.run_id = with_others.run_id
    and found.track = with_others.track
    and found.candidate_id = with_others.candidate_id
group by found.study_id, found.track, with_others.lab, found.provider
order by found.study_id, found.track desc, judge_lab, agent_provider
