-- Do offers vanish or change their price between freezing and checking?
-- One row per study, track and third of the pages by the hours between the freezing of
-- the reference and the check of the page: how many still stood, how many could not be
-- verified, how many cost something else than an agent had claimed. Where the last
-- third lost more, whatever was checked late lowers everyone who found it.
with page as (
    select
        candidate.study_id,
        candidate.track,
        candidate.status,
        candidate.is_price_mismatch,
        date_diff(
            'minute', coalesce(task.shipping_at, task.extraction_at), audit.checked_at
        ) / 60.0 as hours
    from {{ ref('int_search_candidate') }} as candidate
    inner join {{ ref('stg_search_task') }} as task
        on candidate.run_id = task.run_id and candidate.task_id = task.task_id
    inner join {{ ref('stg_search_audit') }} as audit
        on candidate.run_id = audit.run_id
        and candidate.track = audit.track
        and candidate.candidate_id = audit.candidate_id
    where not candidate.is_self_match and audit.checked_at is not null
),

third as (
    select
        *,
        ntile(3) over (partition by study_id, track order by hours) as third_by_lag
    from page
)

select
    study_id,
    track,
    third_by_lag,
    min(hours) as hours_from,
    max(hours) as hours_to,
    count(*) as pages,
    avg((status = 'verified')::int) as verified_share,
    avg((status in ('temporarily_unverifiable', 'needs_human'))::int)
        as unverifiable_share,
    avg(is_price_mismatch::int) as price_mismatch_share
from third
group by study_id, track, third_by_lag
order by study_id, track desc, third_by_lag
