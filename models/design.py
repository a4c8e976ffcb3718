"""How much a set of choice tasks can teach, before anybody has answered it.

Axes: s choice sets (a task in one ordering), j options, k terms.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from models.choice_data import choice_data, rivals
from models.mixed_panels import option_pairs
from models.newton import evaluate
from models.ordering import Floats
from models.paired import DETECTABLE_ERRORS
from models.rank import independent_columns


def expected_information(x: npt.ArrayLike, tastes: npt.ArrayLike) -> Floats:
    """Return the Fisher information of a conditional logit about its tastes.

    The sum over choice sets of sum_j p_j (x_j - m)(x_j - m)' with m = sum_j p_j x_j; it
    does not depend on the answers. McFadden (1974).

    Parameters
    ----------
    x
        Shape (s, j, k), finite: every set that is shown, each ordering a set of its
        own.
    tastes
        Shape (k,), assumed.

    Returns
    -------
    numpy.ndarray
        Shape (k, k), symmetric, for one independent answer to each set; zeros for no
        sets. The order of the sets changes nothing.

    Raises
    ------
    ValueError
        Shapes that do not agree, or values that are not finite.
    """
    values = np.asarray(x, dtype=np.float64)
    assumed = np.asarray(tastes, dtype=np.float64)
    # the chosen option only says which one differences are taken to
    data = choice_data(values, np.zeros(len(values), dtype=np.int64))
    if assumed.shape != values.shape[2:] or not np.isfinite(assumed).all():
        raise ValueError(
            f"tastes: {values.shape[2]} finite numbers needed, got {tastes!r}"
        )
    return evaluate(rivals(data), assumed).information


def pair_differences(x: npt.ArrayLike) -> Floats:
    """Return the differences between all options of every set, two by two.

    Parameters
    ----------
    x
        Shape (s, j, k).

    Returns
    -------
    numpy.ndarray
        Shape (s j(j-1)/2, k).
    """
    values = np.asarray(x, dtype=np.float64)
    pairs, _ = option_pairs((values[:, 1:] - values[:, :1])[None])
    return pairs.reshape(-1, values.shape[2])


def identified_terms(x: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Mark the terms that vary within sets and are no combination of earlier ones.

    Parameters
    ----------
    x
        Shape (s, j, k).

    Returns
    -------
    numpy.ndarray
        Shape (k,). All false for no sets.
    """
    return independent_columns(pair_differences(x))


def difference_correlation(x: npt.ArrayLike) -> Floats:
    """Return how the terms move together between the options of a set.

    Correlations of the differences about zero: which option is subtracted from which
    has no meaning, and with both signs of every difference the mean is zero.

    Parameters
    ----------
    x
        Shape (s, j, k).

    Returns
    -------
    numpy.ndarray
        Shape (k, k), in [-1, 1], 1 on the diagonal; NaN for a term that never varies.
    """
    differences = pair_differences(x)
    products = differences.T @ differences
    length = np.sqrt(np.diagonal(products))
    safe = np.where(length > 0, length, np.nan)
    correlation: Floats = np.clip(products / np.outer(safe, safe), -1.0, 1.0)
    np.fill_diagonal(correlation, np.where(length > 0, 1.0, np.nan))
    return correlation


def variance_inflation(correlation: Floats) -> Floats:
    """Return the factor by which correlation with other terms inflates each variance.

    The diagonal of the inverse correlation matrix, Marquardt (1970). For differences of
    options it is exact where all tastes are 0.

    Parameters
    ----------
    correlation
        Shape (k, k), from ``difference_correlation``.

    Returns
    -------
    numpy.ndarray
        Shape (k,), at least 1; NaN for a term that never varies, and for all when the
        others are collinear.
    """
    factors = np.full(len(correlation), np.nan)
    known = np.isfinite(np.diagonal(correlation))
    inverse = _inverse(correlation[np.ix_(known, known)])
    if inverse is not None:
        factors[known] = np.diagonal(inverse)
    return factors


def d_error(information: Floats) -> float:
    """Return the D-error of a design: det(information)^(-1/k), smaller is better.

    The geometric mean of the variances along the principal axes, the customary measure
    of Huber and Zwerina (1996, Journal of Marketing Research 33). It depends on the
    number of answers and on the units of the terms: compare designs at equal both.

    Parameters
    ----------
    information
        Shape (k, k).

    Returns
    -------
    float
        Positive; NaN when the information is singular or there is no term.
    """
    if not len(information) or _inverse(information) is None:
        return float(np.nan)
    _, logarithm = np.linalg.slogdet(information)
    return float(np.exp(-logarithm / len(information)))


def expected_covariance(information: Floats) -> Floats:
    """Return the covariance that independent answers would give the estimates.

    Parameters
    ----------
    information
        Shape (k, k), for the number of answers in question.

    Returns
    -------
    numpy.ndarray
        Shape (k, k), its inverse; all NaN when it is singular.
    """
    inverse = _inverse(information)
    return np.full(information.shape, np.nan) if inverse is None else inverse


def detectable_difference(std_error: float, other_std_error: float) -> float:
    """Return the smallest true difference of two figures found 80 % of the time.

    (z_0.975 + z_0.8) sqrt(a^2 + b^2), for independent estimates and a two-sided test at
    5 %: the minimum detectable effect of Bloom (1995, Evaluation Review 19).

    Parameters
    ----------
    std_error, other_std_error
        Of the two figures, at least 0.

    Returns
    -------
    float
        In their unit; NaN when one is NaN.
    """
    return DETECTABLE_ERRORS * float(np.hypot(std_error, other_std_error))


def _inverse(matrix: Floats) -> Floats | None:
    """Invert a symmetric matrix, or return None where it is not positive definite."""
    if not np.isfinite(matrix).all() or not (np.diagonal(matrix) > 0).all():
        return None
    scale = np.sqrt(np.diagonal(matrix))
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    # rounding leaves about 1e-15 on a matrix that is singular
    if len(values) and values[0] <= 1e-12:
        return None
    inverse: Floats = (vectors / values) @ vectors.T / np.outer(scale, scale)
    return inverse
