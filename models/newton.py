"""Newton's method for the conditional logit likelihood, on differences to the choice.

Axes: n situations, r rivals, k terms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from models.choice_data import Rivals
from models.ordering import Floats

# the decrement is the squared length of the step in standard errors; below the first
# bound Newton's method squares the error of each step, so a step that starts below the
# second ends at the rounding floor
QUADRATIC_DECREMENT = 1e-6
LAST_DECREMENT = 1e-20
HALVINGS = 40


@dataclass(frozen=True, slots=True)
class Point:
    """The likelihood at one coefficient vector.

    Attributes
    ----------
    beta
        Shape (k,), the coefficients.
    log_likelihood
        Weighted sum of ln Pr(chosen option), at most 0.
    gradient
        Shape (k,), first derivative.
    information
        Shape (k, k), minus the second derivative, symmetric.
    probabilities
        Shape (n, r), Pr(rival), 0 where the rival is absent.
    scores
        Shape (n, k), each situation's part of the gradient, rows in canonical order.
    """

    beta: Floats
    log_likelihood: float
    gradient: Floats
    information: Floats
    probabilities: Floats
    scores: Floats


@dataclass(frozen=True, slots=True)
class Maximum:
    """Where Newton's method ended.

    Attributes
    ----------
    point
        The likelihood at the last coefficients.
    covariance
        Shape (k, k), inverse of the observed information; None where it is singular.
    iterations
        Newton steps taken.
    converged
        Whether the last step was shorter than 1e-10 standard errors.
    """

    point: Point
    covariance: Floats | None
    iterations: int
    converged: bool


def evaluate(data: Rivals, beta: Floats) -> Point:
    """Compute log-likelihood, gradient, information and scores.

    Pr(rival) = exp(z'beta) / (1 + sum over rivals exp(z'beta)); McFadden (1974).

    Parameters
    ----------
    data
        n situations as differences to the chosen option.
    beta
        Shape (k,).

    Returns
    -------
    Point
        All sums run over the situations in canonical order. No situations give zeros.
    """
    utility = np.zeros(data.available.shape)
    # term by term and not by a matrix product: a row's value then never depends on
    # where the row stands
    for term, coefficient in zip(data.z, beta, strict=True):
        utility += term * coefficient
    utility = np.where(data.available, utility, -np.inf)
    top = np.maximum(utility.max(axis=1, initial=0.0), 0.0)
    grown = np.exp(utility - top[:, None])
    total = np.exp(-top) + grown.sum(axis=1)
    rival = grown / total[:, None]
    none = np.exp(-top) / total
    scores, deviations = _deviate(data, rival, none)
    # log1p keeps the digits of a choice that was nearly certain
    loss = np.where(top > 0, top + np.log(total), np.log1p(grown.sum(axis=1)))
    return Point(
        beta=beta,
        log_likelihood=0.0 - float(np.sum(data.weights * loss)),
        gradient=scores.sum(axis=1),
        information=deviations @ deviations.T,
        probabilities=rival,
        scores=scores.T,
    )


def _deviate(data: Rivals, rival: Floats, none: Floats) -> tuple[Floats, Floats]:
    """Return the scores, shape (k, n), and rows whose products add to the information.

    ``none`` is Pr(chosen option). The information of a situation is the variance of its
    differences: a sum of squares, from which nothing is subtracted.
    """
    k, n, rivals = data.z.shape
    if rivals == 1:
        only = data.z[:, :, 0]
        scores = only * (-rival[:, 0] * data.weights)
        return scores, only * np.sqrt(data.weights * rival[:, 0] * none)
    # rival by rival: a sum over an axis this short is slow
    mean = np.zeros((k, n))
    for place in range(rivals):
        mean += data.z[:, :, place] * rival[:, place]
    deviations = np.empty((k, n * (rivals + 1)))
    spread = deviations[:, : n * rivals].reshape(k, n, rivals)
    np.subtract(data.z, mean[:, :, None], out=spread)
    spread *= np.sqrt(rival * data.weights[:, None])
    np.multiply(mean, np.sqrt(data.weights * none), out=deviations[:, n * rivals :])
    return -(mean * data.weights), deviations


def maximise(data: Rivals, *, start: Floats, limit: int) -> Maximum:
    """Climb to the maximum by Newton steps with the exact Hessian and step halving.

    Parameters
    ----------
    data
        n situations whose differences have full column rank.
    start
        Shape (k,), first coefficients.
    limit
        Largest number of steps, at least 1.

    Returns
    -------
    Maximum
        ``converged`` is False when the limit is reached, the information becomes
        singular or no step improves the likelihood, as happens under separation.
    """
    point = evaluate(data, start)
    for taken in range(limit):
        factor = _factor(point.information)
        if factor is None:
            return Maximum(point, None, taken, False)
        step = cho_solve(factor, point.gradient)
        decrement = float(point.gradient @ step)
        ahead = _advance(data, point, step, decrement)
        if ahead is None:
            return Maximum(point, None, taken, False)
        point = ahead
        if decrement <= LAST_DECREMENT:
            covariance = _invert(point.information)
            return Maximum(point, covariance, taken + 1, covariance is not None)
    return Maximum(point, None, limit, False)


def _advance(
    data: Rivals, point: Point, step: Floats, decrement: float
) -> Point | None:
    length = 1.0
    for _ in range(HALVINGS):
        ahead = evaluate(data, point.beta + length * step)
        # near the top the gain is lost in rounding, and a full step is safe
        if decrement < QUADRATIC_DECREMENT or (
            ahead.log_likelihood > point.log_likelihood
        ):
            return ahead
        length /= 2
    return None


def _factor(information: Floats) -> tuple[Floats, bool] | None:
    if not np.isfinite(information).all():
        return None
    try:
        lower, flag = cho_factor(information, lower=True)
    except np.linalg.LinAlgError:
        return None
    return lower, flag


def _invert(information: Floats) -> Floats | None:
    factor = _factor(information)
    if factor is None:
        return None
    inverse = cho_solve(factor, np.eye(len(information)))
    symmetric: Floats = (inverse + inverse.T) / 2
    return symmetric
