"""Differences between figures that were estimated on the same clusters of tasks.

Axes: m figures, c clusters, p pairs of figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from models.inference import CONFIDENCE, Z, holm, normal_interval, z_test
from models.ordering import Bools, Floats, Ints

POWER = 0.8
# a difference this many standard errors wide is found in 80 % of samples by a
# two-sided test at 5 %: 1.960 + 0.842
DETECTABLE_ERRORS = Z + float(ndtri(POWER))


@dataclass(frozen=True, slots=True)
class Figures:
    """Estimates laid out over the clusters that any of them rests on.

    Attributes
    ----------
    estimate
        Shape (m,).
    influence
        Shape (m, c), 0 where the figure does not rest on the cluster.
    present
        Shape (m, c), whether it does.
    """

    estimate: Floats
    influence: Floats
    present: Bools


@dataclass(frozen=True, slots=True)
class Differences:
    """First minus second figure of p pairs; each array of shape (p,), NaN undefined."""

    difference: Floats
    std_error: Floats
    ci_lo: Floats
    ci_hi: Floats
    p_value: Floats
    smallest_detectable: Floats
    shared: Ints
    clusters: Ints


def align(
    estimates: Sequence[float],
    cluster_ids: Sequence[Sequence[str]],
    influences: Sequence[npt.ArrayLike],
) -> Figures:
    """Lay estimates out over the union of their clusters.

    Parameters
    ----------
    estimates
        Length m, finite.
    cluster_ids
        Length m: the clusters of each figure, each id once, in any order.
    influences
        Length m: the influence of each of these clusters, finite.

    Returns
    -------
    Figures
        Clusters in ascending order of their ids; empty for m = 0.

    Raises
    ------
    ValueError
        Other than one influence for each cluster, an influence that is not finite, or a
        cluster that stands twice; the message gives the place of the figure.
    """
    union = sorted({name for names in cluster_ids for name in names})
    place = {name: index for index, name in enumerate(union)}
    influence = np.zeros((len(estimates), len(union)))
    present = np.zeros(influence.shape, dtype=bool)
    for row, (names, values) in enumerate(zip(cluster_ids, influences, strict=True)):
        found = np.asarray(values, dtype=np.float64)
        if found.shape != (len(names),) or not np.isfinite(found).all():
            raise ValueError(
                f"figure {row}: needs one finite influence for each of its "
                f"{len(names)} clusters, got shape {found.shape}"
            )
        columns = [place[name] for name in names]
        if len(set(columns)) < len(columns):
            raise ValueError(f"figure {row}: a cluster stands twice; add its rows up")
        influence[row, columns] = found
        present[row, columns] = True
    return Figures(np.asarray(estimates, dtype=np.float64), influence, present)


def differences(figures: Figures, first: Ints, second: Ints) -> Differences:
    """Compare pairs of figures cluster by cluster.

    The clustered variance of a difference is the sum over clusters of the squared
    difference of influences, times G/(G-1) over the clusters of either figure: what the
    sandwich of the stacked models gives (Weesie 1999, "seemingly unrelated
    estimation"). Where tastes for a task are shared, it is smaller than the sum of the
    two variances.

    Parameters
    ----------
    figures
        m figures.
    first, second
        Shape (p,), positions of the figures of each pair.

    Returns
    -------
    Differences
        Normal p-values and 95 % intervals. ``shared`` counts the clusters that both
        figures rest on. Without a shared cluster nothing is paired, and with one
        cluster nothing is known of the spread: errors are NaN. Two figures with the
        same influences differ by a number without error: NaN, too.
        ``smallest_detectable`` is 2.802 errors, the difference that an unadjusted test
        at 5 % finds with a power of 80 %.
    """
    gap = figures.estimate[first] - figures.estimate[second]
    spread = np.zeros(len(first))
    shared = np.zeros(len(first), dtype=np.int64)
    union = np.zeros(len(first), dtype=np.int64)
    # pair by pair: all at once would hold p times c numbers
    for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        apart = figures.influence[a] - figures.influence[b]
        spread[pair] = apart @ apart
        shared[pair] = np.count_nonzero(figures.present[a] & figures.present[b])
        union[pair] = np.count_nonzero(figures.present[a] | figures.present[b])
    known = (shared > 0) & (union > 1) & (spread > 0)
    factor = union / np.where(union > 1, union - 1, 1)
    error = np.where(known, np.sqrt(spread * factor), np.nan)
    lo, hi = normal_interval(gap, error)
    return Differences(
        difference=gap,
        std_error=error,
        ci_lo=lo,
        ci_hi=hi,
        p_value=z_test(gap, error),
        smallest_detectable=DETECTABLE_ERRORS * error,
        shared=shared,
        clusters=union,
    )


def rank_intervals(
    estimate: Floats, first: Ints, second: Ints, std_error: Floats
) -> tuple[Ints, Ints]:
    """Return ranks that all hold at once with a confidence of 95 %.

    Mogstad, Romano, Shaikh and Wilhelm (2024): test for every ordered pair whether one
    figure is larger than the other, at a family-wise error of 5 %; a figure's best rank
    is one more than the number of figures found larger, its worst is m minus the number
    found smaller. Holm's method controls the family without assumptions on how the
    tests depend on each other.

    Parameters
    ----------
    estimate
        Shape (m,), finite; rank 1 is the largest.
    first, second
        Shape (p,), all unordered pairs of positions.
    std_error
        Shape (p,), of the difference; NaN for a pair that can't be told apart.

    Returns
    -------
    tuple of numpy.ndarray
        Best and worst rank, each of shape (m,), 1 to m. Empty for m = 0.
    """
    m = len(estimate)
    z = (estimate[first] - estimate[second]) / std_error
    adjusted = holm(np.concatenate([ndtr(-z), ndtr(z)]))
    larger = np.concatenate([first, second])
    smaller = np.concatenate([second, first])
    found = adjusted < 1 - CONFIDENCE
    best = 1 + np.bincount(smaller[found], minlength=m)
    worst = m - np.bincount(larger[found], minlength=m)
    return best[:m].astype(np.int64), worst[:m].astype(np.int64)
