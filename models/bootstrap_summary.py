"""Percentile intervals and ranks from bootstrap replicates, failures kept in.

A replicate that ran off to one side is infinite and stands at that end. One whose place
is unknown is NaN and stands at whichever end widens the interval. So percentiles stay
defined while fewer than 2.5 % of replicates are at an end, and are undefined beyond.

Axes: b replicates, m models.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.inference import CONFIDENCE, UNDEFINED, Interval
from models.ordering import Floats

PERCENTILES = (50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE))


class Ranks(NamedTuple):
    """Ranks of m models, 1 for the largest value, ties sharing their average.

    Attributes
    ----------
    point
        Shape (m,), ranks of the point values.
    lo, hi
        Shape (m,), ends of the 95 % intervals of the ranks over replicates.
    best, worst
        Shape (b, m), ranks in each replicate with every unknown place resolved for and
        against the model; the same where all places are known.
    correlation
        Shape (b,), Spearman's correlation of each replicate's ranks with those of the
        point values; NaN where a model's place is unknown or all values are tied.
    """

    point: Floats
    lo: Floats
    hi: Floats
    best: Floats
    worst: Floats
    correlation: Floats


def percentile_interval(draws: Floats) -> Interval:
    """Return the 2.5 and 97.5 percentiles of a statistic, linearly interpolated.

    Kireyev (2026) takes the percentiles of the replicates that have a value; none of
    the published ones lacks it, and then both are the same.

    Parameters
    ----------
    draws
        Shape (b,), infinite for a replicate beyond one end, NaN for one whose place is
        unknown.

    Returns
    -------
    Interval
        Undefined without replicates, or when an end falls among infinite ones.
    """
    if not len(draws):
        return UNDEFINED
    ends = []
    for percentile, unknown in zip(PERCENTILES, (-np.inf, np.inf), strict=True):
        placed = np.where(np.isnan(draws), unknown, draws)
        with np.errstate(invalid="ignore"):
            ends.append(float(np.percentile(placed, percentile)))
    return Interval(*ends) if np.isfinite(ends).all() else UNDEFINED


def rank_models(point: Floats, draws: Floats) -> Ranks:
    """Rank models by a statistic in the full sample and in each replicate.

    Parameters
    ----------
    point
        Shape (m,), finite.
    draws
        Shape (b, m), replicates that all models share, infinite and NaN as in
        ``percentile_interval``. Where a model's place is unknown, its own rank may be
        any, and it may stand before or behind each other model.

    Returns
    -------
    Ranks
        Average ranks for ties. No replicates give NaN intervals; no models give empty
        arrays.
    """
    m = len(point)
    ranks = _ranks(point[None])[0]
    if not len(draws) or not m:
        lacking = np.full(m, np.nan)
        return Ranks(ranks, lacking, lacking, draws, draws, np.full(len(draws), np.nan))
    unknown = np.isnan(draws)
    best = _ranks(np.where(unknown, -np.inf, draws))
    worst = best
    if unknown.any():
        worst = _ranks(np.where(unknown, np.inf, draws))
        best, worst = np.where(unknown, 1.0, best), np.where(unknown, m, worst)
    return Ranks(
        point=ranks,
        lo=np.percentile(best, PERCENTILES[0], axis=0),
        hi=np.percentile(worst, PERCENTILES[1], axis=0),
        best=best,
        worst=worst,
        correlation=np.where(unknown.any(axis=1), np.nan, _correlate(best, ranks)),
    )


def _ranks(values: Floats) -> Floats:
    """Rank rows in descending order, ties sharing their average."""
    order = np.argsort(-values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    places = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    fresh = np.ones(values.shape, dtype=bool)
    fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(fresh, places, 0), axis=1)
    ends = np.ones(values.shape, dtype=bool)
    ends[:, :-1] = fresh[:, 1:]
    backwards = np.where(ends, places, values.shape[1])[:, ::-1]
    last = np.minimum.accumulate(backwards, axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def _correlate(ranks: Floats, reference: Floats) -> Floats:
    """Return Pearson's correlation of each row of ranks with the reference ranks."""
    rows = ranks - ranks.mean(axis=1, keepdims=True)
    centred = reference - reference.mean()
    lengths = np.sqrt((rows**2).sum(axis=1) * (centred @ centred))
    correlation: Floats = (rows @ centred) / np.where(lengths > 0, lengths, np.nan)
    return correlation
