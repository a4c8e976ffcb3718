"""Tests, intervals and fit measures for estimates that are roughly normal.

Undefined is NaN here and null in tables, never a number.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, chdtrc, erfc, ndtri

from models.ordering import Bools, Floats

CONFIDENCE = 0.95
# standard normal quantile of a two-sided 95 % interval, 1.959964
Z = float(ndtri(0.5 + CONFIDENCE / 2))
# clustered errors that are real stand within a few powers of ten of the plain ones;
# those that only rounding keeps from 0 are below this share of them
_ROUNDING = 1e-9


class Interval(NamedTuple):
    """A 95 % interval; both ends are NaN when it is undefined or unbounded."""

    lo: float
    hi: float


UNDEFINED = Interval(np.nan, np.nan)


def z_test(estimate: npt.ArrayLike, std_error: npt.ArrayLike) -> Floats:
    """Return two-sided normal p-values of estimates against 0.

    Parameters
    ----------
    estimate, std_error
        Shape (k,), errors at least 0.

    Returns
    -------
    numpy.ndarray
        Shape (k,), in [0, 1], with full relative precision in the far tail. NaN where
        an input is NaN or the error is 0.
    """
    errors = np.asarray(std_error, dtype=np.float64)
    safe = np.where(errors > 0, errors, np.nan)
    z = np.abs(np.asarray(estimate, dtype=np.float64)) / safe
    p: Floats = erfc(z / np.sqrt(2.0))
    return p


def mere_rounding(cluster_std_error: Floats, std_error: Floats) -> Bools:
    """Mark the estimates whose clustered error is what rounding left of 0.

    A model that answers both orders of every pair alike says exactly nothing about
    slots in each pair: the errors of a pair cancel, and a ratio of two roundings would
    pass for a test.

    Parameters
    ----------
    cluster_std_error, std_error
        Shape (k,), errors of the same estimates; the second allows for no clusters.

    Returns
    -------
    numpy.ndarray
        Shape (k,); not where an error is NaN.
    """
    marked: Bools = cluster_std_error <= _ROUNDING * std_error
    return marked


def normal_interval(
    estimate: npt.ArrayLike, std_error: npt.ArrayLike
) -> tuple[Floats, Floats]:
    """Return the ends of 95 % intervals with normal quantiles.

    Parameters
    ----------
    estimate, std_error
        Shape (k,).

    Returns
    -------
    tuple of numpy.ndarray
        Lower and upper ends, each of shape (k,); NaN where an input is NaN.
    """
    centre = np.asarray(estimate, dtype=np.float64)
    half = Z * np.asarray(std_error, dtype=np.float64)
    return centre - half, centre + half


def contains_zero(interval: Interval) -> bool:
    """Say whether 0 lies in a closed interval; False for an undefined one."""
    return interval.lo <= 0 <= interval.hi


def ratio_std_error(
    a: float, b: float, covariance: Floats, *, scale: float = 1.0
) -> float:
    """Return the delta-method standard error of -(a/b) x scale.

    Parameters
    ----------
    a, b
        Numerator and denominator, b not 0.
    covariance
        Shape (2, 2) of (a, b); a zero off the diagonal leaves the covariance out.
    scale
        Constant factor.

    Returns
    -------
    float
        At least 0; NaN when b is 0, an input is NaN or the variance is negative.
    """
    if b == 0:
        return float(np.nan)
    gradient = np.array([-1.0 / b, a / b**2]) * scale
    variance = float(gradient @ covariance @ gradient)
    return float(np.sqrt(variance)) if variance >= 0 else float(np.nan)


def fieller_interval(
    a: float, b: float, covariance: Floats, *, scale: float = 1.0
) -> Interval:
    """Return the Fieller 95 % interval of -(a/b) x scale.

    The set of ratios r with (a + r b)^2 <= z^2 Var(a + r b); Fieller (1954). It is an
    interval exactly when the 95 % interval of b excludes 0.

    Parameters
    ----------
    a, b
        Numerator and denominator.
    covariance
        Shape (2, 2) of (a, b).
    scale
        Positive constant factor.

    Returns
    -------
    Interval
        Undefined when b's interval contains 0 (the set is then the whole line or two
        half lines) or an input is NaN.
    """
    (v_aa, v_ab), (_, v_bb) = covariance.tolist()
    leading = b * b - Z * Z * v_bb
    if not leading > 0:
        return UNDEFINED
    middle = a * b - Z * Z * v_ab
    # the discriminant, multiplied out so that a^2 b^2 does not swamp the variances
    spread = a * a * v_bb - 2.0 * a * b * v_ab + b * b * v_aa
    root = Z * np.sqrt(max(spread - Z * Z * (v_aa * v_bb - v_ab * v_ab), 0.0))
    ends = (-middle - root) / leading * scale, (-middle + root) / leading * scale
    return Interval(float(ends[0]), float(ends[1]))


def pseudo_r2(log_likelihood: float, null_log_likelihood: float) -> float:
    """Return McFadden's 1 - LL/LL0, NaN when the null model is already certain.

    Parameters
    ----------
    log_likelihood, null_log_likelihood
        At most 0.

    Returns
    -------
    float
        0 for no gain over the null model, 1 for certainty.
    """
    if not null_log_likelihood < 0:
        return float(np.nan)
    return 1.0 - log_likelihood / null_log_likelihood


def aic(log_likelihood: float, parameters: int) -> float:
    """Return Akaike's criterion 2k - 2LL; smaller is better.

    Parameters
    ----------
    log_likelihood
        At most 0.
    parameters
        Estimated coefficients k.

    Returns
    -------
    float
        At least 2k; NaN when the log-likelihood is.
    """
    return 2.0 * parameters - 2.0 * log_likelihood


def uniform_test(counts: npt.ArrayLike) -> float:
    """Test whether all slots are picked equally often.

    Exact binomial for two slots (two-sided; both tails are equal at one half),
    Pearson's chi-square for more.

    Parameters
    ----------
    counts
        Shape (s,), picks of each slot, whole numbers of at least 0, s at least 2.

    Returns
    -------
    float
        p-value in [0, 1]; NaN without any pick.

    Raises
    ------
    ValueError
        Fewer than two slots, or a count that is negative or not a whole number.
    """
    picks = np.asarray(counts, dtype=np.float64)
    if picks.ndim != 1 or len(picks) < 2:
        raise ValueError(f"slot counts: at least two slots needed, got {counts!r}")
    if not ((picks >= 0) & (picks == np.floor(picks))).all():
        raise ValueError(f"slot counts: whole numbers of at least 0, got {counts!r}")
    n = float(picks.sum())
    if n == 0:
        return float(np.nan)
    if len(picks) == 2:
        return min(1.0, 2.0 * float(bdtr(picks.min(), int(n), 0.5)))
    expected = n / len(picks)
    statistic = float(((picks - expected) ** 2).sum()) / expected
    return float(chdtrc(len(picks) - 1, statistic))


def holm(p_values: npt.ArrayLike) -> Floats:
    """Adjust the p-values of one family by Holm's step-down method.

    Parameters
    ----------
    p_values
        Shape (f,), in [0, 1]; NaN for a test that could not be made, which is then no
        member of the family.

    Returns
    -------
    numpy.ndarray
        Shape (f,), adjusted, in [0, 1]; NaN where the input is. Empty for f = 0.
    """
    return adjust_family(p_values, "holm")


def adjust_family(p_values: npt.ArrayLike, method: str) -> Floats:
    """Adjust the p-values of one family by a method of statsmodels.

    Parameters
    ----------
    p_values
        Shape (f,), in [0, 1]; NaN for a test that could not be made, which is then no
        member of the family.
    method
        A method of ``statsmodels.stats.multitest.multipletests``.

    Returns
    -------
    numpy.ndarray
        Shape (f,), adjusted, in [0, 1]; NaN where the input is. Empty for f = 0.

    Raises
    ------
    ValueError
        A method that statsmodels does not know.
    """
    raw = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(raw.shape, np.nan)
    made = np.isfinite(raw)
    if made.any():
        # statsmodels takes seconds to import
        from statsmodels.stats.multitest import multipletests

        with _spared_collection():
            adjusted[made] = multipletests(raw[made], method=method)[1]
    return adjusted


@contextmanager
def _spared_collection() -> Iterator[None]:
    # Each call for Holm's method collects all garbage, which takes 0.1 s in a process
    # as large as a build; what is frozen is not looked through.
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
