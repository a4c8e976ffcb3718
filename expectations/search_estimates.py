"""What must hold of the search estimates: keys, statuses and honest blanks.

Nothing here judges an agent: a metric may have any value of its range.
"""

from __future__ import annotations

from expectations.rules import EmptyRule, Rule, Suite
from expectations.search_rules import closed_sets, keyed
from expectations.vocabulary import (
    READINGS,
    SEARCH_METRICS,
    SEARCH_SCENARIOS,
    SEARCH_TRACKS,
)
from models.search_terms import (
    AUDITED_METRICS,
    COMPARED_METRICS,
    HEADLINE,
    PUBLISHED_METRICS,
    SHARES,
)
from models.status import OK, STATUSES

_TRACK = ("study_id", "scenario", "track")
_KEY = (*_TRACK, "agent", "metric", "reading")
_PAIR = (*_TRACK, "metric", "agent_a", "agent_b")
_PANEL = ("run_id", "track")
# of the others the capture against other agents may exceed 1, and a count is no share
_WITHIN_1 = (*PUBLISHED_METRICS, *AUDITED_METRICS[:3])

KEYS = {
    "est_search_metric": _KEY,
    "est_search_comparison": _PAIR,
    "est_search_rank": (*_TRACK, "agent"),
    "est_search_agreement": _PANEL,
}

_METRICS: list[Rule] = [
    *keyed(KEYS),
    *closed_sets(
        KEYS,
        {
            "est_search_metric": {
                "scenario": SEARCH_SCENARIOS,
                "track": SEARCH_TRACKS,
                "metric": SEARCH_METRICS,
                "reading": READINGS,
                "status": STATUSES,
            },
            "est_search_comparison": {"metric": COMPARED_METRICS, "status": STATUSES},
        },
        shown="study_id",
    ),
    EmptyRule(
        "est_search_metric",
        "an_ok_figure_is_defined_and_an_interval_is_whole",
        f"""
        select {", ".join(_KEY)}, status, value, ci_lo, ci_hi
        from est_search_metric
        where status = '{OK}' and value is null or not isfinite(value)
            or n is null or n < 0
            or ci_lo > ci_hi or (ci_lo is null) != (ci_hi is null)
            or ci_lo is not null and value is null
            or status = 'failed' and value is not null
            or reading = 'audited' and status != '{OK}' and ci_lo is not null
        """,
    ),
    EmptyRule(
        "est_search_metric",
        "shares_keep_their_range_and_only_shares_of_products_have_a_wilson_interval",
        f"""
        select {", ".join(_KEY)}, value, wilson_lo, wilson_hi
        from est_search_metric
        where metric in {_WITHIN_1} and value not between 0 and 1
            or value < 0 or wilson_lo > value + 1e-12 or wilson_hi < value - 1e-12
            or metric not in {SHARES} and wilson_lo is not null
            or (zero_as_one is not null) != (
                metric = '{HEADLINE}' and n is not null and zero_as_zero is not null
            )
            or zero_as_zero > zero_as_one + 1e-12
        """,
    ),
    EmptyRule(
        "est_search_metric",
        "every_agent_with_outcomes_has_every_metric_and_no_other",
        f"""
        with asked as (
            select distinct study_id, scenario, track, agent from int_search_outcome
        )
        select study_id, scenario, track, agent, count(metric) as metrics
        from asked
        full join est_search_metric using (study_id, scenario, track, agent)
        group by all
        having metrics != {2 * len(PUBLISHED_METRICS) + len(AUDITED_METRICS)}
            or (study_id, scenario, track, agent) not in (
                select (study_id, scenario, track, agent) from asked
            )
        """,
    ),
    EmptyRule(
        "est_search_metric",
        "published_means_are_those_of_the_outcomes",
        f"""
        with mean as (
            select study_id, scenario, track, agent, avg(capture) as capture,
                avg(found) as found, avg(success::int) as success, count(*) as tasks,
                any_value(scored_tasks) as scored_tasks
            from int_search_outcome group by all
        )
        select study_id, scenario, track, agent, metric, value, capture, found, success
        from est_search_metric
        inner join mean using (study_id, scenario, track, agent)
        where reading = 'as_published'
            and metric in ('{HEADLINE}', 'savings_found', 'success_rate')
            and (tasks = scored_tasks) and not coalesce(abs(value - case metric
                when '{HEADLINE}' then capture
                when 'savings_found' then found
                else success
            end) < 1e-12, metric = '{HEADLINE}' and value is null and capture is null)
        """,
    ),
]

_SIDE_BY_SIDE: list[Rule] = [
    EmptyRule(
        "est_search_comparison",
        "only_ok_pairs_are_adjusted_and_together",
        f"""
        select {", ".join(_PAIR)}, status, p_adjusted, family_tests
        from (
            select *, count(*) filter (where status = '{OK}') over (
                partition by study_id, scenario, track, metric
            ) as ok_pairs
            from est_search_comparison
        ) as counted
        where (p_adjusted is not null) != (status = '{OK}')
            or family_tests != ok_pairs or p_adjusted < p_value
            or p_value not between 0 and 1 or difference not between -1 and 1
            or n_paired is null
        """,
    ),
    EmptyRule(
        "est_search_rank",
        "every_ok_headline_and_no_other_is_ranked",
        f"""
        select study_id, scenario, track, agent, headline.status, rank_lo, rank_hi
        from (
            select * from est_search_metric
            where reading = 'audited' and metric = '{HEADLINE}'
        ) as headline
        full join est_search_rank using (study_id, scenario, track, agent)
        where (headline.status = '{OK}') is distinct from
            (rank_lo is not null and rank_hi is not null and rank_lo <= rank_hi)
        """,
    ),
    EmptyRule(
        "est_search_agreement",
        "every_track_with_candidates_has_agreement_or_says_why_not",
        f"""
        with judged as (
            select run_id, track, count(*) filter (where not is_self_match) as n
            from int_search_candidate group by all
        )
        select run_id, track, judged.n, fleiss_kappa, kappa_degenerate
        from judged full join est_search_agreement as panel using (run_id, track)
        where judged.n is distinct from panel.n
            or (fleiss_kappa is null) != (kappa_degenerate or complete_count = 0)
            or (krippendorff_alpha is null) != (alpha_degenerate or pairable_count = 0)
            or (panel_sensitivity is not null) != (correction_status = '{OK}')
            or raw_agreement not between 0 and 1 or fleiss_kappa not between -1 and 1
            or krippendorff_alpha not between -1 and 1
        """,
    ),
]

SUITE = Suite(keys=KEYS, rules=(*_METRICS, *_SIDE_BY_SIDE))
