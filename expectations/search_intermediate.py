"""What must hold of search runs once votes, pages and rulings are laid together.

Nothing here judges an agent or a judge: any vote, claim or status is data.
"""

from __future__ import annotations

from expectations.rules import EmptyRule, Rule, Suite
from expectations.search_rules import closed_sets, keyed
from expectations.vocabulary import (
    SEARCH_AUDIT_STATES,
    SEARCH_BASES,
    SEARCH_SCENARIOS,
    SEARCH_TRACKS,
    SEARCH_VERDICTS,
)

_TASK = ("run_id", "task_id")
_CANDIDATE = ("run_id", "track", "candidate_id")
_LISTING = ("run_id", "listing_id")
_OUTCOME = ("run_id", "scenario", "track", "agent", "task_id")
# Units up to which costs compare exactly (macro cost_key).
_MOST_UNITS = 10**9
_BITS = " + ".join(f"(valid_mask >> {seat} & 1)" for seat in range(16))

KEYS = {
    "int_search_task": _TASK,
    "int_search_candidate": _CANDIDATE,
    "int_search_listing": _LISTING,
    "int_search_outcome": _OUTCOME,
    "int_search_run": ("study_id", "run_id", "model_id"),
    "int_search_model": ("model_id",),
}

_ROWS: list[Rule] = [
    *keyed({**KEYS, "int_search_model": ("slug",)}),
    *closed_sets(
        KEYS,
        {
            "int_search_candidate": {
                "panel_verdict": SEARCH_VERDICTS,
                "validity": SEARCH_VERDICTS,
                "status": SEARCH_AUDIT_STATES,
            },
            "int_search_outcome": {
                "scenario": SEARCH_SCENARIOS,
                "track": SEARCH_TRACKS,
                "basis": SEARCH_BASES,
            },
        },
        shown="run_id",
    ),
    EmptyRule(
        "int_search_candidate",
        "every_candidate_is_settled",
        """
        select run_id, track, candidate_id, validity, status, source_file, source_row
        from int_search_candidate
        where validity is null or status is null or is_accepted is null
            or is_open is null or is_self_match is null or seats is null
        """,
    ),
]

_WHOLE: list[Rule] = [
    EmptyRule(
        "int_search_task",
        "every_product_candidate_and_listing_of_a_kept_run_is_here_once",
        """
        with kept as (
            select 'task' as kind, run_id, task_id as id from stg_search_task
            union all
            select 'candidate', run_id, track || ':' || candidate_id
            from stg_search_candidate
            union all
            select 'listing', run_id, listing_id from stg_search_listing
        ),
        here as (
            select 'task' as kind, run_id, task_id as id from int_search_task
            union all
            select 'candidate', run_id, track || ':' || candidate_id
            from int_search_candidate
            union all
            select 'listing', run_id, listing_id from int_search_listing
        )
        select kind, run_id, id
        from (
            from kept
            semi join (from stg_search_run where not is_excluded) using (run_id)
        ) as kept
        full join here using (kind, run_id, id)
        where kept.kind is null or here.kind is null
        """,
    ),
    EmptyRule(
        "int_search_outcome",
        "every_call_on_a_scored_product_has_an_outcome_in_each_scenario",
        f"""
        with asked as (
            select run_id, track, agent, task_id
            from stg_search_call
            semi join (from int_search_task where is_scored) using (run_id, task_id)
        )
        select run_id, track, agent, task_id, count(scenario) as scenarios
        from asked full join int_search_outcome using (run_id, track, agent, task_id)
        group by all
        having scenarios != {len(SEARCH_SCENARIOS)}
            or (run_id, track, agent, task_id) not in (
                select (run_id, track, agent, task_id) from asked
            )
        """,
    ),
    EmptyRule(
        "int_search_run",
        "every_run_has_a_model_and_adds_up",
        """
        select study_id, run_id, agent, model_id, calls, failed_calls, invalid_replies
        from int_search_run
        where model_id not in (select model_id from int_search_model)
            or failed_calls + invalid_replies > calls
        """,
    ),
    EmptyRule(
        "int_search_run",
        "a_study_is_one_run",
        """
        select study_id, count(distinct run_id) as runs
        from int_search_run group by study_id having count(distinct run_id) > 1
        """,
    ),
]

_RULES: list[Rule] = [
    EmptyRule(
        "int_search_candidate",
        "more_than_half_of_all_seats_decide",
        """
        select run_id, track, candidate_id, seats, n_valid, n_invalid, panel_verdict,
            source_file, source_row
        from int_search_candidate
        where panel_verdict != case
                when 2 * n_valid > seats then 'valid'
                when 2 * n_invalid > seats then 'invalid'
                else 'no_majority'
            end
            or n_missing != seats - n_valid - n_invalid or n_missing < 0
        """,
    ),
    EmptyRule(
        "int_search_candidate",
        "the_mask_holds_the_votes",
        f"""
        select run_id, track, candidate_id, valid_mask, invalid_mask, n_valid
        from int_search_candidate
        where valid_mask & invalid_mask != 0
            or seats <= 16 and n_valid != {_BITS}
        """,
    ),
    EmptyRule(
        "int_search_candidate",
        "the_verdict_is_the_one_that_the_panel_states",
        """
        select run_id, track, candidate_id, panel_verdict, stated_verdict,
            stg_search_verdict.source_file, stg_search_verdict.source_row
        from int_search_candidate
        inner join stg_search_verdict using (run_id, track, candidate_id)
        where panel_verdict != stated_verdict
        """,
        # ours is used: a source that counts otherwise is told of, and no reason to stop
        severity="warn",
    ),
    EmptyRule(
        "int_search_candidate",
        "a_ruling_holds_over_panel_and_page",
        """
        select run_id, track, candidate_id, stg_search_label.validity as ruled,
            int_search_candidate.validity, int_search_candidate.status,
            stg_search_label.source_file, stg_search_label.source_row
        from int_search_candidate
        left join stg_search_label using (run_id, track, candidate_id)
        where int_search_candidate.validity
            != coalesce(stg_search_label.validity, panel_verdict)
            or int_search_candidate.status != coalesce(stg_search_label.status,
                int_search_candidate.status)
            and not (stg_search_label.status = 'verified' and cost_den is null)
        """,
    ),
    EmptyRule(
        "int_search_candidate",
        "only_what_is_valid_verified_and_in_dollars_is_accepted",
        """
        select run_id, track, candidate_id, validity, status, currency, is_self_match
        from int_search_candidate
        where is_accepted != (validity = 'valid' and status = 'verified'
                and not is_self_match and currency is not distinct from 'USD')
            or is_accepted and cost_den is null
        """,
    ),
    EmptyRule(
        "int_search_candidate",
        "a_cost_is_price_shipping_and_fees_by_the_basis_of_the_reference",
        f"""
        select run_id, track, candidate_id, int_search_candidate.cost_num,
            int_search_candidate.cost_den, basis
        from int_search_candidate
        inner join int_search_task using (run_id, task_id)
        where int_search_candidate.cost_num
            != (100 * (int_search_candidate.price_usd
                + int_search_candidate.shipping_usd
                + int_search_candidate.fees_usd))::bigint
            or basis = 'total' and int_search_candidate.cost_den is distinct from 1
            or int_search_candidate.cost_den not between 1 and {_MOST_UNITS}
            or int_search_candidate.prime_cost_num > int_search_candidate.cost_num
        """,
    ),
    EmptyRule(
        "int_search_outcome",
        "a_capture_lies_between_0_and_1_and_some_agent_of_the_pool_has_1",
        """
        select run_id, scenario, track, task_id, count(capture) as captures,
            max(capture) as highest
        from int_search_outcome
        group by all
        having min(capture) < 0 or max(capture) > 1
            or count(capture) > 0
            and (max(capture) != 1 or count(capture) != count(*))
        """,
    ),
    EmptyRule(
        "int_search_outcome",
        "the_oracle_is_the_lowest_best_of_the_pool",
        """
        select run_id, scenario, track, task_id, agent, best_cost, oracle_cost
        from (
            select *, min(best_cost) over (
                partition by run_id, scenario, track, task_id
            ) as lowest
            from int_search_outcome
        ) as pooled
        where lowest is distinct from oracle_cost or oracle_cost >= ref_cost
        """,
    ),
    EmptyRule(
        "int_search_outcome",
        "success_is_savings_and_recall_is_success",
        """
        select run_id, scenario, track, agent, task_id, savings, success, recall
        from int_search_outcome
        where success != (savings > 0) or recall and not success
            or success != (best_candidate_id is not null)
            or (capture is null) != (opportunity = 0)
            or savings < 0 or savings > opportunity
        """,
    ),
    EmptyRule(
        "int_search_outcome",
        "a_capture_lies_within_its_bounds",
        """
        select run_id, scenario, track, agent, task_id, capture, capture_bound_lo,
            capture_bound_hi
        from int_search_outcome
        where capture_bound_lo > capture + 1e-12 or capture > capture_bound_hi + 1e-12
            or capture is not null
            and (capture_bound_lo is null or capture_bound_hi is null)
        """,
    ),
]

SUITE = Suite(keys=KEYS, rules=(*_ROWS, *_WHOLE, *_RULES))
