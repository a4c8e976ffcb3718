"""A scripted shopper asked all 3,600 tasks over sockets: estimates find the script.

Ask, journal, load, build, as a person would type it; the shopper answers from a process
of its own.
"""

from __future__ import annotations

from statistics import NormalDist

import duckdb
import pytest
from world_process import world_process

from ingest.hotel.shoppers import true_terms
from ingest.world.scripts import scripts
from pricebench.build import build
from pricebench.cli import main

# tastes of a balanced guest, and the second card worth 0.8 of utility by its place
MODEL = "simulated/second-card-leaner"
SHOPPER = scripts()[MODEL].shopper
FORMATS = ("binary", "ternary")
# worth so little that 3,600 answers hardly tell them from nothing
SLIGHT = {"bed_rank", "breakfast", "cancel", "review_count_100"}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """The warehouse of one run of the protocol, built as far as the board."""
    folder = tmp_path_factory.mktemp("world_hotel")
    warehouse = folder / "w.duckdb"
    with world_process() as world:
        typed = ["run", "hotel", "--model", MODEL, "--api-base", world.api_base]
        typed += ["--out", str(folder / "runs"), "--warehouse", str(warehouse)]
        assert main([*typed, "--concurrency", "16"]) == 0
        # 3,600 tasks in two orders, each asked once
        assert world.calls() == {MODEL: 7200}
    marts = ["hotel_board", "hotel_coefficient", "hotel_wtp"]
    report = build(warehouse, lambda line: None, select=marts)
    assert report.failures == ()
    return warehouse


def query(warehouse, sql):
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def true_values(task_type):
    """Return term -> what was scripted, of the model of one format."""
    return true_terms(SHOPPER, [task_type])


# two options: six attributes, log price, slot; three: two slots against the last
TERMS = sum(len(true_values(task_type)) for task_type in FORMATS)


def reach():
    """Return how many standard errors an estimate may lie from the truth.

    A false alarm in any of 17 terms may have a chance of 1 %, so 0.01 / 17 in one, or
    0.01 / 34 in each tail: 3.44. A taste that varies by pair is found a little too
    small, by at most 0.4 standard errors of 3,600 tasks (``cast.TASTE_SPREAD``): 3.84.
    """
    return NormalDist().inv_cdf(1 - 0.01 / (2 * TERMS)) + 0.4


def test_the_reach_is_that_of_the_arithmetic():
    assert TERMS == 8 + 9
    assert reach() == pytest.approx(3.84, abs=0.005)


@pytest.mark.parametrize("task_type", FORMATS)
def test_every_estimate_is_what_was_scripted(asked, task_type):
    found = query(
        asked,
        "select term, estimate, cluster_std_error, status from marts.hotel_coefficient"
        " where reading = 'audited' and variant = 'base' and specification = 'log'"
        f" and block = '{task_type}'",
    )
    truth = true_values(task_type)
    assert {term for term, *_ in found} == set(truth)
    for term, estimate, error, status in found:
        assert status == "ok", term
        assert abs(estimate - truth[term]) <= reach() * error, term
        # the test could tell a term that is there from one that is not
        if truth[term] and term not in SLIGHT:
            assert abs(truth[term]) > reach() * error, term


def test_a_star_and_a_review_point_are_worth_what_was_scripted(asked):
    found = query(
        asked,
        "select attribute, wtp_usd, std_error, reference_price_usd, status"
        " from marts.hotel_wtp"
        " where reading = 'audited' and specification = 'log'",
    )
    tastes = SHOPPER.tastes
    assert {"stars", "review_score"} <= {attribute for attribute, *_ in found}
    for attribute, dollars, error, price, status in found:
        # a unit more is worth taste / -log_price of a proportion, at that price
        worth = price * tastes[attribute] / -tastes["log_price"]
        assert status == "ok", attribute
        assert abs(dollars - worth) <= reach() * error, attribute


def test_the_board_counts_every_answer_and_says_simulated(asked):
    found = query(
        asked,
        "select reading, source, answers, invalid_count, failed_count, settings_label,"
        " providers_served, status, slot_status, price_form from marts.hotel_board"
        " order by reading",
    )
    # the two-option half of the bank in both orders; as published both halves
    for row, (reading, answers) in zip(
        found, [("as_published", 7200), ("audited", 3600)], strict=True
    ):
        assert row[:5] == (reading, "simulated", answers, 0, 0)
        assert row[5:8] == ("temperature 0.0, 16 tokens", "simulated", "ok")
    assert found[1][8:] == ("ok", "log")
    states = "select source, reply_state, count(*) from raw_hotel.response group by all"
    assert query(asked, states) == [("simulated", "letter", 7200)]
    run = "select source, calls, failed_calls from marts.run"
    assert query(asked, run) == [("simulated", 7200, 0)]


def test_the_leaning_shows_in_the_verdict_of_each_format(asked):
    found = query(
        asked,
        "select format, verdict from marts.hotel_first_shown where reading = 'audited'"
        " and variant = 'base' and format in ('binary', 'ternary') order by format",
    )
    assert found == [("binary", "leaning_slot2"), ("ternary", "leaning_slot2")]
