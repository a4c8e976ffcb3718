"""Which columns of a matrix say something that the columns before them do not.

Axes: m rows, k columns.
"""

from __future__ import annotations

import numpy as np

from models.ordering import Bools, Floats

# a column whose part outside the span of earlier ones is below this share of its own
# length is a combination of them: rounding leaves about 1e-15, real data above 1e-6
RELATIVE_TOLERANCE = 1e-9


def scaled_columns(matrix: Floats) -> Floats:
    """Divide each column by its largest absolute value.

    Parameters
    ----------
    matrix
        Shape (m, k), finite.

    Returns
    -------
    numpy.ndarray
        Shape (m, k), values in [-1, 1]; columns of zeros stay zero.
    """
    if matrix.shape[0] == 0:
        return matrix
    largest = np.abs(matrix).max(axis=0)
    return matrix / np.where(largest > 0, largest, 1.0)


def independent_columns(matrix: Floats) -> Bools:
    """Mark the columns that are no linear combination of the columns before them.

    Parameters
    ----------
    matrix
        Shape (m, k), finite, rows in canonical order.

    Returns
    -------
    numpy.ndarray
        Shape (k,), true for a maximal independent set, taken greedily from the left:
        of collinear columns the earlier stay. All false for m = 0.
    """
    columns = scaled_columns(matrix)
    keep = np.zeros(matrix.shape[1], dtype=bool)
    basis = np.empty(matrix.shape, order="F")
    rank = 0
    for index in range(matrix.shape[1]):
        column = np.ascontiguousarray(columns[:, index])
        span = basis[:, :rank]
        length = float(np.sqrt(column @ column))
        # twice: one pass of Gram-Schmidt leaves a residue when columns are nearly
        # parallel, a second removes it
        rest = column - span @ (span.T @ column)
        rest = rest - span @ (span.T @ rest)
        left = float(np.sqrt(rest @ rest))
        if left > RELATIVE_TOLERANCE * length:
            keep[index] = True
            basis[:, rank] = rest / left
            rank += 1
    return keep


def determined_coordinates(matrix: Floats) -> Bools:
    """Mark the coordinates that are the same in every solution b of ``matrix b = c``.

    Parameters
    ----------
    matrix
        Shape (m, k), finite.

    Returns
    -------
    numpy.ndarray
        Shape (k,), true where every vector of the null space is 0. All false for
        m = 0.
    """
    k = matrix.shape[1]
    if matrix.shape[0] == 0 or k == 0:
        return np.zeros(k, dtype=bool)
    columns = scaled_columns(matrix)
    values, vectors = np.linalg.eigh(columns.T @ columns)
    # eigenvalues are squared lengths; rounding in the product leaves about 1e-15
    null = vectors[:, values <= 1e-12 * max(float(values[-1]), 1e-300)]
    determined: Bools = np.abs(null).max(axis=1, initial=0.0) < 1e-6
    return determined
