-- grain: run × track × agent
-- what became of the calls, listings and candidates of an agent, and what could not be
-- counted; candidates are those of products that are scored
{{ require_green('search_estimates') }}
with int_search_task as (
    select * from {{ ref('int_search_task') }}
),

int_search_candidate as (
    select * from {{ ref('int_search_candidate') }}
),

int_search_listing as (
    select * from {{ ref('int_search_listing') }}
),

int_search_run as (
    select study_id, run_id, agent, model_id from {{ ref('int_search_run') }}
    where not is_excluded
),

stg_search_call as (
    select * from {{ ref('stg_search_call') }}
),

est_search_agreement as (
    select * from {{ ref('est_search_agreement') }}
),

count_tasks as (
    select
        run_id,
        count(*) as tasks,
        count(*) filter (where is_void) as void_tasks,
        count(*) filter (where not is_void and not is_scored) as unpriced_tasks,
        count(*) filter (where is_scored) as scored_tasks
    from int_search_task
    group by run_id
),

count_calls as (
    select
        call.run_id,
        call.track,
        call.agent,
        count(*) as calls,
        count(*) filter (where task.is_scored) as scored_calls,
        {%- for status in search_call_statuses() %}
        count(*) filter (where call.status = '{{ status }}') as {{ status }}_count,
        {%- endfor %}
        sum(call.listings_dropped) as listings_dropped
    from stg_search_call as call
    inner join int_search_task as task
        on call.run_id = task.run_id and call.task_id = task.task_id
    group by call.run_id, call.track, call.agent
),

count_listings as (
    select
        run_id,
        track,
        agent,
        count(*) as listings,
        count(*) filter (where candidate_id is null) as unpooled_listings,
        count(*) filter (where is_price_mismatch) as price_mismatches,
        count(*) filter (where has_negative_claim) as negative_claims
    from int_search_listing
    group by run_id, track, agent
),

found_candidate as (
    select distinct
        listing.agent,
        candidate.*
    from int_search_listing as listing
    inner join int_search_candidate as candidate
        on listing.run_id = candidate.run_id
        and listing.track = candidate.track
        and listing.candidate_id = candidate.candidate_id
    inner join int_search_task as task
        on candidate.run_id = task.run_id and candidate.task_id = task.task_id
    where task.is_scored
),

count_candidates as (
    select
        run_id,
        track,
        agent,
        count(*) as candidates,
        {{ search_candidate_counts() }}
    from found_candidate
    group by run_id, track, agent
),

search_coverage as (
    select
        {{ search_coverage_columns() }}
    from count_calls
    inner join int_search_run as run using (run_id, agent)
    inner join count_tasks using (run_id)
    left join count_listings using (run_id, track, agent)
    left join count_candidates using (run_id, track, agent)
    left join est_search_agreement as panel using (run_id, track)
)

select * from search_coverage
