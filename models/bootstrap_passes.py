"""One sweep over a tile of tasks for a block of replicates, in NumPy.

``models.bootstrap_kernels`` has the same sweeps compiled; both give the same numbers up
to rounding. Axes: t tasks, o orders, r rivals, p pairs of options, k terms of which m
are order terms, c clusters, b replicates (always last, so that it is contiguous).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from models.bootstrap_design import Tile
from models.ordering import Bools, Floats

# exp(2 x 340) is still a number, and Pr = 1 - exp(-340) is 1 long before
LARGEST_UTILITY = 340.0
# a pivot below this share of its diagonal entry is rounding
SMALLEST_PIVOT = 1e-12


class Lean(NamedTuple):
    """Weights of options, summed over the tasks of a tile.

    ``by_term`` has shape (k - m, b): times the offers; ``by_order`` (o, r, b): as they
    are, for each order and rival.
    """

    by_term: Floats
    by_order: Floats


class Curve(NamedTuple):
    """What gradient and information need; products run over pairs of options.

    ``products`` has shape (p, t, b); ``crossed`` (k - m, m, b) sums them times offers
    and order terms of the pair, ``by_order`` (o, p, b) as they are.
    """

    lean: Lean
    products: Floats
    crossed: Floats
    by_order: Floats


class Passes(Protocol):
    """The sweeps that an engine offers.

    It takes ``width`` replicates at once, and tasks with ``rows`` rivals in all.
    """

    width: int
    rows: int

    def lean(self, tile: Tile, counts: Floats, utility: Floats, growth: Floats) -> Lean:
        """Sum choice probabilities."""

    def curve(
        self, tile: Tile, counts: Floats, utility: Floats, growth: Floats
    ) -> Curve:
        """Sum choice probabilities and their products over pairs."""

    def factorise(self, matrices: Floats) -> Bools:
        """Replace symmetric matrices by their Cholesky factors."""

    def solve(self, factors: Floats, right: Floats) -> Floats:
        """Solve with factors."""


class NumpyPasses:
    """The sweeps as array operations."""

    # a call costs little against its work, and one array of a tile takes 0.4 MB, so
    # that a few of them stay in a core's own cache
    width = 400
    rows = 128

    def lean(self, tile: Tile, counts: Floats, utility: Floats, growth: Floats) -> Lean:
        """Return weighted sums of choice probabilities.

        Parameters
        ----------
        tile
            t tasks.
        counts
            Shape (c, b), how often each cluster came.
        utility
            Shape (r, t, b), utilities of the offers; overwritten.
        growth
            Shape (o, r, b), exp of the order part.

        Returns
        -------
        Lean
            Choice probabilities as weights.
        """
        weight = counts[tile.codes]
        grown = _exp(utility)
        by_task = np.zeros_like(grown)
        by_order = np.zeros_like(growth)
        for order, factor in enumerate(growth):
            part = grown * factor[:, None]
            scale = part.sum(axis=0)
            scale += 1.0
            np.divide(weight, scale, out=scale)
            scale *= tile.answers[order][:, None]
            part *= scale
            by_task += part
            by_order[order] = part.sum(axis=1)
        return Lean(_times_offers(tile, by_task), by_order)

    def curve(
        self, tile: Tile, counts: Floats, utility: Floats, growth: Floats
    ) -> Curve:
        """Return weighted sums of choice probabilities and of their products.

        Parameters
        ----------
        tile, counts, utility, growth
            As in ``lean``.

        Returns
        -------
        Curve
            Shapes as its attributes say.
        """
        weight = counts[tile.codes]
        grown = _exp(utility)
        r, t, b = grown.shape
        by_task, rival_sums = np.zeros_like(grown), np.zeros_like(growth)
        pairs, m = tile.pairs, tile.orders.shape[2]
        products = np.zeros((len(pairs), t, b))
        mixed = np.zeros((m, len(pairs), t, b))
        by_order = np.zeros((len(growth), len(pairs), b))
        share = np.empty((r + 1, t, b))
        for order, factor in enumerate(growth):
            np.multiply(grown, factor[:, None], out=share[:r])
            total = share[:r].sum(axis=0)
            total += 1.0
            np.reciprocal(total, out=share[r])
            share[:r] *= share[r]
            scale = weight * tile.answers[order][:, None]
            part = share[:r] * scale
            by_task += part
            rival_sums[order] = part.sum(axis=1)
            for place, (one, other) in enumerate(pairs):
                # `one` is never the last option, so its weighted share is at hand
                product = part[one] * share[other]
                products[place] += product
                by_order[order, place] = product.sum(axis=0)
                for term, gap in enumerate(tile.order_pairs[order, place]):
                    _add_times(mixed[term, place], product, gap)
        crossed = np.empty((tile.offers.shape[1], m, b))
        for term in range(m):
            crossed[:, term] = tile.crosses @ mixed[term].reshape(-1, b)
        lean = Lean(_times_offers(tile, by_task), rival_sums)
        return Curve(lean, products, crossed, by_order)

    def factorise(self, matrices: Floats) -> Bools:
        """Replace the lower triangles by Cholesky factors, replicate by replicate.

        Parameters
        ----------
        matrices
            Shape (k, k, b), symmetric; the lower triangles are overwritten.

        Returns
        -------
        numpy.ndarray
            Shape (b,), false where a pivot is not positive (or not a number): that
            replicate's factor is meaningless, the others are not touched by it.
        """
        k = matrices.shape[0]
        good = np.ones(matrices.shape[2], dtype=np.bool_)
        for j in range(k):
            smallest = SMALLEST_PIVOT * matrices[j, j]
            for p in range(j):
                matrices[j:, j] -= matrices[j:, p] * matrices[j, p]
            pivot = matrices[j, j]
            sound = (pivot > smallest) & (pivot > 0.0)
            good &= sound
            matrices[j:, j] /= np.sqrt(np.where(sound, pivot, 1.0))
        return good

    def solve(self, factors: Floats, right: Floats) -> Floats:
        """Solve ``factor factor' x = right`` for every replicate.

        Parameters
        ----------
        factors
            Shape (k, k, b) from ``factorise``.
        right
            Shape (k, b).

        Returns
        -------
        numpy.ndarray
            Shape (k, b).
        """
        x = right.copy()
        k = x.shape[0]
        for j in range(k):
            x[j] /= factors[j, j]
            x[j + 1 :] -= factors[j + 1 :, j] * x[j]
        for j in range(k - 1, -1, -1):
            x[j] /= factors[j, j]
            x[:j] -= factors[j, :j] * x[j]
        return x


def _add_times(total: Floats, product: Floats, gap: float) -> None:
    """Add a product times a number that mostly is 1, -1 or 0."""
    if gap == 1.0:
        total += product
    elif gap == -1.0:
        total -= product
    elif gap:
        total += product * gap


def _times_offers(tile: Tile, by_task: Floats) -> Floats:
    product: Floats = tile.offers.T @ by_task.reshape(-1, by_task.shape[2])
    return product


def _exp(utility: Floats) -> Floats:
    np.clip(utility, -LARGEST_UTILITY, LARGEST_UTILITY, out=utility)
    return np.exp(utility, out=utility)
