"""The sweeps of ``models.bootstrap_passes`` compiled by numba, element pass fused.

Importing this module imports numba; compiled code is cached on disk. Only contraction
of multiply and add is allowed: NaN and infinity keep their meaning, and the rounding
trick of the exponential survives. Axes as in ``models.bootstrap_passes``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.extending import intrinsic

from models.bootstrap_design import Tile
from models.bootstrap_passes import LARGEST_UTILITY, SMALLEST_PIVOT, Curve, Lean
from models.ordering import Bools, Floats

F = TypeVar("F", bound=Callable[..., Any])


def _compiled(function: F, **options: Any) -> F:
    done: F = numba.njit(
        cache=True, nogil=True, fastmath={"contract"}, error_model="numpy", **options
    )(function)
    return done


def _bits_of(_: Any, number: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.bitcast(values[0], ir.IntType(64))

    return numba.types.int64(numba.types.float64), emit


def _number_of(_: Any, bits: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.bitcast(values[0], ir.DoubleType())

    return numba.types.float64(numba.types.int64), emit


_bits = intrinsic(_bits_of)
_number = intrinsic(_number_of)

_LOG2_E = 1.4426950408889634
# ln 2 in two parts, the first with trailing zeros, so that m x part is exact
_LN2_HIGH = 6.93145751953125e-1
_LN2_LOW = 1.42860682030941723212e-6
# 1.5 x 2^52: adding it rounds to a whole number and leaves that in the lowest bits
_ROUNDER = 6755399441055744.0


def _grow(x: float) -> float:
    """Return exp(x) clipped to the range that cannot overflow, to about 2 ulp.

    Straight-line code, so that the compiler can work on several numbers at once; the
    library's exponential is a call for each. Taylor series of degree 13 on
    [-ln 2 / 2, ln 2 / 2], whose remainder is 4e-18.
    """
    x = min(max(x, -LARGEST_UTILITY), LARGEST_UTILITY)
    shifted = x * _LOG2_E + _ROUNDER
    m = shifted - _ROUNDER
    z = (x - m * _LN2_HIGH) - m * _LN2_LOW
    p = 1.0 / 6227020800.0
    p = p * z + 1.0 / 479001600.0
    p = p * z + 1.0 / 39916800.0
    p = p * z + 1.0 / 3628800.0
    p = p * z + 1.0 / 362880.0
    p = p * z + 1.0 / 40320.0
    p = p * z + 1.0 / 5040.0
    p = p * z + 1.0 / 720.0
    p = p * z + 1.0 / 120.0
    p = p * z + 1.0 / 24.0
    p = p * z + 1.0 / 6.0
    p = p * z + 0.5
    p = p * z + 1.0
    p = p * z + 1.0
    grown: float = _number(_bits(p) + (_bits(shifted) << 52))
    return grown


_grow = _compiled(_grow, inline="always")


def _lean(
    counts: Floats,
    codes: Any,
    answers: Floats,
    offers: Floats,
    utility: Floats,
    growth: Floats,
    by_term: Floats,
    by_order: Floats,
) -> None:
    r, t, b = utility.shape
    grown = np.empty((r, b))
    kept = np.empty((r, b))
    scale = np.empty(b)
    for i in range(t):
        count = counts[codes[i]]
        for j in range(r):
            for c in range(b):
                grown[j, c] = _grow(utility[j, i, c])
                kept[j, c] = 0.0
        for o in range(answers.shape[0]):
            if r == 1:
                # one rival, as in most of the work: all in one go
                mass, factor, total = answers[o, i], growth[o, 0], by_order[o, 0]
                for c in range(b):
                    part = grown[0, c] * factor[c]
                    part *= mass * count[c] / (1.0 + part)
                    kept[0, c] += part
                    total[c] += part
                continue
            for c in range(b):
                scale[c] = 1.0
            for j in range(r):
                for c in range(b):
                    scale[c] += grown[j, c] * growth[o, j, c]
            for c in range(b):
                scale[c] = answers[o, i] * count[c] / scale[c]
            for j in range(r):
                for c in range(b):
                    part = grown[j, c] * growth[o, j, c] * scale[c]
                    kept[j, c] += part
                    by_order[o, j, c] += part
        for j in range(r):
            for k in range(offers.shape[1]):
                offer, total, row = offers[j * t + i, k], by_term[k], kept[j]
                for c in range(b):
                    total[c] += offer * row[c]


def _curve(
    counts: Floats,
    codes: Any,
    answers: Floats,
    offers: Floats,
    crosses: Floats,
    order_pairs: Floats,
    utility: Floats,
    growth: Floats,
    by_term: Floats,
    by_order: Floats,
    products: Floats,
    crossed: Floats,
    products_by_order: Floats,
) -> None:
    r, t, b = utility.shape
    pairs = order_pairs.shape[1]
    share = np.empty((r + 1, b))
    grown = np.empty((r, b))
    kept = np.empty((r, b))
    mixed = np.empty((order_pairs.shape[2], pairs, b))
    for i in range(t):
        count = counts[codes[i]]
        mixed[:] = 0.0
        for j in range(r):
            for c in range(b):
                grown[j, c] = _grow(utility[j, i, c])
                kept[j, c] = 0.0
        for o in range(answers.shape[0]):
            for c in range(b):
                share[r, c] = 1.0
            for j in range(r):
                for c in range(b):
                    share[j, c] = grown[j, c] * growth[o, j, c]
                    share[r, c] += share[j, c]
            for c in range(b):
                share[r, c] = 1.0 / share[r, c]
            for j in range(r):
                for c in range(b):
                    share[j, c] *= share[r, c]
            place = 0
            for j in range(r):
                for c in range(b):
                    part = share[j, c] * answers[o, i] * count[c]
                    kept[j, c] += part
                    by_order[o, j, c] += part
                    share[j, c] = part
                for other in range(j + 1, r + 1):
                    for c in range(b):
                        product = share[j, c] * share[other, c]
                        products[place, i, c] += product
                        products_by_order[o, place, c] += product
                    for term in range(order_pairs.shape[2]):
                        gap = order_pairs[o, place, term]
                        if gap != 0.0:
                            for c in range(b):
                                product = share[j, c] * share[other, c]
                                mixed[term, place, c] += gap * product
                    place += 1
        for j in range(r):
            for k in range(offers.shape[1]):
                offer, total, row = offers[j * t + i, k], by_term[k], kept[j]
                for c in range(b):
                    total[c] += offer * row[c]
        for term in range(order_pairs.shape[2]):
            for place in range(pairs):
                for k in range(offers.shape[1]):
                    gap, total = crosses[k, place * t + i], crossed[k, term]
                    row = mixed[term, place]
                    for c in range(b):
                        total[c] += gap * row[c]


def _factorise(matrices: Floats) -> Bools:
    # loops over numbers: expressions on arrays would take ten seconds to compile
    k, _, b = matrices.shape
    good = np.ones(b, dtype=np.bool_)
    smallest, root = np.empty(b), np.empty(b)
    for j in range(k):
        pivot = matrices[j, j]
        for c in range(b):
            smallest[c] = max(SMALLEST_PIVOT * pivot[c], 0.0)
        for p in range(j):
            for i in range(j, k):
                entry, left, right = matrices[i, j], matrices[i, p], matrices[j, p]
                for c in range(b):
                    entry[c] -= left[c] * right[c]
        for c in range(b):
            sound = pivot[c] > smallest[c]
            good[c] = good[c] and sound
            root[c] = np.sqrt(pivot[c]) if sound else 1.0
        for i in range(j, k):
            entry = matrices[i, j]
            for c in range(b):
                entry[c] /= root[c]
    return good


def _solve(factors: Floats, right: Floats) -> Floats:
    x = right.copy()
    k, b = x.shape
    for j in range(k):
        for c in range(b):
            x[j, c] /= factors[j, j, c]
        for i in range(j + 1, k):
            for c in range(b):
                x[i, c] -= factors[i, j, c] * x[j, c]
    for j in range(k - 1, -1, -1):
        for c in range(b):
            x[j, c] /= factors[j, j, c]
        for i in range(j):
            for c in range(b):
                x[i, c] -= factors[j, i, c] * x[j, c]
    return x


_lean = _compiled(_lean)
_curve = _compiled(_curve)
_factorise = _compiled(_factorise)
_solve = _compiled(_solve)


def _empty(tile: Tile, growth: Floats) -> Lean:
    by_term = np.zeros((tile.offers.shape[1], growth.shape[2]))
    return Lean(by_term, np.zeros_like(growth))


class CompiledPasses:
    """The sweeps of ``NumpyPasses``, each over the tasks once."""

    # few calls, and the sums of all terms still stay in a core's own cache
    width = 400
    rows = 512

    def lean(self, tile: Tile, counts: Floats, utility: Floats, growth: Floats) -> Lean:
        """See ``NumpyPasses.lean``."""
        lean = _empty(tile, growth)
        _lean(counts, tile.codes, tile.answers, tile.offers, utility, growth, *lean)
        return lean

    def curve(
        self, tile: Tile, counts: Floats, utility: Floats, growth: Floats
    ) -> Curve:
        """See ``NumpyPasses.curve``."""
        _, t, b = utility.shape
        o, p, m = tile.order_pairs.shape
        curve = Curve(
            _empty(tile, growth),
            np.zeros((p, t, b)),
            np.zeros((tile.offers.shape[1], m, b)),
            np.zeros((o, p, b)),
        )
        _curve(
            counts,
            tile.codes,
            tile.answers,
            tile.offers,
            tile.crosses,
            tile.order_pairs,
            utility,
            growth,
            *curve.lean,
            *curve[1:],
        )
        return curve

    def factorise(self, matrices: Floats) -> Bools:
        """See ``NumpyPasses.factorise``."""
        good: Bools = _factorise(matrices)
        return good

    def solve(self, factors: Floats, right: Floats) -> Floats:
        """See ``NumpyPasses.solve``."""
        solution: Floats = _solve(factors, right)
        return solution
