"""Cluster bootstrap of a choice model: every replicate at its own exact maximum.

Counts stand for resampled rows and a block of replicates shares each matrix product.
A replicate starts at the full-sample estimate, where score, information and its
derivative are known for every cluster, so that a step with Halley's correction and the
Hessian at its end take no exponential. Then it steps on with that Hessian, the gradient
being exact, until the next step would be shorter than 1e-8 standard errors. What does
not get there takes full Newton steps, and what fails that is fitted alone by
``conditional_logit.fit``, which says why.

Axes: s answers, j options, k terms, c clusters, b replicates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from models import status
from models.bootstrap_blas import one_thread
from models.bootstrap_design import (
    Tables,
    Tile,
    fold,
    lower_triangle,
    prepare_tables,
    triples,
)
from models.bootstrap_failures import refit_alone
from models.bootstrap_passes import (
    LARGEST_UTILITY,
    Lean,
    NumpyPasses,
    Passes,
)
from models.choice_data import choice_data
from models.conditional_logit import LogitFit, fit
from models.ordering import Bools, Floats, Ints

# length of the step that would still be missing, in standard errors of the replicate
TOLERANCE = 1e-8
# steps with a kept Hessian before it is made anew; full Newton steps before giving up
KEPT_STEPS = 6
NEWTON_STEPS = 12


@dataclass(frozen=True, slots=True)
class Replicates:
    """Refitted coefficients, one row for each replicate.

    Attributes
    ----------
    point
        The full-sample fit.
    estimate
        Shape (b, k). Infinite where a separated coefficient runs off to one side; NaN
        where a term has no estimate, either side is open, or more than 5 % of the
        replicates are separated.
    status
        Length b: ``ok``, ``separated``, ``no_variation`` (a term has none, or is
        collinear with others, in this replicate), ``too_few`` (no answers in it),
        ``failed``.
    exp_passes
        Shape (b,), sweeps over the answers that took exponentials.
    newton
        Replicates that went on with Hessians of their own.
    alone
        Replicates that were fitted one by one.
    """

    point: LogitFit
    estimate: Floats
    status: tuple[str, ...]
    exp_passes: Ints
    newton: int
    alone: int

    @property
    def failed(self) -> int:
        """Number of replicates whose status is not ``ok``."""
        return sum(label != status.OK for label in self.status)


def bootstrap(
    x: npt.ArrayLike,
    chosen: npt.ArrayLike,
    codes: npt.ArrayLike,
    counts: npt.ArrayLike,
    *,
    order_terms: int = 0,
    point: LogitFit | None = None,
    passes: Passes | None = None,
) -> Replicates:
    """Refit a conditional logit on every replicate of a cluster bootstrap.

    Parameters
    ----------
    x
        Shape (s, j, k), what each of j >= 2 options offers, finite.
    chosen
        Shape (s,), position of the chosen option.
    codes
        Shape (s,), cluster of each answer, 0 to c - 1.
    counts
        Shape (b, c), how often each cluster came, at least 0.
    order_terms
        How many of the first terms depend only on the order of display, 0 to k: an
        intercept or slot constants. It changes the speed, not the result.
    point
        The fit of all answers, where the caller has it.
    passes
        The engine; compiled where numba can be imported, else NumPy.

    Returns
    -------
    Replicates
        ``estimate`` is the maximum of each replicate's likelihood to 1e-8 standard
        errors. A term that the full sample does not determine (``no_variation``) is NaN
        throughout and no failure of a replicate. When the full sample is separated,
        has no answers or has no maximum that could be found, every replicate has its
        status and no estimate. One cluster: every replicate equals the full sample.

    Raises
    ------
    ValueError
        Shapes that do not agree or values that ``choice_data`` refuses.
    """
    data = choice_data(x, chosen)
    cluster = np.asarray(codes, dtype=np.int64)
    drawn = np.asarray(counts)
    _check(len(data.chosen), cluster, drawn)
    point = fit(data) if point is None else point
    b, k = drawn.shape[0], data.x.shape[2]
    estimate, overall = np.full((b, k), np.nan), np.full(b, status.OK, dtype=object)
    kept = np.array([label == status.OK for label in point.term_status], dtype=bool)
    if _undetermined(point):
        overall[:] = status.worst((point.status, *point.term_status))
        never = np.zeros(b, dtype=np.int64)
        return Replicates(point, estimate, tuple(overall.tolist()), never, 0, 0)
    values = data.x[:, :, kept]
    order_terms = int(kept[:order_terms].sum())
    passes = passes or engine()
    design = fold(values, data.chosen, cluster, drawn.shape[1], order_terms=order_terms)
    tables = prepare_tables(design, point.estimate[kept], passes.rows)
    refits = _refit(tables, drawn, passes)
    late = np.flatnonzero(~refits.done)
    labels, rows = refit_alone(values, data.chosen, cluster, drawn, late)
    refits.estimate[late], overall[late] = rows, labels
    estimate[:, kept] = refits.estimate
    return Replicates(
        point=point,
        estimate=estimate,
        status=tuple(overall.tolist()),
        exp_passes=refits.exp_passes,
        newton=refits.newton,
        alone=len(labels),
    )


def _undetermined(point: LogitFit) -> bool:
    """Say whether the full sample gives replicates no place to start."""
    labels = set(point.term_status)
    return (
        point.status != status.OK
        or status.OK not in labels
        or not labels <= {status.OK, status.NO_VARIATION}
    )


def engine() -> Passes:
    """Return the compiled sweeps, or those of NumPy where numba is not installed."""
    try:
        from models.bootstrap_kernels import CompiledPasses
    except ImportError:
        return NumpyPasses()
    return CompiledPasses()


def _check(s: int, codes: Ints, counts: npt.NDArray[np.number]) -> None:
    if codes.shape != (s,):
        raise ValueError(f"codes: shape ({s},) needed, got {codes.shape}")
    if counts.ndim != 2:
        raise ValueError(f"counts: shape (b, c) needed, got {counts.shape}")
    c = counts.shape[1]
    if s and not (codes.min() >= 0 and codes.max() < c):
        raise ValueError(f"codes: 0 to {c - 1} needed, got {codes.min()}-{codes.max()}")
    if counts.size and not counts.min() >= 0:
        raise ValueError("counts: a negative one")


class _Refits(NamedTuple):
    estimate: Floats
    done: Bools
    exp_passes: Ints
    newton: int


class _Stand(NamedTuple):
    """Where the replicates of a block are; replicates are the last axis throughout.

    ``wanted`` (k, b) is the sum of the chosen terms, ``factors`` (k, k, b) are of the
    Hessian in use, ``sound`` says where it has one, and ``length`` is that of the last
    step in standard errors.
    """

    wanted: Floats
    beta: Floats
    factors: Floats
    sound: Bools
    length: Floats

    def only(self, which: Ints) -> _Stand:
        return _Stand(
            wanted=np.ascontiguousarray(self.wanted[:, which]),
            beta=np.ascontiguousarray(self.beta[:, which]),
            factors=np.ascontiguousarray(self.factors[:, :, which]),
            sound=self.sound[which],
            length=self.length[which],
        )


def _refit(tables: Tables, drawn: npt.NDArray[np.number], passes: Passes) -> _Refits:
    b = len(drawn)
    refits = _Refits(
        estimate=np.full((b, len(tables.start)), np.nan),
        done=np.zeros(b, dtype=bool),
        exp_passes=np.zeros(b, dtype=np.int64),
        newton=0,
    )
    newton = 0
    if not b:
        return refits
    with one_thread(), np.errstate(all="ignore"):
        for block in np.array_split(np.arange(b), -(-b // passes.width)):
            counts = np.ascontiguousarray(drawn[block].T, dtype=np.float64)
            stand = _approach(tables, counts, passes)
            late = _keep_stepping(tables, counts, passes, stand, block, refits)
            newton += len(late)
            _newton(tables, counts[:, late - block[0]], passes, late, refits)
    return refits._replace(newton=newton)


def _approach(tables: Tables, counts: Floats, passes: Passes) -> _Stand:
    """Step by the second-order model of the gradient, without an exponential."""
    k = len(tables.start)
    moments = tables.moments.T @ counts
    wanted, gradient = moments[:k], moments[k : 2 * k]
    information = moments[2 * k :]
    bend = (tables.bend.T @ counts.astype(np.float32))[triples(k)]
    factors = _unpack(information, k)
    sound = passes.factorise(factors)
    step = passes.solve(factors, gradient)
    # Halley's correction: the information half way, then at the end of the step
    factors = _unpack(information + _along(bend, step) / 2, k)
    sound &= passes.factorise(factors)
    step = passes.solve(factors, gradient)
    factors = _unpack(information + _along(bend, step), k)
    sound &= passes.factorise(factors)
    length = _length(gradient, step)
    return _Stand(wanted, tables.start[:, None] + step, factors, sound, length)


def _along(bend: npt.NDArray[np.float32], step: Floats) -> npt.NDArray[np.float32]:
    """Return the change of the information along a step, lower triangle."""
    change: npt.NDArray[np.float32] = np.einsum(
        "tkb,kb->tb", bend, step.astype(np.float32)
    )
    return change


def _keep_stepping(
    tables: Tables,
    counts: Floats,
    passes: Passes,
    stand: _Stand,
    block: Ints,
    refits: _Refits,
) -> Ints:
    """Step with the kept Hessian, and return the replicates that it does not settle."""
    done = np.zeros(len(block), dtype=bool)
    rows = sum(len(tile.offers) for tile in tables.tiles)
    for _ in range(KEPT_STEPS):
        growth = _growth(tables, stand.beta)
        gradient = stand.wanted.copy()
        for tile in tables.tiles:
            utility = _times_offers(tile, stand.beta)
            gradient -= _times_terms(tile, passes.lean(tile, counts, utility, growth))
        step = passes.solve(stand.factors, gradient)
        length = _length(gradient, step)
        beta = stand.beta + step
        done = stand.sound & _settled(beta, length, stand.length)
        refits.exp_passes[block] += 1
        refits.estimate[block[done]] = beta.T[done]
        refits.done[block[done]] = True
        stand = stand._replace(beta=beta, length=length)
        left = np.flatnonzero(~done)
        if not len(left):
            break
        # copying the counts of those left costs about as much as half a sweep of theirs
        # over as many tasks as there are clusters
        if len(left) * len(counts) < 2 * (len(block) - len(left)) * rows:
            block, counts = block[left], np.ascontiguousarray(counts[:, left])
            stand, done = stand.only(left), done[left]
    return block[~done]


def _newton(
    tables: Tables, counts: Floats, passes: Passes, block: Ints, refits: _Refits
) -> None:
    """Take full Newton steps from the start; what diverges is left as not done."""
    counts = np.ascontiguousarray(counts)
    beta = np.repeat(tables.start[:, None], len(block), axis=1)
    before = np.zeros(len(block))
    for _ in range(NEWTON_STEPS):
        if not len(block):
            break
        stand = _newton_step(tables, counts, passes, beta)
        done = stand.sound & _settled(stand.beta, stand.length, before)
        refits.exp_passes[block] += 1
        refits.estimate[block[done]] = stand.beta.T[done]
        refits.done[block[done]] = True
        left = np.flatnonzero(~done)
        block, counts = block[left], np.ascontiguousarray(counts[:, left])
        beta, before = np.ascontiguousarray(stand.beta[:, left]), stand.length[left]


def _newton_step(
    tables: Tables, counts: Floats, passes: Passes, beta: Floats
) -> _Stand:
    k, b = beta.shape
    gaps = tables.tiles[0].order_pairs
    m = gaps.shape[2]
    growth = _growth(tables, beta)
    wanted = tables.moments[:, :k].T @ counts
    gradient = wanted.copy()
    information = np.zeros((k, k, b))
    row, column = lower_triangle(k - m)
    squares = np.zeros((len(row), b))
    for tile in tables.tiles:
        curve = passes.curve(tile, counts, _times_offers(tile, beta), growth)
        gradient -= _times_terms(tile, curve.lean)
        information[:m, :m] += np.einsum("opl,opm,opb->lmb", gaps, gaps, curve.by_order)
        information[m:, :m] += curve.crossed
        squares += tile.squares @ curve.products.reshape(-1, b)
    information[m + row, m + column] = squares
    sound = passes.factorise(information)
    step = passes.solve(information, gradient)
    length = _length(gradient, step)
    return _Stand(wanted, beta + step, information, sound, length)


def _growth(tables: Tables, beta: Floats) -> Floats:
    """Return exp of the order part of the utilities, shape (o, r, b)."""
    orders = tables.tiles[0].orders
    utility = orders @ beta[: orders.shape[2]]
    np.minimum(utility, LARGEST_UTILITY, out=utility)
    growth: Floats = np.exp(np.maximum(utility, -LARGEST_UTILITY))
    return growth


def _times_offers(tile: Tile, beta: Floats) -> Floats:
    _, r, m = tile.orders.shape
    product: Floats = (tile.offers @ beta[m:]).reshape(r, len(tile.codes), -1)
    return product


def _times_terms(tile: Tile, lean: Lean) -> Floats:
    """Multiply weights of options by their terms, shape (k, b)."""
    by_order = np.einsum("orm,orb->mb", tile.orders, lean.by_order)
    return np.concatenate([by_order, lean.by_term])


def _unpack(triangle: Floats, k: int) -> Floats:
    full = np.empty((k, k, triangle.shape[1]))
    full[lower_triangle(k)] = triangle
    return full


def _length(gradient: Floats, step: Floats) -> Floats:
    """Return the length of a step in standard errors."""
    length: Floats = np.sqrt(np.maximum((gradient * step).sum(axis=0), 0.0))
    return length


def _settled(beta: Floats, length: Floats, before: Floats) -> Bools:
    """Say whether the next step, shorter in the proportion of these two, is too short.

    A step that is itself below the tolerance needs no such extrapolation.
    """
    shrinks = np.minimum(length / before, 1.0)
    next_one = np.where(length < TOLERANCE, length, length * shrinks)
    return np.isfinite(beta).all(axis=0) & (next_one < TOLERANCE)
