"""Choice situations folded for a bootstrap: what repeats stands once.

A task is shown in a few orders, and only the order terms (slot constants, or an
intercept) know in which. So the utilities of a task are computed once for all orders,
and answers to the same offers within a cluster are one row with a count. Both are
exact: likelihood, scores and information are unchanged.

Axes: n distinct tasks, o orders, r rivals (the options but the last), k terms of which
the first m are order terms, c clusters, p pairs of options.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from models.ordering import Floats, Ints, canonical_order


@dataclass(frozen=True, slots=True)
class Design:
    """Answers as tasks, orders and counts; rows in an order set by their content.

    Attributes
    ----------
    offers
        Shape (r, n, k - m), option minus last option.
    orders
        Shape (o, r, m), order terms, option minus last option.
    answers
        Shape (o, n), answers to a task shown in an order, at least 0.
    codes
        Shape (n,), cluster of the task, ascending.
    chosen
        Shape (c, k), sum over a cluster's answers of chosen minus last option.
    """

    offers: Floats
    orders: Floats
    answers: Floats
    codes: Ints
    chosen: Floats

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All p pairs of options; option r is the last, whose differences are 0."""
        return tuple(combinations(range(self.offers.shape[0] + 1), 2))

    @property
    def terms(self) -> int:
        """Number of terms k."""
        return int(self.offers.shape[2] + self.orders.shape[2])


def fold(
    x: Floats, chosen: Ints, codes: Ints, clusters: int, *, order_terms: int = 0
) -> Design:
    """Fold answers that share offers, cluster and order into one row with a count.

    Parameters
    ----------
    x
        Shape (s, j, k), what each of j >= 2 options offers in each of s answers.
    chosen
        Shape (s,), position of the chosen option.
    codes
        Shape (s,), cluster of each answer, 0 to ``clusters`` - 1.
    clusters
        Number of clusters c; some may hold no answer.
    order_terms
        How many of the first terms depend on the order only, 0 to k. They may take
        any values; the fewer distinct rows of them, the better it folds.

    Returns
    -------
    Design
        The same whatever the order of the answers. No answers give n = 0.
    """
    s, j, k = x.shape
    differences = x[:, :-1] - x[:, -1:]
    order_rows = differences[:, :, :order_terms].reshape(s, (j - 1) * order_terms)
    offer_rows = differences[:, :, order_terms:].reshape(s, (j - 1) * (k - order_terms))
    order_of, first = _distinct(order_rows)
    orders = order_rows[first].reshape(len(first), j - 1, order_terms)
    task_of, first = _distinct(np.column_stack([codes, offer_rows]))
    # cluster by cluster, so that counts spread over tasks in one sweep
    ranked = np.argsort(codes[first], kind="stable")
    place = np.empty_like(ranked)
    place[ranked] = np.arange(len(ranked))
    first, task_of = first[ranked], place[task_of]
    offers = offer_rows[first].reshape(len(first), j - 1, k - order_terms)
    answers = np.bincount(
        order_of * len(first) + task_of, minlength=len(orders) * len(first)
    )
    padded = np.concatenate([differences, np.zeros((s, 1, k))], axis=1)
    return Design(
        offers=np.ascontiguousarray(np.moveaxis(offers, 1, 0)),
        orders=orders,
        answers=answers.reshape(len(orders), len(first)).astype(np.float64),
        codes=codes[first],
        chosen=_sums(padded[np.arange(s), chosen], codes, clusters),
    )


def _distinct(rows: Floats) -> tuple[npt.NDArray[np.intp], Ints]:
    """Return the code of each row and the first place of each distinct row."""
    if not rows.shape[1]:
        found = min(len(rows), 1)
        return np.zeros(len(rows), dtype=np.intp), np.arange(found, dtype=np.int64)
    order = canonical_order(rows)
    ordered = rows[order]
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    codes = np.empty(len(rows), dtype=np.intp)
    codes[order] = np.cumsum(fresh) - 1
    return codes, order[fresh]


def _sums(values: Floats, codes: Ints, clusters: int) -> Floats:
    """Add up rows by cluster, in an order that the input order can't change."""
    order = canonical_order(values)
    sums = np.zeros((clusters, values.shape[1]))
    for term, column in enumerate(values[order].T):
        sums[:, term] = np.bincount(codes[order], weights=column, minlength=clusters)
    return sums


@dataclass(frozen=True, slots=True)
class Tile:
    """Fixed factors of the matrix products for some tasks, few enough to stay in cache.

    Axes: t tasks of the tile.

    Attributes
    ----------
    offers
        Shape (r t, k - m), ``Design.offers`` with the rivals below each other.
    squares
        Shape ((k - m)(k - m + 1) / 2, p t), products of differences between the two
        options of a pair, lower triangle row by row.
    crosses
        Shape (k - m, p t), the differences themselves.
    answers
        Shape (o, t), as in ``Design``.
    codes
        Shape (t,), as in ``Design``.
    orders
        Shape (o, r, m), as in ``Design``.
    order_pairs
        Shape (o, p, m), order terms, difference between the two options of a pair.
    pairs
        The two options of each pair; option r is the last, whose differences are 0.
    """

    offers: Floats
    squares: Floats
    crosses: Floats
    answers: Floats
    codes: Ints
    orders: Floats
    order_pairs: Floats
    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """What all replicates share: tasks in tiles, and clusters at the start.

    Attributes
    ----------
    tiles
        All tasks of the design, in its order.
    start
        Shape (k,), coefficients at which every replicate starts.
    moments
        Shape (c, ...), side by side what each cluster adds: ``Design.chosen`` (k), the
        gradient at the start (k) and its information (k (k + 1) / 2, lower triangle row
        by row).
    bend
        Shape (c, k (k + 1) (k + 2) / 6), derivative of the information, as ``triples``
        lists it; single precision is plenty to guess where a replicate ends.
    """

    tiles: tuple[Tile, ...]
    start: Floats
    moments: Floats
    bend: npt.NDArray[np.float32]


@cache
def lower_triangle(k: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return rows and columns of the lower triangle of a k x k matrix, row by row."""
    return np.tril_indices(k)


@cache
def triples(k: int) -> npt.NDArray[np.intp]:
    """Return where each product of three of k terms stands in ``Tables.bend``.

    Parameters
    ----------
    k
        Number of terms.

    Returns
    -------
    numpy.ndarray
        Shape (k (k + 1) / 2, k), first two terms as ``lower_triangle`` lists them; the
        same place for every order of the three.
    """
    first, second, third = np.sort(np.indices((k, k, k)).reshape(3, -1), axis=0)[::-1]
    tetrahedron = first * (first + 1) * (first + 2) // 6
    places = tetrahedron + second * (second + 1) // 2 + third
    table: npt.NDArray[np.intp] = places.reshape(k, k, k)[lower_triangle(k)]
    return table


def prepare_tables(design: Design, start: Floats, rows: int) -> Tables:
    """Compute once what all replicates share.

    Parameters
    ----------
    design
        Folded answers with n >= 1.
    start
        Shape (k,), finite coefficients at which every replicate starts.
    rows
        Rows of ``Tile.offers`` that a tile may have, at least 1.

    Returns
    -------
    Tables
        Sums over tasks run in the order of ``design``.
    """
    r, n, free = design.offers.shape
    # the last option stands as a row of zeros, so that all pairs are treated alike
    offers = np.concatenate([design.offers, np.zeros((1, n, free))])
    last = np.zeros((len(design.orders), 1, design.orders.shape[2]))
    orders = np.concatenate([design.orders, last], axis=1)
    left, right = (list(side) for side in zip(*design.pairs, strict=True))
    gaps, order_gaps = offers[left] - offers[right], orders[:, left] - orders[:, right]
    shares = _shares(design, start)
    size = max(rows // r, 1)
    return Tables(
        tiles=tuple(
            _tile(design, slice(first, first + size), gaps, order_gaps)
            for first in range(0, n, size)
        ),
        start=start,
        moments=np.column_stack(
            [
                design.chosen,
                _cluster_scores(design, shares),
                _cluster_information(design, shares, gaps, order_gaps),
            ]
        ),
        bend=_cluster_bend(design, shares, offers, orders).astype(np.float32),
    )


def _tile(design: Design, part: slice, gaps: Floats, order_gaps: Floats) -> Tile:
    free = gaps.shape[2]
    row, column = np.tril_indices(free)
    own = gaps[:, part]
    p, t, _ = own.shape
    squares = own[:, :, row] * own[:, :, column]
    return Tile(
        offers=design.offers[:, part].reshape(len(design.offers) * t, free),
        squares=np.ascontiguousarray(squares.reshape(p * t, len(row)).T),
        crosses=np.ascontiguousarray(own.reshape(p * t, free).T),
        answers=np.ascontiguousarray(design.answers[:, part]),
        codes=design.codes[part],
        orders=design.orders,
        order_pairs=order_gaps,
        pairs=design.pairs,
    )


def _shares(design: Design, start: Floats) -> Floats:
    """Return choice probabilities of all options, the last one included."""
    m = design.orders.shape[2]
    utility = (design.offers @ start[m:])[None] + (design.orders @ start[:m])[
        :, :, None
    ]
    top = np.maximum(utility.max(axis=1), 0.0)[:, None]
    grown = np.exp(np.concatenate([utility - top, -top], axis=1))
    shares: Floats = grown / grown.sum(axis=1, keepdims=True)
    return shares


def _cluster_scores(design: Design, shares: Floats) -> Floats:
    r = design.offers.shape[0]
    expected = shares[:, :r] * design.answers[:, None]
    by_order = np.einsum("orn,orm->nm", expected, design.orders)
    by_offer = np.einsum("rn,rnk->nk", expected.sum(axis=0), design.offers)
    return design.chosen - _spread(design, np.column_stack([by_order, by_offer]))


def _cluster_information(
    design: Design, shares: Floats, gaps: Floats, order_gaps: Floats
) -> Floats:
    """Add up products of shares times products of differences, pair by pair."""
    n, k, m = design.offers.shape[1], design.terms, design.orders.shape[2]
    row, column = np.tril_indices(k)
    total = np.zeros((n, len(row)))
    for place, (one, other) in enumerate(design.pairs):
        for order, answers in enumerate(design.answers):
            weight = answers * shares[order, one] * shares[order, other]
            gap = np.empty((n, k))
            gap[:, :m] = order_gaps[order, place]
            gap[:, m:] = gaps[place]
            total += (gap * weight[:, None])[:, row] * gap[:, column]
    return _spread(design, total)


def _cluster_bend(
    design: Design, shares: Floats, offers: Floats, orders: Floats
) -> Floats:
    """Add up third central moments of the terms over the options of each answer."""
    n, k, m = design.offers.shape[1], design.terms, design.orders.shape[2]
    row, column = np.tril_indices(k)
    total = np.zeros((n, k * (k + 1) * (k + 2) // 6))
    for order, answers in enumerate(design.answers):
        terms = np.empty((len(offers), n, k))
        terms[:, :, :m] = orders[order][:, None]
        terms[:, :, m:] = offers
        share = shares[order][:, :, None]
        terms -= (terms * share).sum(axis=0)
        for own, part in zip(terms, share, strict=True):
            twos = own[:, row] * own[:, column] * (part * answers[:, None])
            stop = 0
            for last in range(k):
                # all pairs of terms up to this one, times this one
                width = (last + 1) * (last + 2) // 2
                total[:, stop : stop + width] += twos[:, :width] * own[:, last, None]
                stop += width
    return _spread(design, total)


def _spread(design: Design, rows: Floats) -> Floats:
    """Sum rows of tasks by cluster; tasks stand cluster by cluster."""
    sums = np.zeros((len(design.chosen), rows.shape[1]))
    if len(rows):
        starts = np.flatnonzero(np.diff(design.codes, prepend=-1))
        sums[design.codes[starts]] = np.add.reduceat(rows, starts, axis=0)
    return sums
