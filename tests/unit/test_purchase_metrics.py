"""Metrics of purchase decisions on runs small enough to work out by hand."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from purchase_data import asked, decision, read, scenario_columns, whole_run

from ingest.purchase import scenario as scenario_module
from ingest.purchase.bank import make_bank
from models import purchase_terms
from models.purchase_metrics import (
    audited_draws,
    evaluate,
    influence,
    metric_table,
    published_draws,
    truncated_interval,
)
from models.purchase_sample import audited_figures, published_figures

PERFECT = {
    **{"optimal_pct": 100, "regret_pct_V": 0, "flip_rate": 0, "discrimination": 1},
    **{"badge_effect": 0, "verified_minus_badge": 0, "bond_shift": 7 / 48},
    **{"bond_rational": 7 / 48, "bond_responsiveness": 1, "bond_regret_pct_V": 0},
}


@pytest.fixture(scope="module")
def bank():
    return make_bank()


def measured(bank, listed):
    return metric_table(
        {name: [row[name] for row in listed] for name in listed[0]},
        scenario_columns(bank),
    )


def metrics(bank, rows, reading="audited"):
    listed = asked(bank, rows)
    table = measured(bank, listed).to_pylist()
    return {row["metric"]: row for row in table if row["reading"] == reading}


def values(found):
    return {name: row["value"] for name, row in found.items()}


def test_the_vocabulary_is_that_of_the_bank():
    assert purchase_terms.OPTIONS == scenario_module.OPTIONS
    assert purchase_terms.LABELS == scenario_module.LABELS


def test_a_rational_buyer_is_perfect_in_both_readings(bank):
    rows = whole_run(bank)
    # the published difference of two shares is off by its last bit
    published = values(metrics(bank, rows, "as_published"))
    assert published == pytest.approx(PERFECT, rel=1e-15, abs=0)
    audited = metrics(bank, rows)
    shares = ("underbuy_share", "overbuy_share", "failed_share", "invalid_share")
    assert values(audited) == PERFECT | dict.fromkeys(shares, 0)
    assert {row["status"] for row in audited.values()} == {"ok"}


@pytest.mark.parametrize("reading", ["as_published", "audited"])
def test_always_skipping_loses_the_published_share(bank, reading):
    found = values(metrics(bank, whole_run(bank, choice="skip"), reading))
    assert round(found["bond_regret_pct_V"], 6) == 27.724065
    # 12 of 48 optima are skip
    assert (found["optimal_pct"], found["discrimination"]) == (25, 0)
    assert found["bond_shift"] == 0


def test_a_flip_is_two_repeats_that_differ(bank):
    # c c t: 1 - (2·1 + 0)/(3·2) = 2/3; c c c: 0; one repeat alone is left out
    said = [(0, "cct"), (1, "ccc"), (2, "c")]
    names = {"c": "certificate", "t": "teaser"}
    rows = [
        decision(bank[place], rep=rep, choice=names[letter])
        for place, letters in said
        for rep, letter in enumerate(letters)
    ]
    figure = published_figures(read(bank, rows))["flip_rate"]
    assert figure.plus.num.tolist() == pytest.approx([2 / 3, 0, 0])
    assert figure.plus.den.tolist() == [1, 1, 0]
    assert metrics(bank, rows, "as_published")["flip_rate"]["value"] == (
        pytest.approx(1 / 3)
    )


def test_trap_no_choice_is_not_skip(bank):
    skipping = next(one for one in bank if one.optimal == "skip")
    told = [decision(skipping, rep=0), decision(skipping, rep=1, choice="NO_CHOICE")]
    found = metrics(bank, told, "as_published")
    # the regret of skip, here none, but never optimal and a category of its own
    assert found["regret_pct_V"]["value"] == 0
    assert found["optimal_pct"]["value"] == 50
    assert found["flip_rate"]["value"] == 1


def test_trap_failed_calls_are_scored_as_skips_on_the_published_board_only(bank):
    rows = [
        row if row["label"] else decision(one, rep=row["rep"], choice="FAILED")
        for one in bank
        for row in whole_run([one], 1)
    ]
    published, audited = (metrics(bank, rows, r) for r in ("as_published", "audited"))
    assert published["optimal_pct"]["value"] == 0
    assert published["discrimination"]["value"] == 0
    for name in ("optimal_pct", "regret_pct_V", "discrimination", "badge_effect"):
        assert (audited[name]["value"], audited[name]["status"]) == (None, "too_few")
    assert audited["bond_shift"]["value"] == 7 / 48
    assert audited["failed_share"]["value"] == 0.25


def test_trap_an_unread_and_a_failed_reply_are_one_category_as_published(bank):
    rows = [
        decision(bank[0], rep=0, choice="NO_CHOICE"),
        decision(bank[0], rep=1, choice="FAILED"),
    ]
    sample = read(bank, rows)
    assert published_figures(sample)["flip_rate"].plus.num.tolist() == [0]
    # audited, one repeat is left and nothing can differ
    assert audited_figures(sample)["flip_rate"].n == 0


def test_trap_bond_rational_takes_the_bonded_optimum_in_b_and_the_plain_one_in_a(bank):
    rows = [decision(one, label) for one in bank for label in ("A", "B")]
    # 19 of 48 with the bond, 12 of 48 without
    found = metrics(bank, rows, "as_published")["bond_rational"]
    assert found["value"] == pytest.approx(7 / 48)


def test_trap_the_resample_draws_scenarios_and_all_metrics_together(bank):
    random, places = Random(12), list(range(48))
    first = [random.choice(places) for _ in range(48)]
    second = [random.choice(places) for _ in range(48)]
    draws = published_draws(48)
    assert draws.shape == (2000, 48)
    for row, drawn in ((0, first), (1, second)):
        assert draws[row].tolist() == [drawn.count(place) for place in places]
    assert (audited_draws(48).sum(axis=1) == 48).all()
    # a scenario drawn twice counts twice, in the flip rate too
    rows = whole_run(bank[:2])
    rows[0] = decision(bank[0], choice="buy_one")
    figures = published_figures(read(bank, rows))
    drawn = evaluate(figures, np.array([[2.0, 0.0], [0.0, 2.0]]))
    assert drawn["flip_rate"].tolist() == pytest.approx([2 / 3, 0])
    assert drawn["optimal_pct"].tolist() == pytest.approx([200 / 3, 100])


def test_trap_every_model_starts_a_fresh_generator_over_sorted_scenarios(bank):
    random = Random(8)
    noisy = [
        decision(one, label, rep, random.choice(scenario_module.OPTIONS), model=model)
        for model in ("acme/a", "acme/b")
        for label in scenario_module.LABELS
        for one in bank
        for rep in range(2)
    ]
    both, alone = (
        {
            row["metric"]: (row["ci_lo"], row["ci_hi"])
            for row in measured(bank, listed).to_pylist()
            if row["model_id"] == "acme/b" and row["reading"] == "as_published"
        }
        for listed in (
            asked(bank, noisy),
            # the second model alone, its scenarios from last to first
            asked(bank, reversed([r for r in noisy if r["model"] == "acme/b"])),
        )
    )
    assert both == alone


def test_trap_percentile_places_are_cut_down_and_undefined_ones_left_out():
    # 0.025 · 1999 = 49.975 and 0.975 · 1999 = 1949.025
    assert truncated_interval(np.arange(2000.0)[::-1]) == (49, 1949)
    # three values: places int(0.05) = 0 and int(1.95) = 1
    assert truncated_interval(np.array([3.0, np.nan, 1.0, 2.0])) == (1, 2)
    assert np.isnan(truncated_interval(np.array([np.nan])).lo)


@pytest.mark.parametrize("missing", ["none", "A", "D", "B"])
def test_a_missing_cell_gives_statuses_not_errors(bank, missing):
    rows = [row for row in whole_run(bank) if (row["label"] or "none") != missing]
    for reading in ("as_published", "audited"):
        found = metrics(bank, rows, reading)
        for name, cells in purchase_terms.METRICS.items():
            if name in found and missing in cells:
                assert (found[name]["status"], found[name]["value"]) == (
                    "too_few",
                    None,
                )
            elif name in found and name != "bond_rational":
                assert found[name]["status"] == "ok", (reading, name)


def test_all_calls_failed_gives_statuses_not_errors(bank):
    found = metrics(bank, whole_run(bank, choice="FAILED"))
    defined = {name for name, row in found.items() if row["status"] == "ok"}
    assert defined == {"bond_rational", "failed_share", "invalid_share"}
    assert found["failed_share"]["value"] == 1


def test_one_repeat_has_no_flip_rate(bank):
    for reading in ("as_published", "audited"):
        found = metrics(bank, whole_run(bank, 1), reading)
        assert (found["flip_rate"]["status"], found["flip_rate"]["n"]) == ("too_few", 0)
        assert found["optimal_pct"]["value"] == 100


def test_a_bank_that_no_bond_moves_has_no_responsiveness(bank):
    still = [one for one in bank if one.optimal == one.optimal_bonded]
    found = metrics(still, whole_run(still))
    assert (found["bond_rational"]["value"], found["bond_shift"]["value"]) == (0, 0)
    responsiveness = found["bond_responsiveness"]
    assert (responsiveness["status"], responsiveness["value"]) == ("no_variation", None)


def failing(bank, fails):
    """Best choices, and calls that failed where ``fails(scenario, label)``."""
    return [
        decision(one, label, rep, choice="FAILED" if fails(one, label) else None)
        for label in purchase_terms.LABELS
        for one in bank
        for rep in range(3)
    ]


def test_calls_that_fail_make_no_perfect_buyer_blind_to_the_bond(bank):
    moved = {one.scenario_id for one in bank if one.optimal != one.optimal_bonded}
    # where the bond moves the best choice no call with it came through
    lost = metrics(
        bank, failing(bank, lambda one, at: at == "B" and one.scenario_id in moved)
    )
    assert lost["bond_shift"]["value"] == 0
    responsiveness = lost["bond_responsiveness"]
    assert (responsiveness["status"], responsiveness["value"]) == ("no_variation", None)
    # half of the bank answered under both labels, the moved ones among it
    rest = sorted({one.scenario_id for one in bank} - moved)
    half = moved | set(rest[: 24 - len(moved)])
    found = metrics(
        bank, failing(bank, lambda one, at: at in "AB" and one.scenario_id not in half)
    )
    assert found["bond_responsiveness"]["status"] == "ok"
    assert found["bond_responsiveness"]["value"] == 1
    # the bank's own figure stays: 7 of 48
    assert found["bond_rational"]["value"] == 7 / 48


def test_pairs_on_fewer_than_half_of_the_scenarios_are_too_few(bank):
    # 32 scenarios with the record, 31 with the bond, 15 with both
    few = failing(
        bank,
        lambda one, at: (
            (at == "A" and one in bank[32:]) or (at == "B" and one in bank[:17])
        ),
    )
    found = metrics(bank, few)
    assert found["bond_regret_pct_V"]["status"] == "ok"
    for name in ("bond_shift", "bond_responsiveness"):
        assert (found[name]["status"], found[name]["n"]) == ("too_few", 45)
    assert found["badge_effect"]["status"] == "ok"


@pytest.mark.parametrize(("scenarios", "status"), [(23, "too_few"), (24, "ok")])
def test_a_cell_over_less_than_half_of_the_bank_is_too_few(bank, scenarios, status):
    found = metrics(bank, whole_run(bank[:scenarios]))
    assert found["optimal_pct"]["status"] == status
    assert found["bond_rational"]["status"] == "ok"


@pytest.mark.parametrize(("replies", "status"), [(29, "too_few"), (30, "ok")])
def test_a_cell_of_fewer_than_thirty_replies_is_too_few(bank, replies, status):
    rows = whole_run(bank, 1)
    for place in range(48 - replies):
        rows[place] = decision(bank[place], choice="FAILED")
    assert metrics(bank, rows)["optimal_pct"]["status"] == status


def test_influences_are_the_derivatives_of_the_figure(bank):
    random = Random(3)
    rows = [
        decision(one, label, rep, random.choice(scenario_module.OPTIONS))
        for one in bank
        for label in scenario_module.LABELS
        for rep in range(2)
    ]
    figures = audited_figures(read(bank, rows))
    step = 1e-6
    for name, figure in figures.items():
        moved = influence(figure)
        assert moved.sum() == pytest.approx(0, abs=1e-12), name
        for place in (0, 17, 47):
            weights = np.ones((2, 48))
            weights[0, place] -= step
            weights[1, place] += step
            low, high = evaluate({name: figure}, weights)[name]
            assert moved[place] == pytest.approx((high - low) / (2 * step), abs=1e-7)


@settings(max_examples=10, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(random):
    bank = make_bank(8, 8001)
    rows = asked(bank, [*whole_run(bank, 2), decision(bank[0], rep=9, choice="skip")])
    mixed = rows[:]
    random.shuffle(mixed)
    tables = [measured(bank, part) for part in (rows, mixed)]
    assert tables[0].equals(tables[1])


def test_no_decisions_give_an_empty_table():
    from models.purchase_metrics import DECISION_INPUT, METRIC_SCHEMA, SCENARIO_INPUT

    table = metric_table(DECISION_INPUT.empty_table(), SCENARIO_INPUT.empty_table())
    assert (table.num_rows, table.schema) == (0, METRIC_SCHEMA)


def test_decisions_without_their_bank_are_an_error(bank):
    listed = asked(bank, whole_run(bank[:1], 1))
    with pytest.raises(ValueError, match="purchase scenarios: none of bank 593c8317"):
        metric_table(
            {name: [row[name] for row in listed] for name in listed[0]},
            scenario_columns(bank[1:]),
        )


def test_bond_rational_is_of_the_whole_bank_audited_and_of_the_rows_as_published(bank):
    # the first 24 scenarios: the seven that the bond moves come later (026 to 035)
    rows = whole_run(bank[:24])
    published, audited = (
        metrics(bank, rows, reading)["bond_rational"]
        for reading in ("as_published", "audited")
    )
    assert (published["value"], published["n"]) == (0, 24 * 3 * 2)
    assert (audited["value"], audited["n"]) == (7 / 48, 48)
    assert audited["cluster_id"] == [one.scenario_id for one in bank]
    whole = metrics(bank, whole_run(bank))["bond_rational"]
    assert whole == audited


def test_trap_a_complete_run_may_hold_no_valid_row(bank):
    rows = whole_run(bank, choice="FAILED")
    # 144 rows in every cell, as the source's flag for completeness asks
    labels = [row["label"] for row in rows]
    assert {labels.count(label) for label in (None, "A", "D", "B")} == {144}
    assert metrics(bank, rows)["optimal_pct"]["status"] == "too_few"


def test_trap_repeats_are_no_independent_observations(bank):
    once, thrice = (
        metrics(bank, whole_run(bank, n, choice="skip"))["optimal_pct"] for n in (1, 3)
    )
    # three copies of every row tell no more than one
    assert (once["ci_lo"], once["ci_hi"]) == (thrice["ci_lo"], thrice["ci_hi"])
    assert once["ci_lo"] < once["value"] < once["ci_hi"]
    assert np.allclose(once["influence"], thrice["influence"], rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("exact", "printed"), [(0.0625, 0.062), (-0.3125, -0.312), (0.1875, 0.188)]
)
def test_trap_the_board_prints_half_to_even(exact, printed):
    assert round(exact, 3) == printed
