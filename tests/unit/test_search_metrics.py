"""Metrics, comparison and ranks of shopping agents on outcomes written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models.search_comparison import comparison_table, rank_table
from models.search_metrics import metric_table
from models.search_sample import OUTCOME_INPUT
from models.tables import build_table


def outcome(agent: str, place: int, **changes: Any) -> dict[str, Any]:
    """Return a task on which the agent found the oracle: 10 cheaper than 50."""
    return {
        **{"study_id": "s", "scenario": "base", "track": "exact", "agent": agent},
        **{"task_id": f"t{place:03}", "position": place, "shop": f"shop{place % 12}"},
        **{"is_failed": False, "scored_tasks": 0, "capture": 1.0, "found": 0.2},
        **{"success": True, "recall": True, "savings_total_usd": 10.0},
        **{"opportunity_total_usd": 10.0, "loo_capture": 2.0},
        **{"loo_opportunity_total_usd": 5.0, "only_this_agent": False},
        **{"capture_bound_lo": 1.0, "capture_bound_hi": 1.0},
        **changes,
    }


def nothing(agent: str, place: int, **changes: Any) -> dict[str, Any]:
    """Return a task on which others found the oracle and the agent nothing."""
    nothing_found = {
        **{"capture": 0.0, "found": 0.0, "success": False, "recall": False},
        **{"savings_total_usd": 0.0, "loo_capture": 0.0, "capture_bound_lo": 0.0},
        "loo_opportunity_total_usd": 10.0,
    }
    return outcome(agent, place, **{**nothing_found, **changes})


def table(*rows: dict[str, Any], scored: int | None = None):
    tasks = scored if scored is not None else len({row["task_id"] for row in rows})
    return build_table([{**row, "scored_tasks": tasks} for row in rows], OUTCOME_INPUT)


def figures(found, agent: str = "a") -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (row["metric"], row["reading"]): row
        for row in found.to_pylist()
        if row["agent"] == agent
    }


def test_e11_aggregate_of_four_tasks():
    rows = [
        outcome("a", 0),
        outcome(
            "a", 1, capture=0.5, found=0.1, recall=False, opportunity_total_usd=20.0
        ),
        nothing("a", 2, opportunity_total_usd=5.0),
        nothing("a", 3, capture=None, opportunity_total_usd=0.0),
    ]
    found = figures(metric_table(table(*rows)))
    for metric, value, n in (
        ("savings_capture", 0.5, 3),
        ("savings_found", 0.075, 4),
        ("success_rate", 0.5, 4),
        ("best_price_recall", 1 / 3, 3),
        ("best_price_recall_all", 0.25, 4),
    ):
        row = found[metric, "as_published"]
        assert row["value"] == pytest.approx(value, abs=1e-15), metric
        assert (row["n"], row["status"], row["replicates"]) == (n, "ok", 10_000)
        assert 0 <= row["ci_lo"] <= row["value"] <= row["ci_hi"] <= 1
        assert (row["wilson_lo"] is None) == metric.startswith("savings")
        audited = found[metric, "audited"]
        alternatives = (row["zero_as_one"], row["zero_as_zero"])
        is_headline = metric == "savings_capture"
        assert alternatives == ((0.625, 0.375) if is_headline else (None, None))
        assert audited["value"] == row["value"]
        assert (audited["status"], audited["ci_lo"]) == ("too_few", None)
    ratio = found["capture_ratio_of_sums", "audited"]
    assert ratio["value"] == pytest.approx(20 / 35, abs=1e-15)
    # a quarter to the fourth power of resamples hold the task without opportunity alone
    dropped = found["savings_capture", "as_published"]["undefined_replicates"]
    assert dropped / 10_000 == pytest.approx(0.25**4, abs=0.002)


def test_each_figure_against_the_others_has_its_own_tasks():
    rows = [
        outcome("a", 0, loo_capture=4.0),
        outcome("a", 1, loo_capture=1.0, only_this_agent=False),
        outcome(
            *("a", 2),
            loo_capture=None,
            loo_opportunity_total_usd=None,
            only_this_agent=True,
        ),
    ]
    found = figures(metric_table(table(*rows)))
    median = found["capture_leave_one_out_median", "audited"]
    assert (median["value"], median["n"]) == (2.5, 2)
    sums = found["capture_leave_one_out_ratio_of_sums", "audited"]
    assert (sums["value"], sums["n"]) == (2.0, 2)
    count = found["only_this_agent_count", "audited"]
    assert (count["value"], count["n"], count["status"]) == (1.0, 3, "ok")


def test_a_failed_call_is_no_find_as_published_and_left_out_when_audited():
    rows = [outcome("a", 0), nothing("a", 1, is_failed=True)]
    found = figures(metric_table(table(*rows)))
    assert found["savings_capture", "as_published"]["value"] == 0.5
    assert found["success_rate", "as_published"]["n"] == 2
    assert found["savings_capture", "audited"]["value"] == 1.0
    assert found["success_rate", "audited"]["n"] == 1


def test_a_file_that_lacks_a_task_gives_no_figure():
    rows = [outcome("a", 0), outcome("a", 1), outcome("b", 0)]
    found = metric_table(table(*rows))
    assert {row["status"] for row in figures(found, "b").values()} == {"failed"}
    assert {row["value"] for row in figures(found, "b").values()} == {None}
    assert figures(found)["success_rate", "as_published"]["status"] == "ok"


def test_enough_tasks_and_retailers_give_an_audited_interval_by_retailer():
    rows = [(nothing if place % 3 else outcome)("a", place) for place in range(60)]
    row = figures(metric_table(table(*rows)))["savings_capture", "audited"]
    # every retailer has five tasks of one kind, so retailers differ more than tasks do
    published = figures(metric_table(table(*rows)))["savings_capture", "as_published"]
    assert (row["status"], row["value"]) == ("ok", published["value"])
    assert row["ci_hi"] - row["ci_lo"] > 1.5 * (published["ci_hi"] - published["ci_lo"])
    few = [{**one, "shop": f"shop{one['position'] % 9}"} for one in rows]
    row = figures(metric_table(table(*few)))["savings_capture", "audited"]
    assert (row["status"], row["ci_lo"]) == ("too_few", None)


def test_no_task_with_an_opportunity_is_too_few_and_found_is_not():
    rows = [nothing("a", place, capture=None) for place in range(3)]
    found = figures(metric_table(table(*rows)))
    row = found["savings_capture", "as_published"]
    assert (row["value"], row["ci_lo"], row["n"], row["status"]) == (
        *(None, None, 0),
        "too_few",
    )
    row = found["savings_found", "as_published"]
    assert (row["value"], row["ci_lo"], row["ci_hi"]) == (0, 0, 0)
    share = found["success_rate", "as_published"]
    # Wilson has a width where the bootstrap has none: z^2 / (n + z^2)
    assert share["ci_hi"] == 0
    assert share["wilson_lo"] == pytest.approx(0, abs=1e-15)
    assert share["wilson_hi"] == pytest.approx(3.8414588 / 6.8414588, abs=1e-7)


def test_order_of_rows_changes_nothing_and_no_rows_give_no_rows():
    rows = [
        (nothing if (place * agent) % 3 else outcome)(f"a{agent}", place)
        for place in range(12)
        for agent in range(3)
    ]
    found = metric_table(table(*rows))
    shuffled = [rows[place] for place in np.random.default_rng(2).permutation(36)]
    assert metric_table(table(*shuffled)).equals(found)
    assert metric_table(table(scored=0)).num_rows == 0
    assert comparison_table(table(scored=0)).num_rows == 0


def better_by_a_third(tasks: int) -> list[dict[str, Any]]:
    """Return three agents: one that always finds, one that does not, and its twin."""
    return [
        row
        for place in range(tasks)
        for row in (
            outcome("always", place),
            (outcome if place % 3 else nothing)("often", place),
            (outcome if place % 3 else nothing)("twin", place),
        )
    ]


def test_pairs_are_compared_on_the_same_draws_with_holm_over_what_can_be_told():
    rows = comparison_table(table(*better_by_a_third(60))).to_pylist()
    found = {(row["metric"], row["agent_a"], row["agent_b"]): row for row in rows}
    row = found["savings_capture", "always", "often"]
    assert row["difference"] == pytest.approx(1 / 3, abs=1e-15)
    # standard error of a share of 1/3 in 60 tasks
    assert row["std_error"] == pytest.approx(np.sqrt(2 / 9 / 60), rel=0.02)
    assert row["ci_lo"] < 1 / 3 < row["ci_hi"]
    assert row["p_value"] == pytest.approx(2 / 10_001)
    assert (row["family_tests"], row["n_paired"], row["status"]) == (2, 60, "ok")
    assert row["p_adjusted"] == pytest.approx(4 / 10_001)
    twin = found["savings_capture", "often", "twin"]
    assert (twin["difference"], twin["status"]) == (0, "no_variation")
    assert twin["p_value"] is None
    assert twin["p_adjusted"] is None


def test_a_difference_that_never_varies_is_certain():
    rows = [one(name, k) for k in range(40) for name, one in AGENTS.items()]
    outcomes = table(*rows)
    pairs = comparison_table(outcomes)
    row = next(one for one in pairs.to_pylist() if one["metric"] == "savings_capture")
    assert (row["difference"], row["std_error"], row["status"]) == (1, 0, "ok")
    assert (row["ci_lo"], row["ci_hi"], row["smallest_detectable"]) == (1, 1, None)
    found = rank_table(metric_table(outcomes), pairs).to_pylist()
    assert [(row["rank_lo"], row["rank_hi"]) for row in found] == [(1, 1), (2, 2)]


AGENTS = {"always": outcome, "never": nothing}


def test_a_pair_rests_on_tasks_that_neither_call_failed_on():
    rows = better_by_a_third(31)
    rows[0] = outcome("always", 0, is_failed=True)
    rows[4] = nothing("often", 1, is_failed=True)
    found = comparison_table(table(*rows)).to_pylist()
    row = next(one for one in found if one["agent_b"] == "often")
    assert (row["n_paired"], row["status"]) == (29, "too_few")


def test_agents_that_cannot_be_told_apart_share_ranks():
    outcomes = table(*better_by_a_third(60))
    found = rank_table(metric_table(outcomes), comparison_table(outcomes)).to_pylist()
    ranks = {row["agent"]: (row["rank_lo"], row["rank_hi"]) for row in found}
    assert ranks == {"always": (1, 1), "often": (2, 3), "twin": (2, 3)}
    thin = table(*better_by_a_third(20))
    found = rank_table(metric_table(thin), comparison_table(thin)).to_pylist()
    assert {row["rank_lo"] for row in found} == {None}
