"""What edge cases of search come to beside their scores: statuses, verdicts, means."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import duckdb
import pytest

from pricebench.search_summary import summarise

COUNTS = (
    *("candidates", "self_matches", "accepted_candidates"),
    *("rejected_candidates", "unverifiable_candidates"),
)


@pytest.fixture(scope="module")
def rows(built_search_marts: Path):
    def read(query: str, *given: object) -> list[tuple]:
        with duckdb.connect(str(built_search_marts), read_only=True) as connection:
            return connection.execute(query, list(given)).fetchall()

    return read


@pytest.mark.parametrize(
    ("run", "counts"),
    [
        # found, the reference itself, accepted, rejected, not to be verified
        ("e6-unverifiable", (1, 0, 0, 0, 1)),
        # two tracking tags of one page are one candidate
        ("e10-self-match-and-duplicates", (2, 1, 1, 0, 0)),
        # cannot be bought alone
        ("e14-minimum-order", (1, 0, 0, 1, 0)),
        ("no-qualifying-finds", (1, 0, 0, 0, 0)),
        # the record is kept
        ("qualifying-but-dearer", (1, 0, 1, 0, 0)),
        ("equal-to-the-reference", (1, 0, 1, 0, 0)),
        # an amount below 0 is unknown, and never 0
        ("negative-price", (1, 0, 0, 0, 1)),
        ("negative-shipping", (1, 0, 0, 0, 1)),
        ("shipping-missing", (1, 0, 0, 0, 1)),
        ("currency-not-usd", (1, 0, 0, 1, 0)),
        # waits for a person, even where one called it verified
        ("pack-unknown-and-multipack-reference", (1, 0, 0, 0, 1)),
        ("same-page-from-several-agents", (1, 0, 1, 0, 0)),
        ("the-gravest-status-holds", (4, 0, 0, 3, 1)),
    ],
)
def test_what_becomes_of_the_pages_of_an_edge_case(run, counts, rows):
    found = rows(
        f"select {', '.join(COUNTS)} from marts.search_coverage "
        "where run_id = ? and track = 'exact' and agent = 'a'",
        run,
    )
    assert found == [counts]


def test_a_page_that_several_agents_found_is_one_candidate_with_one_verdict(rows):
    found = rows(
        "select count(*), count(distinct candidate_id) "
        "from intermediate.int_search_candidate "
        "where run_id = 'same-page-from-several-agents'"
    )
    assert found == [(1, 1)]
    # in both tracks: one page check, two verdicts
    found = rows(
        "select track, panel_verdict, page_status "
        "from intermediate.int_search_candidate "
        "where run_id = 'same-page-in-both-tracks' order by track desc"
    )
    assert found == [
        ("exact", "invalid", "verified"),
        ("equiv", "valid", "verified"),
    ]


def test_most_of_all_seats_decide(rows):
    # missing votes never count for either side
    found = rows(
        "select n_valid, n_invalid, n_missing, panel_verdict "
        "from intermediate.int_search_candidate where run_id = 'majority' "
        "order by n_missing, n_valid desc, n_invalid"
    )
    assert found == [
        (2, 1, 0, "valid"),
        (2, 0, 1, "valid"),
        (1, 1, 1, "no_majority"),
        (0, 2, 1, "invalid"),
        (1, 0, 2, "no_majority"),
        (0, 0, 3, "no_majority"),
    ]


def test_pages_that_nobody_judged_are_counted_apart_and_told_on_the_board(rows):
    # of the six panels above one cast no vote at all
    found = rows(
        "select unresolved_candidates, unjudged_candidates, unpooled_listings "
        "from marts.search_coverage where run_id = 'majority' and track = 'exact' "
        "order by all"
    )
    # another agent found nothing
    assert found == [(0, 0, 0), (3, 1, 0)]
    found = rows(
        "select distinct unjudged_pages from marts.search_board "
        "where run_id = 'majority' and scope = 'exact/base' order by all"
    )
    assert found == [(0,), (1,)]


def test_raw_agreement_is_told_where_kappa_is_undefined(rows):
    found = rows(
        "select raw_agreement, pairwise_agreement, fleiss_kappa "
        "from marts.search_agreement where run_id = 'all-valid' and track = 'exact'"
    )
    assert found == [(1.0, 1.0, None)]


@pytest.mark.parametrize("scenario", ["base", "prime"])
@pytest.mark.parametrize(
    "run", ["wide", "e11-aggregate", "e8-prime-turns-the-order", "altered-nothing"]
)
def test_the_figures_of_a_summary_are_the_means_of_its_products(
    run, scenario, built_search_marts
):
    with duckdb.connect(str(built_search_marts), read_only=True) as connection:
        summary = summarise(connection, run, "exact", scenario)
    for agent, figures in summary["agents"].items():
        products = [task["agents"][agent] for task in summary["tasks"].values()]
        chances = [one for one in products if one["capture"] is not None]
        assert figures["savings_capture"]["n"] == len(chances)
        assert figures["savings_found"]["n"] == len(products)
        for name, values in {
            "savings_found": [float(one["found"]) for one in products],
            "savings_capture": [float(one["capture"]) for one in chances],
        }.items():
            # products are printed with six places
            mean = fmean(values) if values else None
            assert figures[name]["mean"] == pytest.approx(mean, abs=5e-7)
        for name, values in {
            "success_rate": [one["success"] for one in products],
            "best_price_recall": [one["recall"] for one in chances],
            "best_price_recall_all": [one["recall"] for one in products],
        }.items():
            mean = fmean(values) if values else None
            assert figures[name]["value"] == pytest.approx(mean, abs=1e-12)
