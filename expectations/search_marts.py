"""What must hold of the search marts: grains, identities and honest blanks."""

from __future__ import annotations

from expectations.mart_rules import breaks, grain_rules, honest_blanks
from expectations.rules import EmptyRule, Rule, Suite
from expectations.search_rules import closed_sets
from expectations.vocabulary import (
    OBSERVED_SOURCES,
    SEARCH_CALL_STATES,
    SEARCH_METRICS,
    SEARCH_SCENARIOS,
    SEARCH_TRACKS,
)
from models.search_terms import HEADLINE

_ASKED = ("run_id", "track", "agent")
# Mart -> its grain, as promised to analysts.
GRAINS = {
    "search_outcome": ("run_id", "scenario", "track", "agent", "task_id"),
    "search_metric": ("run_id", "scenario", "track", "agent", "metric", "reading"),
    "search_agreement": ("run_id", "track"),
    "search_judge": ("run_id", "track", "judge"),
    "search_coverage": _ASKED,
    "search_stratum": (*_ASKED, "scenario", "stratum_kind", "stratum"),
    "search_cost": _ASKED,
    "search_board": ("study_id", "model_id", "reading", "scope"),
    "search_comparison": (
        *("study_id", "scope", "metric", "model_a", "model_b"),
        "reading",
    ),
    "search_reading_difference": ("study_id", "scope", "model_id", "metric"),
}
# Six metrics are the audit's own, and the source compares no agents.
_ONE_SIDED = ("search_metric", "search_comparison")
_ENDS = " + ".join(f"{status}_count" for status in SEARCH_CALL_STATES)


def _breaks(mart: str, name: str, condition: str, shown: str) -> EmptyRule:
    return breaks(GRAINS, mart, name, condition, shown)


_VOCABULARY: list[Rule] = [
    *grain_rules(GRAINS, one_sided=_ONE_SIDED),
    *closed_sets(
        GRAINS,
        {
            "search_board": {"source": OBSERVED_SOURCES},
            "search_outcome": {"scenario": SEARCH_SCENARIOS, "track": SEARCH_TRACKS},
            "search_metric": {"metric": SEARCH_METRICS},
        },
        shown="study_id",
    ),
]

_IDENTITIES: list[Rule] = [
    EmptyRule(
        "search_outcome",
        "every_outcome_is_here_once_as_it_was_scored",
        """
        select run_id, scenario, track, agent, task_id, search_outcome.savings
        from int_search_outcome
        full join search_outcome using (run_id, scenario, track, agent, task_id)
        where int_search_outcome.savings is distinct from search_outcome.savings
            or int_search_outcome.capture is distinct from search_outcome.capture
            or int_search_outcome.found is distinct from search_outcome.found
        """,
    ),
    EmptyRule(
        "search_metric",
        "a_count_of_products_is_that_of_the_outcomes",
        """
        with counted as (
            select run_id, scenario, track, agent, count(capture) as n
            from search_outcome group by all
        )
        select run_id, scenario, track, agent, search_metric.n, counted.n as outcomes
        from search_metric
        full join counted using (run_id, scenario, track, agent)
        where metric = 'savings_capture' and reading = 'as_published'
            and search_metric.n is distinct from counted.n
        """,
    ),
    _breaks(
        "search_coverage",
        "every_call_ends_one_way_and_every_candidate_has_one_status",
        f"calls != {_ENDS} or candidates - self_matches"
        " != verified_candidates + rejected_candidates + unverifiable_candidates"
        " or corrected_valid_share not between 0 and 1"
        " or corrected_valid_share is not null and correction_status != 'ok'",
        "calls, candidates",
    ),
    EmptyRule(
        "search_coverage",
        "every_listing_is_counted_once",
        """
        with given as (
            select run_id, track, agent, count(*) as n
            from int_search_listing group by all
        )
        select run_id, track, agent, listings, n
        from search_coverage
        full join given using (run_id, track, agent)
        where listings is distinct from coalesce(n, 0)
        """,
    ),
    EmptyRule(
        "search_stratum",
        "retailers_add_up_to_all_products",
        """
        with asked as (
            select run_id, scenario, track, agent, count(*) as tasks
            from search_outcome group by all
        )
        select run_id, scenario, track, agent, tasks, sum(n) as in_strata
        from asked
        left join (from search_stratum where stratum_kind = 'retailer')
            using (run_id, scenario, track, agent)
        group by all
        having tasks is distinct from in_strata
        """,
    ),
    EmptyRule(
        "search_cost",
        "every_call_is_paid_for_once",
        """
        with paid as (
            select run_id, track, agent, sum(cost_usd)::decimal(18, 9) as usd,
                count(*) as n
            from stg_search_call
            semi join (from int_search_run where not is_excluded) using (run_id)
            group by all
        )
        select run_id, track, agent, cost_usd, usd
        from search_cost full join paid using (run_id, track, agent)
        where cost_usd is distinct from usd or calls is distinct from n or cost_usd < 0
        """,
    ),
    _breaks(
        "search_judge",
        "every_candidate_was_voted_on_or_is_missing",
        "candidates != votes + missing_count or ruled_count > votes",
        "candidates, votes, missing_count",
    ),
    _breaks(
        "search_reading_difference",
        "difference_is_audited_minus_as_published",
        "difference is distinct from audited - as_published"
        " or (reason is not distinct from 'failed_calls_scored')"
        " != coalesce(reason_count > 0, false)",
        "as_published, audited, difference, reason, reason_count",
    ),
    EmptyRule(
        "search_board",
        "the_headline_is_the_metric",
        f"""
        select search_board.study_id, search_board.model_id, search_board.scope,
            search_board.reading, search_board.value, search_metric.value as figure
        from search_board
        left join search_metric
            on search_board.run_id = search_metric.run_id
            and search_board.agent = search_metric.agent
            and search_board.scope
            = search_metric.track || '/' || search_metric.scenario
            and search_board.reading = search_metric.reading
            and search_metric.metric = '{HEADLINE}'
        where search_board.value is distinct from search_metric.value
            or search_board.status is distinct from search_metric.status
            or search_board.n is distinct from search_metric.n
        """,
    ),
    EmptyRule(
        "search_board",
        "every_observed_agent_has_a_row_and_no_derived_one",
        """
        with observed as (
            select distinct study_id, model_id, track || '/base' as scope
            from search_outcome
            semi join (from int_search_run where source != 'derived')
                using (study_id, model_id)
        )
        select study_id, model_id, scope, count(reading) as readings
        from observed
        full join search_board using (study_id, model_id, scope)
        group by all
        having readings != 2
            or (study_id, model_id, scope) not in (
                select (study_id, model_id, scope) from observed
            )
            or model_id not in (select model_id from int_search_model)
        """,
    ),
    _breaks(
        "search_comparison",
        "models_stand_in_order_and_an_interval_is_whole",
        "model_a >= model_b or ci_lo > ci_hi or (ci_lo is null) != (ci_hi is null)",
        "difference, ci_lo, ci_hi",
    ),
    EmptyRule(
        "search_agreement",
        "every_track_with_candidates_is_here",
        """
        select run_id, track
        from (select distinct run_id, track from int_search_candidate) as judged
        full join search_agreement using (run_id, track)
        where judged.run_id is null or search_agreement.study_id is null
        """,
    ),
]

_BLANKS: list[Rule] = [
    *honest_blanks(GRAINS, "search_board", "value", ranked=True),
    *honest_blanks(GRAINS, "search_metric", "value"),
    *honest_blanks(GRAINS, "search_comparison", "difference"),
    _breaks(
        "search_board",
        "a_share_of_calls_is_a_share",
        "failed_share not between 0 and 1 or invalid_count + failed_count > answers",
        "failed_share, answers",
    ),
]

SUITE = Suite(keys=GRAINS, rules=(*_VOCABULARY, *_IDENTITIES, *_BLANKS))
