"""Correlations between figures of models, ranks of models, and a split by medians."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from models import status
from models.ordering import Bools, Floats

# two points always lie on a line
FEWEST_POINTS = 3


class Correlation(NamedTuple):
    """Pearson's r and Spearman's rho with two-sided p-values, over n points."""

    n: int
    pearson_r: float
    pearson_p: float
    spearman_rho: float
    spearman_p: float
    status: str


def correlate(
    x: npt.ArrayLike, y: npt.ArrayLike, *, fewest: int = FEWEST_POINTS
) -> Correlation:
    """Correlate two figures over the models that have both.

    Parameters
    ----------
    x, y
        Shape (m,); NaN where a model has no figure.
    fewest
        Points needed, at least 3.

    Returns
    -------
    Correlation
        r and rho in [-1, 1], p-values from the t distribution with n - 2 degrees of
        freedom, average ranks for ties. NaN with ``too_few`` below ``fewest`` points,
        with ``no_variation`` where a figure is the same for all.

    Raises
    ------
    ValueError
        Arrays of different length.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"correlation: shapes {a.shape} and {b.shape} do not agree")
    both = np.isfinite(a) & np.isfinite(b)
    a, b = a[both], b[both]
    nothing = (float(np.nan),) * 4
    if len(a) < max(fewest, FEWEST_POINTS):
        return Correlation(len(a), *nothing, status.TOO_FEW)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return Correlation(len(a), *nothing, status.NO_VARIATION)
    # scipy.stats takes two seconds to import
    from scipy.stats import pearsonr, spearmanr

    pearson, spearman = pearsonr(a, b), spearmanr(a, b)
    return Correlation(
        len(a),
        float(pearson.statistic),
        float(pearson.pvalue),
        float(spearman.statistic),
        float(spearman.pvalue),
        status.OK,
    )


def tied_ranks(values: npt.ArrayLike, *, descending: bool) -> Floats:
    """Rank figures from 1; equal figures share the best of their ranks.

    Parameters
    ----------
    values
        Shape (m,); NaN is not ranked.
    descending
        Whether rank 1 is the largest.

    Returns
    -------
    numpy.ndarray
        Shape (m,), whole numbers from 1, NaN where the figure is. Empty for m = 0.
    """
    figures = np.asarray(values, dtype=np.float64)
    ranked = np.isfinite(figures)
    keys = -figures[ranked] if descending else figures[ranked]
    ranks = np.full(figures.shape, np.nan)
    # the rank is one more than the number of strictly better figures
    ranks[ranked] = np.searchsorted(np.sort(keys), keys, side="left") + 1
    return ranks


class MedianSplit(NamedTuple):
    """Which figures lie on the high side of their median; each array of shape (m,)."""

    x_median: float
    y_median: float
    x_high: Bools
    y_high: Bools


def median_split(x: npt.ArrayLike, y: npt.ArrayLike) -> MedianSplit:
    """Split models by the medians of two figures.

    The reading of Kireyev (2026), figure 3: sharp on price is strictly above the
    median, sharp on quality at the median or above.

    Parameters
    ----------
    x, y
        Shape (m,), finite.

    Returns
    -------
    MedianSplit
        Medians are NaN and arrays empty for m = 0.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not len(a):
        none = np.zeros(0, dtype=bool)
        return MedianSplit(float(np.nan), float(np.nan), none, none)
    x_median, y_median = float(np.median(a)), float(np.median(b))
    return MedianSplit(x_median, y_median, a > x_median, b >= y_median)
