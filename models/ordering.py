"""One order of rows that depends on what they hold, never on how they came."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Texts = npt.NDArray[np.object_]


def canonical_order(rows: Floats) -> Ints:
    """Return the permutation that puts rows into an order set by their content.

    Floating-point sums depend on the order of their terms, so every sum over rows is
    taken in this order: a permuted input then gives the same bits.

    Parameters
    ----------
    rows
        Shape (n, m), any finite values. Rows with equal content are interchangeable.

    Returns
    -------
    numpy.ndarray
        Shape (n,), the positions of the rows in canonical order. The order is that of
        the bytes, not of the numbers: fixed, but without meaning. Empty for n = 0;
        the identity for m = 0.
    """
    if rows.shape[0] == 0 or rows.shape[1] == 0:
        return np.arange(rows.shape[0], dtype=np.int64)
    # adding 0.0 turns -0.0 into 0.0, which are equal but differ in their bytes
    plain = np.ascontiguousarray(rows + 0.0)
    packed = plain.view(np.dtype((np.void, plain.shape[1] * plain.itemsize))).ravel()
    order: Ints = np.argsort(packed, kind="stable").astype(np.int64)
    return order
