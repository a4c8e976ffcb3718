"""One model's purchase decisions, added up by scenario for every metric.

Axes: n decisions, s scenarios, b resamples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from models.ordering import Bools, Floats, Ints
from models.purchase_terms import (
    BADGE,
    BOND,
    CERTIFICATE,
    FAILED_CALL,
    INVALID,
    LABELS,
    NO_LABEL,
    SKIP,
    VERIFIED,
)
from models.tables import Row

# a metric needs this many decisions in every cell, over this share of the scenarios
FEWEST_DECISIONS = 30
FEWEST_SCENARIOS_SHARE = 0.5


class Total(NamedTuple):
    """Sums by scenario, each of shape (s,): a mean is ``num`` over ``den``."""

    num: Floats
    den: Floats


class Figure(NamedTuple):
    """A metric: a mean less a second one, times ``scale``, over another such figure.

    Attributes
    ----------
    plus, minus
        Means; ``minus`` is None where there is nothing to take away.
    over
        What the difference is divided by, or None.
    scale
        100 for percentages.
    n
        Decisions (paired ones where the metric pairs) behind it.
    """

    plus: Total
    minus: Total | None = None
    over: Figure | None = None
    scale: float = 1.0
    n: int = 0


class Bank(NamedTuple):
    """What was for sale in a whole bank, asked or not.

    Attributes
    ----------
    scenarios
        Length of the bank, ascending.
    bond_moves
        Same length: 1 where the bond makes the certificate the best option, -1 where it
        ceases to be.
    """

    scenarios: tuple[str, ...]
    bond_moves: Floats


@dataclass(frozen=True, slots=True)
class Sample:
    """Decisions of one model, in ascending order of run, scenario, label and repeat.

    Attributes
    ----------
    scenarios
        Length s, ascending: all that the model was asked about, failed calls included.
    scenario
        Shape (n,), place in ``scenarios``.
    label, category
        Shape (n,): cell; option chosen, ``invalid`` or ``failed``.
    is_optimal, bought, buy_optimal
        Shape (n,), scores under the menu shown.
    regret_share
        Shape (n,), loss as a share of the value, 0 or more.
    certificate_is_best, certificate_is_best_bonded
        Shape (n,), under the ordinary and the bonded menu.
    pair
        Length n: run, scenario and repeat, what the cells have in common.
    bank
        The bank that the model was asked about.
    """

    scenarios: tuple[str, ...]
    scenario: Ints
    label: Sequence[str]
    category: Sequence[str]
    is_optimal: Floats
    bought: Floats
    buy_optimal: Bools
    regret_share: Floats
    certificate_is_best: Floats
    certificate_is_best_bonded: Floats
    pair: Sequence[tuple[str, str, int]]
    bank: Bank

    def cell(self, label: str, *, without_failed: bool) -> Bools:
        """Return which decisions belong to a cell, shape (n,)."""
        return np.array(
            [
                one == label and not (without_failed and category == FAILED_CALL)
                for one, category in zip(self.label, self.category, strict=True)
            ],
            dtype=bool,
        )

    def counts(self, *categories: str) -> Floats:
        """Return 1 for decisions of some categories and 0 for others, shape (n,)."""
        return np.array([float(one in categories) for one in self.category])

    def total(self, mask: Bools, values: Floats) -> Total:
        """Add values up by scenario.

        Parameters
        ----------
        mask, values
            Shape (n,): which decisions count, and what is averaged over them.

        Returns
        -------
        Total
            Sums and numbers of decisions, each of shape (s,).
        """
        return _total(self.scenario[mask], values[mask], len(self.scenarios))


def read_bank(rows: Sequence[Row]) -> Bank:
    """Lay out a bank.

    Parameters
    ----------
    rows
        Rows of ``purchase_metrics.SCENARIO_INPUT``, all of one bank.

    Returns
    -------
    Bank
        In ascending order of the scenarios.
    """
    ordered = sorted(rows, key=lambda row: str(row["scenario_id"]))
    best = {
        name: np.array([float(row[name] == CERTIFICATE) for row in ordered])
        for name in ("optimal_bonded", "optimal_ordinary")
    }
    return Bank(
        tuple(row["scenario_id"] for row in ordered),
        best["optimal_bonded"] - best["optimal_ordinary"],
    )


def read_sample(rows: Sequence[Row], bank: Bank) -> Sample:
    """Lay out the decisions of one model.

    Parameters
    ----------
    rows
        At least one row of ``purchase_metrics.DECISION_INPUT``.
    bank
        The bank that it was asked about.

    Returns
    -------
    Sample
        In an order that does not depend on that of the rows.
    """
    keys = ("run_id", "scenario_id", "label", "repeat")
    ordered = sorted(rows, key=lambda row: tuple(row[key] for key in keys))
    scenarios = tuple(sorted({row["scenario_id"] for row in ordered}))
    place = {name: index for index, name in enumerate(scenarios)}

    def numbers(name: str) -> Floats:
        return np.array([float(row[name]) for row in ordered])

    def is_certificate(name: str) -> Floats:
        return np.array([float(row[name] == CERTIFICATE) for row in ordered])

    return Sample(
        scenarios=scenarios,
        scenario=np.array([place[row["scenario_id"]] for row in ordered], np.int64),
        label=[row["label"] for row in ordered],
        category=[row["category"] for row in ordered],
        is_optimal=numbers("is_optimal"),
        bought=numbers("bought"),
        buy_optimal=numbers("buy_optimal").astype(bool),
        regret_share=numbers("regret_share"),
        certificate_is_best=is_certificate("optimal_ordinary"),
        certificate_is_best_bonded=is_certificate("optimal_bonded"),
        pair=[(row["run_id"], row["scenario_id"], row["repeat"]) for row in ordered],
        bank=bank,
    )


def published_figures(sample: Sample) -> dict[str, Figure]:
    """Return the published metrics: every row counts, a failed call as a skip.

    Parameters
    ----------
    sample
        The decisions.

    Returns
    -------
    dict
        Metric -> figure (Knipe 2026, metrics).
    """
    cells = {label: sample.cell(label, without_failed=False) for label in LABELS}
    certificate = sample.counts(CERTIFICATE)
    share = {label: sample.total(cells[label], certificate) for label in LABELS}

    def less(first: str, second: str) -> Figure:
        return Figure(share[first], share[second], n=_size(cells, first, second))

    rational = Figure(
        sample.total(cells[BOND], sample.certificate_is_best_bonded),
        sample.total(cells[VERIFIED], sample.certificate_is_best),
        n=_size(cells, BOND, VERIFIED),
    )
    shift = less(BOND, VERIFIED)
    return {
        # an unread reply and a failed call are one category of their own
        **_unlabelled(sample, cells[NO_LABEL], {FAILED_CALL: INVALID}),
        "badge_effect": less(BADGE, NO_LABEL),
        "verified_minus_badge": less(VERIFIED, BADGE),
        "bond_shift": shift,
        "bond_rational": rational,
        "bond_responsiveness": shift._replace(over=rational),
        "bond_regret_pct_V": _percent(sample, cells[BOND], sample.regret_share),
    }


def audited_figures(sample: Sample) -> dict[str, Figure]:
    """Return the audited metrics: no failed call counts, effects of labels are paired.

    Parameters
    ----------
    sample
        The decisions.

    Returns
    -------
    dict
        Metric -> figure. A label's effect is the mean difference over the run,
        scenario and repeat that both cells have a reply to. ``underbuy_share`` and
        ``overbuy_share`` are shares of the decisions where buying, or skipping, is
        best; ``failed_share`` and ``invalid_share`` of all calls in all cells.
        ``bond_rational`` is the bank's: it has an entry for each of its scenarios,
        asked or not, and the other figures one for each that was asked.
        ``bond_responsiveness`` divides by what the bond should move on the pairs that
        were answered: by ``bond_rational``, which is the bank's, calls that fail would
        make a perfect buyer look blind to the bond, or too eager. With every pair
        answered the two are the same.
    """
    cells = {label: sample.cell(label, without_failed=True) for label in LABELS}
    unlabelled, everything = cells[NO_LABEL], np.ones(len(sample.label), dtype=bool)
    certificate = sample.counts(CERTIFICATE)
    shift = _paired(sample, cells, BOND, VERIFIED, certificate)
    moves = sample.bank.bond_moves
    best = np.where(
        cells[BOND], sample.certificate_is_best_bonded, sample.certificate_is_best
    )
    buying = unlabelled & sample.buy_optimal
    skipping = unlabelled & ~sample.buy_optimal
    return {
        **_unlabelled(sample, unlabelled, {}),
        "badge_effect": _paired(sample, cells, BADGE, NO_LABEL, certificate),
        "verified_minus_badge": _paired(sample, cells, VERIFIED, BADGE, certificate),
        "bond_shift": shift,
        "bond_rational": Figure(Total(moves, np.ones(len(moves))), n=len(moves)),
        "bond_responsiveness": shift._replace(
            over=_paired(sample, cells, BOND, VERIFIED, best)
        ),
        "bond_regret_pct_V": _percent(sample, cells[BOND], sample.regret_share),
        "underbuy_share": _mean(sample, buying, sample.counts(SKIP)),
        "overbuy_share": _mean(sample, skipping, sample.bought),
        "failed_share": _mean(sample, everything, sample.counts(FAILED_CALL)),
        "invalid_share": _mean(sample, everything, sample.counts(INVALID)),
    }


def thin_cells(sample: Sample) -> frozenset[str]:
    """Return the cells that carry no audited figure.

    Parameters
    ----------
    sample
        The decisions.

    Returns
    -------
    frozenset of str
        Labels with fewer than 30 decisions that did not fail, or with such decisions
        on fewer than half of the bank's scenarios.
    """
    thin = set()
    for label in LABELS:
        cell = sample.cell(label, without_failed=True)
        covered = len(np.unique(sample.scenario[cell]))
        if cell.sum() < FEWEST_DECISIONS or covered < FEWEST_SCENARIOS_SHARE * len(
            sample.bank.scenarios
        ):
            thin.add(label)
    return frozenset(thin)


def _total(places: Ints, values: Floats, s: int) -> Total:
    num = np.bincount(places, weights=values, minlength=s).astype(np.float64)
    return Total(num, np.bincount(places, minlength=s).astype(np.float64))


def _size(cells: Mapping[str, Bools], *labels: str) -> int:
    return sum(int(cells[label].sum()) for label in labels)


def _mean(sample: Sample, mask: Bools, values: Floats) -> Figure:
    return Figure(sample.total(mask, values), n=int(mask.sum()))


def _percent(sample: Sample, mask: Bools, values: Floats) -> Figure:
    return _mean(sample, mask, values)._replace(scale=100.0)


def _unlabelled(
    sample: Sample, cell: Bools, merged: Mapping[str, str]
) -> dict[str, Figure]:
    buying, skipping = cell & sample.buy_optimal, cell & ~sample.buy_optimal
    return {
        "optimal_pct": _percent(sample, cell, sample.is_optimal),
        "regret_pct_V": _percent(sample, cell, sample.regret_share),
        "flip_rate": _flips(sample, cell, merged),
        "discrimination": Figure(
            sample.total(buying, sample.bought),
            sample.total(skipping, sample.bought),
            n=int(cell.sum()),
        ),
    }


def _flips(sample: Sample, cell: Bools, merged: Mapping[str, str]) -> Figure:
    """Chance that two repeats of a scenario differ, averaged over scenarios."""
    s = len(sample.scenarios)
    chance, known, n = np.zeros(s), np.zeros(s), 0
    for place in range(s):
        mine = np.flatnonzero(cell & (sample.scenario == place)).tolist()
        m = len(mine)
        if m < 2:
            continue
        said = [merged.get(sample.category[i], sample.category[i]) for i in mine]
        same = sum(k * (k - 1) for k in map(said.count, set(said)))
        chance[place], known[place], n = 1 - same / (m * (m - 1)), 1.0, n + m
    return Figure(Total(chance, known), n=n)


def _paired(
    sample: Sample,
    cells: Mapping[str, Bools],
    first: str,
    second: str,
    values: Floats,
) -> Figure:
    """Mean difference of values, over what both cells have a reply to."""
    answered = [
        {sample.pair[i]: i for i in np.flatnonzero(cells[label]).tolist()}
        for label in (first, second)
    ]
    shared = sorted(answered[0].keys() & answered[1].keys())
    rows = np.array([answered[0][key] for key in shared], dtype=np.int64)
    other = np.array([answered[1][key] for key in shared], dtype=np.int64)
    s = len(sample.scenarios)
    gap = values[rows] - values[other]
    return Figure(_total(sample.scenario[rows], gap, s), n=len(shared))
