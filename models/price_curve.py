"""Decile curves of price: where they rise, where they fall most, what lies between.

Axes: d = 9 decile terms (deciles 2 to 10; decile 1 is the reference).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models import status
from models.inference import Interval, contains_zero, normal_interval
from models.ordering import Floats

DECILES = tuple(range(1, 11))
DECILE_TERMS = tuple(f"D{decile}" for decile in DECILES[1:])
BUMP_DECILES = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class Combination:
    """A weighted sum of coefficients with its error, interval and status."""

    value: float
    std_error: float
    interval: Interval
    status: str


@dataclass(frozen=True, slots=True)
class Bump:
    """The highest of deciles 2 to 4 against decile 1; ``decile`` None when below it."""

    decile: int | None
    height: Combination


@dataclass(frozen=True, slots=True)
class Threshold:
    """The largest drop between neighbouring deciles; ``after`` is the lower decile."""

    after: int
    drop: Combination


def combine(
    weights: Floats, estimate: Floats, covariance: Floats, statuses: Sequence[str]
) -> Combination:
    """Add up coefficients with given weights.

    Parameters
    ----------
    weights, estimate
        Shape (d,).
    covariance
        Shape (d, d); NaN where it is not known.
    statuses
        Length d, of the coefficients.

    Returns
    -------
    Combination
        Coefficients of weight 0 do not enter. Without any other nothing is known: NaN
        with status ``no_variation``. NaN where a coefficient with
        weight is; the status is the worst of those with weight, at least ``weak`` when
        the interval contains 0, and ``failed`` when there is an estimate without an
        error.
    """
    used = np.flatnonzero(weights)
    nan = float(np.nan)
    if not len(used):
        return Combination(nan, nan, Interval(nan, nan), status.NO_VARIATION)
    own = weights[used]
    value = float(own @ estimate[used])
    variance = float(own @ covariance[np.ix_(used, used)] @ own)
    error = float(np.sqrt(variance)) if variance > 0 else nan
    lo, hi = normal_interval(value, error)
    interval = Interval(float(lo), float(hi))
    reasons = [statuses[place] for place in used.tolist()]
    reasons += [status.WEAK] * contains_zero(interval)
    reasons += [status.FAILED] * bool(np.isfinite(value) and np.isnan(error))
    return Combination(value, error, interval, status.worst(reasons))


def find_bump(estimate: Floats, covariance: Floats, statuses: Sequence[str]) -> Bump:
    """Find out whether a model likes a price a little above the cheapest better.

    Parameters
    ----------
    estimate
        Shape (9,), coefficients of deciles 2 to 10 against decile 1.
    covariance
        Shape (9, 9).
    statuses
        Length 9.

    Returns
    -------
    Bump
        The highest of deciles 2, 3 and 4 (the first of equal ones), with its 95 %
        interval, which is not widened for having picked the highest of three. NaN, and
        no decile, when one of the three has no estimate.
    """
    places = np.array(BUMP_DECILES) - 2
    # NaN is the largest to argmax: a missing coefficient leaves the height undefined
    place = int(places[np.argmax(estimate[places])])
    weights = np.zeros(len(estimate))
    weights[place] = 1.0
    height = combine(weights, estimate, covariance, statuses)
    return Bump(place + 2 if height.value > 0 else None, height)


def find_threshold(
    estimate: Floats, covariance: Floats, statuses: Sequence[str]
) -> Threshold | None:
    """Find the pair of neighbouring deciles between which utility drops most.

    Parameters
    ----------
    estimate
        Shape (9,), coefficients of deciles 2 to 10 against decile 1.
    covariance
        Shape (9, 9).
    statuses
        Length 9.

    Returns
    -------
    Threshold or None
        The drop is lower minus higher decile, the first of equal ones, with a 95 %
        interval not widened for the search; it is at most 0 for a curve that never
        falls. None when a coefficient is missing.
    """
    if not np.isfinite(estimate).all():
        return None
    curve = np.concatenate([[0.0], estimate])
    after = int(np.argmax(curve[:-1] - curve[1:])) + 1
    weights = np.zeros(len(estimate))
    weights[after - 1] = -1.0
    if after > 1:
        weights[after - 2] = 1.0
    return Threshold(after, combine(weights, estimate, covariance, statuses))


def decile_weights(price_usd: float, medians_usd: Floats) -> Floats:
    """Return the weights of the decile coefficients at a price.

    The curve runs straight, in the logarithm of the price, between the decile
    coefficients at the median prices of their bins, and is level beyond the first and
    the last: the steps themselves would put every discount inside a bin at nothing.

    Parameters
    ----------
    price_usd
        Above 0.
    medians_usd
        Shape (10,), ascending.

    Returns
    -------
    numpy.ndarray
        Shape (9,), weights of deciles 2 to 10, in [0, 1].
    """
    knots = np.log(medians_usd)
    at = np.log(price_usd)
    weights: Floats = np.array([np.interp(at, knots, unit) for unit in np.eye(10)[1:]])
    return weights
