"""The simulated likelihood of the mixed logit with its exact derivatives.

Tastes b + s * e, one standard normal e for each random coefficient and panel; the
likelihood of a panel is the mean over draws of the product over its answers, Train
(2009), Discrete Choice Methods with Simulation, sections 6.6-6.7. With weights w over
the draws of a panel in proportion to that product, and g, V the score and information
of a draw, the score of the panel is E_w g and its Hessian
E_w (g g' - V) - (E_w g)(E_w g)'.

Axes: c panels, t choice sets, r rivals, q pairs of options, d draws, k terms,
m random coefficients, p = k + m parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from models.mixed_panels import Panels, option_pairs
from models.ordering import Bools, Floats, Ints

# numbers worked on together, a few megabytes of them: they then stay in the cache
BLOCK_VALUES = 600_000
# exp stays far from overflow below this, and no shift is needed
LARGEST_EXPONENT = 600.0


@dataclass(frozen=True, slots=True)
class MixedPoint:
    """The simulated likelihood at one parameter vector.

    Attributes
    ----------
    theta
        Shape (p,), k means and m standard deviations, these with a sign.
    log_likelihood
        Sum over panels of ln of the mean over draws, at most 0.
    scores
        Shape (c, p), each panel's part of the gradient.
    information
        Shape (p, p), minus the second derivative, symmetric.
    """

    theta: Floats
    log_likelihood: float
    scores: Floats
    information: Floats

    @property
    def gradient(self) -> Floats:
        """Shape (p,), first derivative."""
        total: Floats = self.scores.sum(axis=0)
        return total


@dataclass(frozen=True, slots=True)
class Simulation:
    """Panels with everything about them that no parameter changes.

    Attributes
    ----------
    panels
        c panels.
    random
        Shape (m,), which terms have a random coefficient.
    draws
        Shape (c, m, d).
    pairs
        Shape (c, q, t, k), differences between options.
    picked
        Shape (c, k), sum of the chosen options' differences to the reference.
    rival_pairs
        The pairs of two rivals, which stand last among the q pairs.
    answers
        Shape (c, t), how often each set was answered.
    """

    panels: Panels
    random: Ints
    draws: Floats
    pairs: Floats
    picked: Floats
    rival_pairs: tuple[tuple[int, int], ...]
    answers: Floats


def prepare(panels: Panels, random: Ints, draws: Floats) -> Simulation:
    """Gather what every evaluation of the likelihood needs.

    Parameters
    ----------
    panels
        c panels with k terms.
    random
        Shape (m,), positions of the terms with a random coefficient, ascending.
    draws
        Shape (c, m, d), standard normal.

    Returns
    -------
    Simulation
        Ready for ``evaluate``.
    """
    pairs, rival_pairs = option_pairs(panels.x)
    return Simulation(
        panels=panels,
        random=random,
        draws=draws,
        pairs=pairs,
        rival_pairs=rival_pairs,
        answers=panels.answers,
        picked=np.einsum("ctr,ctrk->ck", panels.picks, panels.x),
    )


def evaluate(simulation: Simulation, theta: Floats) -> MixedPoint:
    """Compute log-likelihood, panel scores and information of the simulation.

    Parameters
    ----------
    simulation
        From ``prepare``.
    theta
        Shape (p,), k means, then m standard deviations.

    Returns
    -------
    MixedPoint
        Probabilities never overflow; a draw that a panel rules out has weight 0.
    """
    p, c = len(theta), simulation.panels.count
    scores = np.zeros((c, p))
    logs = np.zeros(c)
    curvature = np.zeros((p, p))
    size = max(1, BLOCK_VALUES // _values_per_panel(simulation))
    work = _Work.sized(simulation, min(size, c))
    for start in range(0, c, size):
        block = slice(start, min(start + size, c))
        basis = _fill_basis(simulation.draws[block], work)
        likelihood, shares, reference = _given_draws(
            simulation, block, basis, theta, work
        )
        top = likelihood.max(axis=1)
        weight = np.exp(likelihood - top[:, None])
        total = weight.sum(axis=1)
        weight /= total[:, None]
        logs[block] = top + np.log(total / likelihood.shape[1])
        curvature += _within(simulation, block, basis, shares, reference, weight, work)
        scores[block], outer = _between(simulation, block, basis, shares, weight, work)
        curvature -= outer
    information = curvature + scores.T @ scores
    return MixedPoint(
        theta, float(logs.sum()), scores, (information + information.T) / 2
    )


def _values_per_panel(simulation: Simulation) -> int:
    _, q, t, k = simulation.pairs.shape
    _, m, d = simulation.draws.shape
    r = simulation.panels.x.shape[2]
    return int(d * (_basis_rows(m) + t * (r + 2 + q) + k + m))


def _products(m: int) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(range(m), 2))


def _basis_rows(m: int) -> int:
    return 1 + m + len(_products(m))


@dataclass(frozen=True, slots=True)
class _Work:
    """Flat memory for one block of panels; fresh memory costs more than the sums."""

    basis: Floats
    utility: Floats
    total: Floats
    loss: Floats
    g: Floats
    spread: Floats

    @classmethod
    def sized(cls, simulation: Simulation, panels: int) -> _Work:
        _, q, t, k = simulation.pairs.shape
        _, m, d = simulation.draws.shape
        r = simulation.panels.x.shape[2]
        rows = (_basis_rows(m), t * r, t, t, k + m, q * t)
        return cls(*(np.empty(panels * d * row) for row in rows))


def _shaped(memory: Floats, *shape: int) -> Floats:
    return memory[: math.prod(shape)].reshape(shape)


def _fill_basis(draws: Floats, work: _Work) -> Floats:
    """Return one, the draws and their products two by two, (c, 1 + m + m(m+1)/2, d)."""
    c, m, d = draws.shape
    basis = _shaped(work.basis, c, _basis_rows(m), d)
    basis[:, 0] = 1.0
    basis[:, 1 : 1 + m] = draws
    for place, (i, j) in enumerate(_products(m), start=1 + m):
        np.multiply(draws[:, i], draws[:, j], out=basis[:, place])
    return basis


def _given_draws(
    simulation: Simulation, block: slice, basis: Floats, theta: Floats, work: _Work
) -> tuple[Floats, Floats, Floats]:
    """Return likelihood (c, d), shares of rivals (c, t, r, d), reference (c, t, d)."""
    x, answers = simulation.panels.x[block], simulation.answers[block]
    c, t, r, k = x.shape
    picked, random, d = simulation.picked[block], simulation.random, basis.shape[2]
    with_one = basis[:, : 1 + len(random)]
    utility = _shaped(work.utility, c, t, r, d)
    loads = _loads(x.reshape(c, t * r, k), theta, random)
    np.matmul(loads, with_one, out=utility.reshape(c, t * r, d))
    gained = np.matmul(_loads(picked[:, None, :], theta, random), with_one)[:, 0]
    absent = simulation.panels.absent[block]
    shares, reference, loss = _shares(utility, absent, work)
    return gained - np.matmul(answers[:, None, :], loss)[:, 0], shares, reference


def _loads(x: Floats, theta: Floats, random: Ints) -> Floats:
    """Return what one and each draw add to a utility, (c, a, 1 + m)."""
    k = x.shape[2]
    return np.concatenate(
        [(x @ theta[:k])[:, :, None], x[:, :, random] * theta[k:]], axis=2
    )


def _shares(
    utility: Floats, absent: Bools, work: _Work
) -> tuple[Floats, Floats, Floats]:
    """Return the shares of rivals and reference, and minus the log of the latter.

    The utilities, shape (c, t, r, d), become the shares of the rivals.
    """
    c, t, r, d = utility.shape
    if absent.any():
        utility[absent] = -np.inf
    top: Floats | None = None
    base: Floats | float = 1.0
    if float(utility.max()) > LARGEST_EXPONENT:
        top = np.maximum(utility.max(axis=2), 0.0)
        base = np.exp(-top)
        utility -= top[:, :, None]
    np.exp(utility, out=utility)
    total = np.add(utility[:, :, 0], base, out=_shaped(work.total, c, t, d))
    for rival in range(1, r):
        total += utility[:, :, rival]
    loss = np.log(total, out=_shaped(work.loss, c, t, d))
    reference = np.reciprocal(total, out=total)
    utility *= reference[:, :, None]
    if top is not None:
        loss += top
        reference *= base
    return utility, reference, loss


def _within(
    simulation: Simulation,
    block: slice,
    basis: Floats,
    shares: Floats,
    reference: Floats,
    weight: Floats,
    work: _Work,
) -> Floats:
    """Return E_w V, the information of choice sets given the draws, (p, p).

    A pair of options with difference z and shares u and v adds u v z z' between means,
    with one more factor e for each standard deviation: 1 + m + m(m+1)/2 moments of u v
    over the draws say all.
    """
    c, t, r, d = shares.shape
    q, k = simulation.pairs.shape[1], simulation.pairs.shape[3]
    spread = _shaped(work.spread, c, q, t, d)
    np.multiply(shares.transpose(0, 2, 1, 3), reference[:, None], out=spread[:, :r])
    for place, (one, other) in enumerate(simulation.rival_pairs, start=r):
        np.multiply(shares[:, :, one], shares[:, :, other], out=spread[:, place])
    spread *= weight[:, None, None, :]
    moments = np.matmul(spread.reshape(c, q * t, d), basis.transpose(0, 2, 1))
    answers = np.tile(simulation.answers[block], q)
    moments *= answers[:, :, None]
    z = simulation.pairs[block].reshape(c * q * t, k)
    return _sum_products(z, z, moments.reshape(len(z), -1), simulation.random)


def _between(
    simulation: Simulation,
    block: slice,
    basis: Floats,
    shares: Floats,
    weight: Floats,
    work: _Work,
) -> tuple[Floats, Floats]:
    """Return panel scores E_w g, (c, p), and the sum of E_w g g', (p, p)."""
    c, t, r, d = shares.shape
    rows = t * r
    residual = shares.reshape(c, rows, d)
    residual *= -np.repeat(simulation.answers[block], r, axis=1)[:, :, None]
    residual += simulation.panels.picks[block].reshape(c, rows, 1)
    x = simulation.panels.x[block].reshape(c, rows, -1)
    p = x.shape[2] + len(simulation.random)
    # few options make few products of residuals; many are first summed up by term
    by_option = rows * (rows + 1) <= p
    route = _between_by_option if by_option else _between_by_term
    return route(x, residual, basis, weight, simulation.random, work)


def _between_by_option(
    x: Floats,
    residual: Floats,
    basis: Floats,
    weight: Floats,
    random: Ints,
    work: _Work,
) -> tuple[Floats, Floats]:
    c, rows, d = residual.shape
    k, m = x.shape[2], len(random)
    memory = _shaped(work.g, 1 + rows, c, rows, d)
    weighted = np.multiply(residual, weight[:, None], out=memory[0])
    first = np.matmul(weighted, basis[:, : 1 + m].transpose(0, 2, 1))
    scores = np.einsum("cak,ca->ck", x, first[:, :, 0])
    tilted = np.einsum("cam,cam->cm", x[:, :, random], first[:, :, 1:])
    outer = np.zeros((k + m, k + m))
    for one in range(rows):
        products = np.multiply(weighted, residual[:, one, None], out=memory[1 + one])
        moments = np.matmul(products, basis.transpose(0, 2, 1))
        left = np.repeat(x[:, one], rows, axis=0)
        flat = moments.reshape(c * rows, -1)
        outer += _sum_products(left, x.reshape(c * rows, k), flat, random)
    return np.concatenate([scores, tilted], axis=1), outer


def _between_by_term(
    x: Floats,
    residual: Floats,
    basis: Floats,
    weight: Floats,
    random: Ints,
    work: _Work,
) -> tuple[Floats, Floats]:
    c, _, d = residual.shape
    k, m = x.shape[2], len(random)
    g = _shaped(work.g, k + m, c, d)
    np.matmul(x.transpose(0, 2, 1), residual, out=g[:k].transpose(1, 0, 2))
    root = np.sqrt(weight)
    g[:k] *= root
    for place, term in enumerate(random):
        np.multiply(g[term], basis[:, 1 + place], out=g[k + place])
    scores = np.matmul(g.transpose(1, 0, 2), root[:, :, None])[:, :, 0]
    flat = g.reshape(k + m, -1)
    return scores, flat @ flat.T


def _sum_products(left: Floats, right: Floats, moments: Floats, random: Ints) -> Floats:
    """Sum left right' over rows, each entry weighted by its moment, (p, p).

    Moments are those of one, the draws, and their products two by two. The corner of
    deviations and means is copied from its mirror image: over all calls that are added
    up, rows must be symmetric in left and right.
    """
    k, m = left.shape[1], len(random)
    mixed_left, mixed_right = left[:, random], right[:, random]
    total = np.empty((k + m, k + m))
    total[:k] = left.T @ np.concatenate(
        [right * moments[:, :1], mixed_right * moments[:, 1 : 1 + m]], axis=1
    )
    total[k:, :k] = total[:k, k:].T
    for place, (i, j) in enumerate(_products(m), start=1 + m):
        value = np.sum(mixed_left[:, i] * mixed_right[:, j] * moments[:, place])
        total[k + i, k + j] = total[k + j, k + i] = value
    return total
