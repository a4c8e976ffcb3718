"""Clusters, prepared once and handed to every estimator, so that none can differ.

Axes: n rows, c clusters, k terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from models.ordering import Bools, Floats, Ints, canonical_order


@dataclass(frozen=True, slots=True)
class Clusters:
    """Rows divided into clusters.

    Attributes
    ----------
    codes
        Shape (n,), the cluster of each row, 0 to c - 1 in ascending order of the ids.
    counts
        Shape (c,), rows in each cluster, each at least 1.
    ids
        Shape (c,), the cluster ids, ascending.
    """

    codes: Ints
    counts: Ints
    ids: npt.NDArray[Any]

    @property
    def count(self) -> int:
        """Number of clusters, 0 when there are no rows."""
        return len(self.counts)


def prepare_clusters(ids: Sequence[Any] | npt.NDArray[Any]) -> Clusters:
    """Give each row the code of its cluster, whatever order the rows come in.

    Parameters
    ----------
    ids
        Shape (n,), whole numbers or text, one id for each row. Floating-point ids are
        accepted when none is missing.

    Returns
    -------
    Clusters
        Codes by ascending id, so that the same ids in another order give each row the
        same code. No rows give no clusters; one cluster is a valid division, for which
        clustered errors are undefined.

    Raises
    ------
    ValueError
        An id is missing (None or NaN); the message names the first such row, counted
        from 0.
    """
    values = np.asarray(ids)
    if values.ndim != 1:
        raise ValueError(f"cluster ids: one id for each row, got shape {values.shape}")
    missing = _missing(values)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"cluster ids: row {row} has none; give every row the id of its cluster"
        )
    unique, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return Clusters(
        codes=codes.astype(np.int64), counts=counts.astype(np.int64), ids=unique
    )


def _missing(values: npt.NDArray[Any]) -> Bools:
    # None compares unequal to everything; NaN is the only value unequal to itself
    if values.dtype.kind == "O":
        return np.array([v is None or v != v for v in values.tolist()], dtype=bool)
    if values.dtype.kind == "f":
        missing: Bools = np.isnan(values)
        return missing
    return np.zeros(len(values), dtype=bool)


def cluster_sums(values: Floats, clusters: Clusters) -> Floats:
    """Add up the rows of each cluster, in an order that the input order can't change.

    Parameters
    ----------
    values
        Shape (n, k), finite.
    clusters
        The division of the same n rows.

    Returns
    -------
    numpy.ndarray
        Shape (c, k), the sum over the rows of each cluster. Empty for n = 0.
    """
    keyed = np.column_stack([clusters.codes.astype(np.float64), values])
    order = canonical_order(keyed)
    codes = clusters.codes[order]
    sums = np.zeros((clusters.count, values.shape[1]))
    for term in range(values.shape[1]):
        sums[:, term] = np.bincount(
            codes, weights=values[order, term], minlength=clusters.count
        )
    return sums


def carrying_clusters(varies: Bools, clusters: Clusters) -> Ints:
    """Count, for each term, the clusters in which at least one row carries it.

    Parameters
    ----------
    varies
        Shape (n, k), whether the term varies between the options of the row.
    clusters
        The division of the same n rows.

    Returns
    -------
    numpy.ndarray
        Shape (k,), between 0 and the number of clusters.
    """
    return np.array(
        [len(np.unique(clusters.codes[column])) for column in varies.T], dtype=np.int64
    )
