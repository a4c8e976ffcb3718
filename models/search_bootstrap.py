"""Percentile bootstrap of means of ratios and ratios of sums over shared draws.

Axes: t units that are drawn (products, or the retailers they come from), f figures,
b replicates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from models.bootstrap_blas import one_thread
from models.bootstrap_draws import draw_blocks
from models.bootstrap_summary import PERCENTILES
from models.inference import UNDEFINED, Interval
from models.ordering import Floats, Ints
from models.search_terms import REPLICATES, SEED

# counts held at once: 8 bytes each
_BLOCK = 2_000_000


class Ratio(NamedTuple):
    """A figure: the sum of ``num`` over the sum of ``den``, each of shape (t,)."""

    num: Floats
    den: Floats

    @property
    def value(self) -> float:
        """The figure of the sample itself; NaN where there is nothing to divide by."""
        below = float(self.den.sum())
        return float(self.num.sum()) / below if below else float(np.nan)


class Median(NamedTuple):
    """A figure: the median of values, each held by a unit.

    Attributes
    ----------
    values
        Shape (v,).
    unit
        Shape (v,), the unit of each value, 0 to t - 1.
    """

    values: Floats
    unit: Ints

    @property
    def value(self) -> float:
        """The median of the sample itself; NaN without values."""
        return float(np.median(self.values)) if len(self.values) else float(np.nan)


def resample(figures: Sequence[Ratio | Median], units: int) -> list[Floats]:
    """Return every figure in every resample, all of one resample together.

    Units are drawn with replacement, ``Generator(PCG64(20260101)).integers(0, t,
    (10000, t))``; one matrix of draws serves all figures, so that differences of
    figures are paired.

    Parameters
    ----------
    figures
        Figures over the same t units, in the same order.
    units
        Their number t.

    Returns
    -------
    list of numpy.ndarray
        One array of shape (10000,) for each figure, NaN for a resample in which it is
        undefined; all NaN for t = 0.
    """
    ratios = [figure for figure in figures if isinstance(figure, Ratio)]
    empty = np.zeros((units, 0))
    num = np.column_stack([empty, *(ratio.num for ratio in ratios)])
    den = np.column_stack([empty, *(ratio.den for ratio in ratios)])
    parts: list[list[Floats]] = [[] for _ in figures]
    rows = max(_BLOCK // max(units, 1), 1)
    with one_thread():
        for block in draw_blocks(REPLICATES, units, seed=SEED, rows=rows):
            counts = block.astype(np.float64)
            quotients = iter(_divide(counts @ num, counts @ den).T)
            for place, figure in enumerate(figures):
                parts[place].append(
                    next(quotients)
                    if isinstance(figure, Ratio)
                    else _medians(figure, counts)
                )
    return [np.concatenate(part) for part in parts]


def kept_interval(draws: Floats) -> Interval:
    """Return the 2.5 and 97.5 percentiles of the resamples that have a value.

    Parameters
    ----------
    draws
        Shape (b,), NaN for a resample without a value, which is left out.

    Returns
    -------
    Interval
        Linearly interpolated; one point where all values are equal; undefined without
        values.
    """
    kept = draws[~np.isnan(draws)]
    if not len(kept):
        return UNDEFINED
    lo, hi = np.percentile(kept, PERCENTILES)
    return Interval(float(lo), float(hi))


def sign_test(draws: Floats) -> float:
    """Return a two-sided bootstrap p-value that a difference is 0.

    Twice the smaller share of resamples on either side of 0, one added to the count and
    to the number of resamples, so that it is never 0 (Davison and Hinkley 1997).

    Parameters
    ----------
    draws
        Shape (b,), differences; NaN ones are left out.

    Returns
    -------
    float
        In (0, 1]; NaN without values.
    """
    kept = draws[~np.isnan(draws)]
    if not len(kept):
        return float(np.nan)
    below, above = int((kept <= 0).sum()), int((kept >= 0).sum())
    return min(1.0, 2.0 * (min(below, above) + 1) / (len(kept) + 1))


def by_unit(ratio: Ratio, unit: Ints, units: int) -> Ratio:
    """Add a figure's sums up by larger units, for a cluster bootstrap.

    Parameters
    ----------
    ratio
        A figure over s small units.
    unit
        Shape (s,), the large unit of each, 0 to t - 1.
    units
        Their number t.

    Returns
    -------
    Ratio
        The same figure over t units.
    """
    num, den = (
        np.bincount(unit, weights=part, minlength=units).astype(np.float64)
        for part in ratio
    )
    return Ratio(num, den)


def _medians(figure: Median, counts: Floats) -> Floats:
    """Return the median of each resample, every value as often as its unit came."""
    if not len(figure.values):
        return np.full(len(counts), np.nan)
    order = np.argsort(figure.values, kind="stable")
    values = figure.values[order]
    reached = np.cumsum(counts[:, figure.unit[order]], axis=1)
    total = reached[:, -1]
    # the two middle places, the same one for an odd number
    middle = [np.floor((total - 1) / 2) + 1, np.floor(total / 2) + 1]
    found = [values[np.argmax(reached >= place[:, None], axis=1)] for place in middle]
    out: Floats = np.where(total > 0, (found[0] + found[1]) / 2, np.nan)
    return out


def _divide(above: Floats, below: Floats) -> Floats:
    out: Floats = above / np.where(below == 0, np.nan, below)
    return out
