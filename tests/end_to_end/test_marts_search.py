"""Every worked example and edge case, from files through the warehouse to the marts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import duckdb
import pytest
import search_edges
import search_worked
from search_example import EXAMPLES, Example, rounded
from search_random import random_run
from search_scorer import aggregate, score

assert search_worked is not None
assert search_edges is not None

# columns of a mart -> attributes of the plain scorer's outcome
COMPARED = {
    **{"savings": "savings", "opportunity": "opportunity", "capture": "capture"},
    **{"found": "found", "success": "success", "recall": "recall", "ref_cost": "ref"},
    **{"best_cost": "best", "oracle_cost": "oracle", "loo_oracle_cost": "others"},
    **{"loo_capture": "left_out", "capture_bound_lo": "bound_lo"},
    "capture_bound_hi": "bound_hi",
}
SEEDS = range(25)


@pytest.fixture(scope="module")
def rows(built_search_marts: Path) -> Callable[..., list[tuple]]:
    def read(query: str, *given: object) -> list[tuple]:
        with duckdb.connect(str(built_search_marts), read_only=True) as connection:
            return connection.execute(query, list(given)).fetchall()

    return read


def outcomes(rows, run, track: str, scenario: str, columns) -> dict[tuple, dict]:
    found = rows(
        f"select agent, task_id, {', '.join(columns)} from marts.search_outcome "
        "where run_id = ? and track = ? and scenario = ?",
        *(run.run_id, track, scenario),
    )
    return {row[:2]: dict(zip(columns, row[2:], strict=True)) for row in found}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, rows):
    made: Example = EXAMPLES[name]()
    for (scenario, track, agent, task), expected in made.outcomes.items():
        found = outcomes(rows, made.run, track, scenario, list(expected))
        got = {one: rounded(value) for one, value in found[agent, task].items()}
        assert got == {one: rounded(value) for one, value in expected.items()}
        assert not [key for key in found if key[1] in made.unscored]
    for agent, expected in made.figures.items():
        got = figures(rows, made.run.run_id, agent)
        assert {one: rounded(got[one]) for one in expected} == expected


def figures(rows, run_id: str, agent: str) -> dict[str, float | None]:
    """Return the published figures, the audited ones that only the audit has, ends."""
    found = rows(
        "select metric, value, zero_as_one, zero_as_zero, ci_lo, ci_hi "
        "from marts.search_metric where run_id = ? and agent = ? and track = 'exact' "
        "and scenario = 'base' order by reading desc",
        *(run_id, agent),
    )
    (headline,) = [
        row for row in found[len(found) - 5 :] if row[0] == "savings_capture"
    ]
    names = ("zero_as_one", "zero_as_zero", "ci_lo", "ci_hi")
    return {
        **{row[0]: row[1] for row in found},
        **dict(zip(names, headline[2:], strict=True)),
    }


@pytest.mark.parametrize("scenario", ["base", "prime"])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_runs_are_scored_as_by_the_plain_scorer(seed, scenario, rows):
    run = random_run(Random(seed), f"random-{seed}")
    expected = score(run, "exact", scenario)
    found = outcomes(
        rows, run, "exact", scenario, [*COMPARED, "best_ties", "is_tiny_opportunity"]
    )
    assert found.keys() == expected.keys()
    for key, one in expected.items():
        want = {column: getattr(one, name) for column, name in COMPARED.items()}
        got = found[key]
        # to the last bit: both are one division of exact whole numbers
        assert {column: got[column] for column in COMPARED} == {
            column: value if value is None or isinstance(value, bool) else float(value)
            for column, value in want.items()
        }
        assert (got["best_ties"] or "") == "; ".join(one.ties)
        assert got["is_tiny_opportunity"] == (0 < one.opportunity <= 0.01)


@pytest.mark.parametrize("seed", SEEDS)
def test_figures_of_random_runs_are_those_of_the_plain_scorer(seed, rows):
    run = random_run(Random(seed), f"random-{seed}")
    scored = score(run)
    for agent in run.agents:
        if not any(name == agent for name, _ in scored):
            continue
        want = aggregate(scored, agent)
        found = dict(
            rows(
                "select metric, value from marts.search_metric where run_id = ? "
                "and agent = ? and track = 'exact' and scenario = 'base' "
                "and (reading = 'as_published' or metric not in ("
                "select metric from marts.search_metric "
                "where reading = 'as_published'))",
                *(run.run_id, agent),
            )
        )
        assert found.keys() <= want.keys()
        for metric, value in found.items():
            expected = want[metric]
            if metric == "only_this_agent_count" and value is None:
                continue
            assert (value is None) == (expected is None), metric
            assert value is None or value == pytest.approx(float(expected), abs=1e-12)


def test_e12_ends_of_the_interval_are_in_the_mart(rows):
    for agent, ends in (("a", (0.0, 1.0)), ("b", (1.0, 1.0))):
        found = rows(
            "select ci_lo, ci_hi, n, status, replicates from marts.search_metric "
            "where run_id = 'e12-bootstrap' and agent = ? and track = 'exact' and "
            "scenario = 'base' and metric = 'savings_capture' "
            "and reading = 'as_published'",
            agent,
        )
        assert found == [(*ends, 3, "ok", 10_000)]


@pytest.mark.parametrize(
    ("votes", "kappa", "alpha", "flags"),
    [
        ("two-and-two", 1 / 3, 7 / 18, (False, False)),
        ("missing-votes", None, 0.5, (True, False)),
        ("all-valid", None, None, (True, True)),
    ],
)
def test_agreement_of_judges(votes, kappa, alpha, flags, rows):
    (found,) = rows(
        "select fleiss_kappa, krippendorff_alpha, kappa_degenerate, alpha_degenerate "
        "from marts.search_agreement where run_id = ? and track = 'exact'",
        votes,
    )
    for got, expected in zip(found[:2], (kappa, alpha), strict=True):
        assert got == (None if expected is None else pytest.approx(expected, abs=1e-15))
    assert found[2:] == flags


def test_an_agent_whose_file_lacks_a_product_has_no_figure_and_is_counted(rows):
    found = rows(
        "select distinct agent, status, value is null from marts.search_metric "
        "where run_id = 'unasked' and reading = 'as_published' "
        "and metric = 'success_rate' order by agent"
    )
    assert found == [("a", "ok", False), ("b", "failed", True)]
    counted = rows(
        "select agent, unasked_tasks from marts.search_coverage "
        "where run_id = 'unasked' order by agent"
    )
    assert counted == [("a", 0), ("b", 1)]
    ranked = rows(
        "select reading, rank_lo from marts.search_board "
        "join marts.model using (model_id) where run_id = 'unasked' and agent = 'b'"
    )
    assert {rank for _, rank in ranked} == {None}


def test_a_wide_run_has_audited_figures_ranks_and_pairs(rows):
    board = rows(
        "select agent, value, status, rank_lo, rank_hi, failed_count, n "
        "from marts.search_board where run_id = 'wide' and reading = 'audited' "
        "order by agent"
    )
    # c lost a product, on which b found nothing
    assert board == [
        ("a", 1.0, "ok", 1.0, 1.0, 0, 36),
        ("b", pytest.approx(2 / 3), "ok", 2.0, 3.0, 0, 36),
        ("c", pytest.approx(24 / 35), "ok", 2.0, 3.0, 1, 35),
        ("d", 0.0, "ok", 4.0, 4.0, 0, 36),
    ]
    pairs = rows(
        "select model_a, model_b, difference, status, n_paired, family_tests "
        "from marts.comparison where study_id = (select distinct study_id "
        "from marts.search_board where run_id = 'wide') and scope = 'exact/base' "
        "and metric = 'savings_capture' and model_a = 'acme/b' order by model_b"
    )
    assert pairs == [
        ("acme/b", "acme/c", 0.0, "no_variation", 35, 5),
        ("acme/b", "acme/d", pytest.approx(2 / 3), "ok", 36, 5),
    ]


def test_what_parts_the_readings_is_named(rows):
    found = rows(
        "select metric, reason, reason_count, round(as_published, 6), "
        "round(audited, 6) from marts.reading_difference "
        "where model_id = 'acme/c' and scope = 'exact/base' and study_id = ("
        "select distinct study_id from marts.search_board where run_id = 'wide') "
        "and metric in ('savings_capture', 'capture_ratio_of_sums') order by metric"
    )
    assert found == [
        ("capture_ratio_of_sums", None, None, 0.685714, 0.685714),
        ("savings_capture", "failed_calls_scored", 1, 0.666667, 0.685714),
    ]
    alone = rows(
        "select reason, round(as_published, 6), round(audited, 6) "
        "from marts.search_reading_difference join marts.search_board "
        "using (study_id, model_id, scope) where run_id = 'e1-single-item' "
        "and agent = 'a' and metric = 'capture_ratio_of_sums' and reading = 'audited'"
    )
    assert alone == [("pool_dependence", 1.0, 1.730198)]


def test_errors_of_the_panel_come_from_the_random_sample(rows):
    (found,) = rows(
        "select correction_status, sampled_count, panel_sensitivity, "
        "panel_specificity, valid_share, corrected_valid_share "
        "from marts.search_agreement where run_id = 'wide' and track = 'exact'"
    )
    # drawn: 36 accepted and valid, 6 refused and valid, 30 refused and invalid;
    # 84 of 120 are accepted: (0.7 + 1 - 1) / (36/42 + 1 - 1)
    assert found[:2] == ("ok", 72)
    assert found[2:] == (
        *(pytest.approx(36 / 42), 1.0, pytest.approx(0.7)),
        pytest.approx(0.7 / (36 / 42)),
    )
    small = rows(
        "select correction_status, panel_sensitivity from marts.search_agreement "
        "where run_id = 'e1-single-item'"
    )
    assert small == [("too_few", None)]


def test_the_share_of_an_agent_is_corrected_only_where_the_errors_are_known(rows):
    known = rows(
        "select valid_share, corrected_valid_share from marts.search_coverage "
        "where run_id = 'wide' and track = 'exact'"
    )
    assert len(known) == 4
    # the errors of the test above: (share + 1 - 1) / (36/42 + 1 - 1), 1 at most
    for share, corrected in known:
        assert corrected == pytest.approx(min(share * 42 / 36, 1.0))
    unknown = rows(
        "select distinct corrected_valid_share from marts.search_coverage "
        "where correction_status = 'too_few'"
    )
    assert unknown == [(None,)]


def test_every_agent_is_a_model_and_a_run_of_its_own(rows):
    found = rows(
        "select run.model_id, calls, kind from marts.run as run "
        "join marts.model using (model_id) where run_id = 'wide' order by all"
    )
    assert found == [(f"acme/{agent}", 36, "model") for agent in "abcd"]
