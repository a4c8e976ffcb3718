"""Statistical proof by simulation: intervals cover, tests keep their size.

The models and what their intervals should cover are those of ``proof_models``; seeds
were written down before the first run. ``make proof`` asks for the whole proof, every
other run for the first tenth of the same models, with bands to match.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from conformance.proof_models import (
    MODELS_PER_BANK,
    PAIRS,
    TERMS,
    Bank,
    Model,
    Tastes,
    draw_banks,
    draw_tastes,
    fit_models,
)
from conformance.proof_seeds import BANK, LOCKED, MODELS, NULLS

from models.bootstrap import bootstrap
from models.bootstrap_draws import REPLICATES, draw_counts
from models.bootstrap_summary import percentile_interval
from models.comparison import COMPARISON_INPUT, comparison_table
from models.hotel_terms import REFERENCE_PRICE_USD
from models.hotel_wtp import wtp_table
from models.inference import normal_interval
from models.ordering import Bools, Floats

WHOLE = os.environ.get("PRICEBENCH_PROOF") == "whole"
TENTHS = 10 if WHOLE else 1
COVERED_MODELS = 200 * TENTHS
# four models of one taste make six comparisons, two of them of separate models
FAMILIES = 200 * TENTHS
FAMILY = 4
LOCKED_MODELS = 100 * TENTHS
LEVEL = 0.05
COEFFICIENTS = ("review_score", "log_price")
WTP = "wtp_review_score_usd"
Row = dict[str, Any]


class Count(NamedTuple):
    """How many of how many."""

    hits: int
    of: int

    @property
    def share(self) -> float:
        return self.hits / self.of

    def say(self, what: str) -> None:
        """Print it; `make proof` shows what tests print."""
        print(f"\n  {what}: {self.hits:,} of {self.of:,}, {self.share:.2%}", end=" ")


class Intervals:
    """Counts how often intervals of a kind hold what they are for."""

    def __init__(self) -> None:
        self._hits: Counter[tuple[str, str]] = Counter()
        self._of: Counter[tuple[str, str]] = Counter()

    def add(self, kind: str, figure: str, ends: tuple[Any, Any], aim: float) -> None:
        """Count one interval; one that is not defined counts for nothing."""
        lo, hi = (np.nan if end is None else float(end) for end in ends)
        if np.isfinite([lo, hi]).all():
            self._hits[kind, figure] += lo <= aim <= hi
            self._of[kind, figure] += 1

    def __getitem__(self, key: tuple[str, str]) -> Count:
        return Count(self._hits[key], self._of[key])


def singles(
    seed: int, models: int, **ranges: tuple[float, float]
) -> Iterator[tuple[Bank, list[Model]]]:
    """Yield models whose tastes all differ, bank by bank."""
    for bank, numbers in draw_banks((BANK, seed), models):
        found = []
        for number in numbers:
            rng = np.random.default_rng([seed, number])
            tastes = draw_tastes(rng, **ranges)
            chosen = bank.answer(tastes, rng)
            found.append(Model("study", f"{number:05d}", bank.aim(tastes), chosen))
        yield bank, found


def worth(review_score: Any, log_price: Any) -> Any:
    return -review_score / log_price * REFERENCE_PRICE_USD


def add_coefficients(intervals: Intervals, row: Row, aim: Floats) -> None:
    """Count the intervals of one fit by the error that they rest on."""
    for figure in COEFFICIENTS:
        place = TERMS.index(figure)
        estimate = row["estimate"][place]
        ends = row["ci_lo"][place], row["ci_hi"][place]
        intervals.add("cluster", figure, ends, aim[place])
        for kind, column in (("naive", "std_error"), ("twoway", "twoway_std_error")):
            error = row[column][place]
            given = np.nan if error is None else error
            ends = normal_interval(estimate, given)
            intervals.add(kind, figure, ends, aim[place])


def add_bootstrap(
    intervals: Intervals, bank: Bank, chosen: Bools, counts: Any, aim: Floats
) -> None:
    """Count the percentile intervals of one model."""
    picked = np.where(chosen, 0, 1)
    draws = bootstrap(bank.x, picked, bank.pair, counts, order_terms=1).estimate
    places = [TERMS.index(figure) for figure in COEFFICIENTS]
    for figure, place in zip(COEFFICIENTS, places, strict=True):
        ends = percentile_interval(draws[:, place])
        intervals.add("bootstrap", figure, ends, aim[place])
    value = worth(*draws[:, places].T)
    intervals.add("bootstrap", WTP, percentile_interval(value), worth(*aim[places]))


def add_worth(intervals: Intervals, row: Row, aim: Floats) -> None:
    """Count the intervals that the estimates give a willingness to pay."""
    places = [TERMS.index(figure) for figure in COEFFICIENTS]
    for value in wtp_table(pa.Table.from_pylist([row])).to_pylist():
        if value["attribute"] == "review_score":
            for kind, name in (("delta", "ci"), ("fieller", "fieller")):
                ends = value[f"{name}_lo"], value[f"{name}_hi"]
                intervals.add(kind, WTP, ends, worth(*aim[places]))


@pytest.fixture(scope="module")
def intervals() -> Intervals:
    """Intervals of every kind, of models whose tastes all differ."""
    found = Intervals()
    counts = draw_counts(REPLICATES["audited"], PAIRS)
    for bank, models in singles(MODELS, COVERED_MODELS):
        for row, model in zip(fit_models(bank, models), models, strict=True):
            assert row["status"] == "ok"
            add_coefficients(found, row, model.aim)
            add_worth(found, row, model.aim)
            add_bootstrap(found, bank, model.chosen, counts, model.aim)
    return found


def assert_covers(count: Count, what: str) -> None:
    """Hold a share of 95 % intervals to its band."""
    count.say(f"{what} intervals cover")
    if WHOLE:
        assert 0.93 <= count.share <= 0.97, count
    else:
        # At 95 % each, the number of misses is binomial: of 200 intervals more than 21
        # miss with a chance below 0.1 %, and so do fewer than 2; of 100, more than 13,
        # while none at all has a chance of 0.6 %.
        fewest, most = (2, 21) if count.of > 100 else (0, 13)
        assert fewest <= count.of - count.hits <= most, count


@pytest.mark.parametrize("figure", COEFFICIENTS)
@pytest.mark.parametrize("kind", ["cluster", "twoway", "bootstrap"])
def test_intervals_of_coefficients_cover(
    intervals: Intervals, kind: str, figure: str
) -> None:
    count = intervals[kind, figure]
    # a two-way matrix that is not positive gives no interval, and that is rare
    assert count.of >= COVERED_MODELS * (0.95 if kind == "twoway" else 1)
    assert_covers(count, f"{kind} {figure}")


@pytest.mark.parametrize("kind", ["delta", "fieller", "bootstrap"])
def test_intervals_of_willingness_to_pay_cover(intervals: Intervals, kind: str) -> None:
    count = intervals[kind, WTP]
    assert count.of == COVERED_MODELS
    assert_covers(count, f"{kind} {WTP}")


@pytest.mark.parametrize("figure", COEFFICIENTS)
def test_naive_intervals_cover_too_seldom(intervals: Intervals, figure: str) -> None:
    # errors that take answers to one pair for independent: were they as good as the
    # clustered ones, the proof above would prove nothing
    count = intervals["naive", figure]
    count.say(f"naive {figure} intervals cover")
    assert count.of == COVERED_MODELS
    assert count.share < 0.9, count


def families() -> Iterator[tuple[Bank, list[Model]]]:
    """Yield models of equal tastes that differ from pair to pair partly in common."""
    for bank, numbers in draw_banks((BANK, NULLS), FAMILIES * FAMILY):
        found = []
        for number in numbers[::FAMILY]:
            rng = np.random.default_rng([NULLS, number])
            tastes = draw_tastes(rng)
            shared = rng.standard_normal((PAIRS, len(TERMS)))
            for member in range(FAMILY):
                chosen = bank.answer(tastes, rng, shared)
                name = f"model {member}"
                found.append(Model(f"{number:05d}", name, tastes.mean, chosen))
        yield bank, found


def figures(row: Row) -> Iterator[Row]:
    """Yield the figures of a fit as comparisons read them."""
    for figure in COEFFICIENTS:
        place = TERMS.index(figure)
        yield {
            "study_id": row["study_id"],
            "reading": "audited",
            "metric": figure,
            "model_id": row["model_id"],
            "estimate": row["estimate"][place],
            "status": row["status"],
            "cluster_id": row["cluster_id"],
            "influence": row["cluster_influence"][place :: len(TERMS)],
        }


@pytest.fixture(scope="module")
def comparisons() -> list[Row]:
    """All comparisons within families of models that have the same tastes."""
    found: list[Row] = []
    for bank, models in families():
        rows = [one for row in fit_models(bank, models) for one in figures(row)]
        table = pa.Table.from_pylist(rows, schema=COMPARISON_INPUT)
        found += comparison_table(table).to_pylist()
    return found


@pytest.mark.parametrize("figure", COEFFICIENTS)
def test_the_paired_test_rejects_true_nulls_at_its_level(
    comparisons: list[Row], figure: str
) -> None:
    # no model stands in two of these, so the tests are independent
    apart = {("model 0", "model 1"), ("model 2", "model 3")}
    p_values = [
        row["p_value"]
        for row in comparisons
        if row["metric"] == figure and (row["model_a"], row["model_b"]) in apart
    ]
    count = Count(sum(p < LEVEL for p in p_values), len(p_values))
    count.say(f"paired {figure} tests reject a true null")
    assert count.of == 2 * FAMILIES
    if WHOLE:
        assert 0.04 <= count.share <= 0.06, count
    else:
        # 400 tests at 5 % reject fewer than 8 or more than 35 times with a chance below
        # 0.1 % each.
        assert 8 <= count.hits <= 35, count


@pytest.mark.parametrize("figure", COEFFICIENTS)
def test_holm_keeps_the_family_wise_error(comparisons: list[Row], figure: str) -> None:
    smallest: dict[str, float] = {}
    unadjusted: dict[str, float] = {}
    for row in comparisons:
        if row["metric"] == figure:
            assert (row["status"], row["family_tests"]) == ("ok", 6)
            study = row["study_id"]
            smallest[study] = min(row["p_adjusted"], smallest.get(study, 1.0))
            unadjusted[study] = min(row["p_value"], unadjusted.get(study, 1.0))
    count = Count(sum(p < LEVEL for p in smallest.values()), len(smallest))
    count.say(f"Holm's method errs on {figure} in families")
    assert count.of == FAMILIES
    if WHOLE:
        assert count.share <= 0.06, count
    else:
        # 200 families with an error of 5 % each: more than 21 with a chance below 0.1 %
        assert count.hits <= 21, count
    # six tests without adjustment: the error that Holm's method is there for
    assert sum(p < LEVEL for p in unadjusted.values()) > 0.1 * count.of


class Locked(NamedTuple):
    """A locked model, its fit, and how often it takes the card shown first."""

    model: Model
    row: Row
    first_shown_share: float


@pytest.fixture(scope="module")
def locked() -> list[Locked]:
    """Models that nearly always take the second card, whatever stands there."""
    return [
        Locked(model, row, float(np.mean(model.chosen == (bank.x[:, 0, 0] > 0))))
        for bank, models in singles(LOCKED, LOCKED_MODELS, slot=(-4.5, -3.75))
        for row, model in zip(fit_models(bank, models), models, strict=True)
    ]


@pytest.mark.parametrize("figure", ["slot", *COEFFICIENTS])
def test_tastes_of_locked_models_are_recovered(
    locked: list[Locked], figure: str
) -> None:
    # the audited verdict calls all of them locked: the second slot has 85 % or more
    assert max(one.first_shown_share for one in locked) <= 0.15
    place = TERMS.index(figure)
    found = Intervals()
    for one in locked:
        ends = one.row["ci_lo"][place], one.row["ci_hi"][place]
        found.add("cluster", figure, ends, one.model.aim[place])
    assert_covers(found["cluster", figure], f"locked models' {figure}")
    estimates = np.array([one.row["estimate"][place] for one in locked])
    aims = np.array([one.model.aim[place] for one in locked])
    # with so few choices of the first card the maximum of a likelihood lies outwards by
    # some hundredths
    assert np.mean(estimates / aims) == pytest.approx(1, abs=0.05)
    assert np.corrcoef(estimates, aims)[0, 1] > 0.7


def test_the_tenth_is_the_beginning_of_the_whole() -> None:
    # streams of banks and models are their own, whoever else is drawn
    (few,) = (models for _, models in singles(MODELS, 1))
    more = next(models for _, models in singles(MODELS, MODELS_PER_BANK + 1))
    assert (few[0].chosen == more[0].chosen).all()
    assert (more[0].chosen != more[1].chosen).any()


def test_mean_tastes_are_what_fits_aim_at_where_none_varies() -> None:
    bank = Bank(0)
    tastes = draw_tastes(np.random.default_rng(0))
    aim = bank.aim(Tastes(tastes.mean, 0 * tastes.sd))
    np.testing.assert_allclose(aim, tastes.mean, rtol=1e-6)
    # random tastes shrink the rest by about 1 / sqrt(1 + 0.346 v), here a twentieth to
    # a half (Zeger, Liang and Albert 1988)
    shrunk = bank.aim(tastes)[1:] / tastes.mean[1:]
    assert (shrunk > 0.5).all()
    assert (shrunk < 0.95).all()
