"""Covariances that allow for dependence between choice situations.

All are sums of products of influences (covariance times score, one row for each
situation), over the pairs of situations that may depend on each other. Axes: n
situations, c clusters, m members of a situation (the hotels it shows), k terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from models.clusters import Clusters, cluster_sums, prepare_clusters
from models.ordering import Floats, Ints

ABSENT = -1


def cluster_covariance(influence: Floats, clusters: Clusters) -> Floats:
    """Return the clustered covariance CRV1 with the factor G/(G-1).

    Liang and Zeger (1986), with the finite-cluster factor of Stata's ``logit`` but
    without (n-1)/(n-k), as audited estimates are defined.

    Parameters
    ----------
    influence
        Shape (n, k), from a fit; NaN in the columns of terms without an estimate.
    clusters
        Division of the n situations into G clusters. Under quasi-complete separation
        situations without influence count as members of their clusters.

    Returns
    -------
    numpy.ndarray
        Shape (k, k), NaN for terms without an estimate. All NaN for fewer than two
        clusters: one cluster says nothing about the spread between clusters.
    """
    k = influence.shape[1]
    if clusters.count < 2:
        return np.full((k, k), np.nan)
    return _spread(influence, clusters) * _factor(clusters.count)


@dataclass(frozen=True, slots=True)
class SharedMembers:
    """Pairs of situations that share a member, as an alternating sum of clusters.

    Attributes
    ----------
    parts
        For each size of a shared set: the rows that hold such sets (a row once for each
        of its sets), their clusters, and the sign of the part.
    count
        Distinct members.
    """

    parts: tuple[tuple[Ints, Clusters, int], ...]
    count: int


def prepare_shared_members(
    members: Ints, *, within: Clusters | None = None
) -> SharedMembers:
    """Find which choice situations share a member, such as a hotel.

    The indicator of a common member is the alternating sum, over the non-empty sets of
    common members, of 1 for odd and -1 for even sizes; and all situations that hold one
    set form a cluster.

    Parameters
    ----------
    members
        Shape (n, m), codes of at least 0, ``ABSENT`` (-1) where a place is empty. A
        code repeated within a row counts once.
    within
        Where given, only pairs of situations in the same cluster count.

    Returns
    -------
    SharedMembers
        Without parts for n = 0.
    """
    distinct = _distinct(members)
    parts = []
    for size in range(1, members.shape[1] + 1):
        rows, keys = [], []
        for places in combinations(range(members.shape[1]), size):
            held = np.flatnonzero((distinct[:, list(places)] != ABSENT).all(axis=1))
            rows.append(held)
            keys.append(distinct[held][:, list(places)])
        row, key = np.concatenate(rows), np.concatenate(keys)
        if within is not None:
            key = np.column_stack([key, within.codes[row]])
        if len(row):
            parts.append((row, prepare_clusters(_one_code(key)), 1 if size % 2 else -1))
    return SharedMembers(tuple(parts), len(np.unique(distinct[distinct != ABSENT])))


def shared_member_spread(influence: Floats, shared: SharedMembers) -> Floats:
    """Sum influence products over all pairs of situations that share any member.

    A situation shows several hotels, so hotels do not divide the situations into
    clusters. What one-way clustering means there is the dyadic-robust sum of Aronow,
    Samii and Assenova (2015, Political Analysis 23): every pair of situations that has
    a hotel in common counts once; here for any number of members.

    Parameters
    ----------
    influence
        Shape (n, k), NaN in the columns of terms without an estimate.
    shared
        From ``prepare_shared_members`` for the same n situations.

    Returns
    -------
    numpy.ndarray
        Shape (k, k), symmetric, not always positive definite, without any factor.
    """
    total = np.zeros((influence.shape[1], influence.shape[1]))
    for rows, clusters, sign in shared.parts:
        total += sign * _spread(influence[rows], clusters)
    return total


@dataclass(frozen=True, slots=True)
class TwoWay:
    """Clusters by group and by hotel, prepared once for every fit on the same rows.

    Situations of one group that show the same hotels are alike to both ways of
    clustering: they are added up once, to cells, and the ways divide the cells.

    Attributes
    ----------
    cells
        Division of the n situations by group and set of hotels.
    groups
        Division of the cells by group.
    hotels
        Pairs of cells that share a hotel.
    both
        Such pairs within one group.
    """

    cells: Clusters
    groups: Clusters
    hotels: SharedMembers
    both: SharedMembers


def prepare_twoway(groups: Clusters, hotels: Ints) -> TwoWay:
    """Prepare clustering by group and by hotel.

    Parameters
    ----------
    groups
        Division of the n situations.
    hotels
        Shape (n, m), hotel codes of at least 0, ``ABSENT`` where a place is empty.

    Returns
    -------
    TwoWay
        For the same n situations.
    """
    distinct = _distinct(hotels)
    cells = prepare_clusters(_one_code(np.column_stack([groups.codes, distinct])))
    member = np.zeros(cells.count, dtype=np.int64)
    member[cells.codes] = np.arange(len(groups.codes))
    cell_groups = prepare_clusters(groups.codes[member])
    shown = distinct[member]
    return TwoWay(
        cells=cells,
        groups=cell_groups,
        hotels=prepare_shared_members(shown),
        both=prepare_shared_members(shown, within=cell_groups),
    )


def twoway_covariance(influence: Floats, twoway: TwoWay) -> Floats | None:
    """Return the covariance clustered by group and by hotel.

    Cameron, Gelbach and Miller (2011, JBES 29): by group, plus by hotel, minus by
    both, each with its own factor G/(G-1). By hotel means ``shared_member_spread``,
    with the number of hotels in the factor; by both means pairs in one group that share
    a hotel, with the number of distinct (group, set of hotels) in the factor. Where a
    group is a fixed set of hotels, the first and the last term cancel and the
    dyadic-robust sum by hotel is left.

    Parameters
    ----------
    influence
        Shape (n, k), NaN in the columns of terms without an estimate.
    twoway
        From ``prepare_twoway`` for the same n situations.

    Returns
    -------
    numpy.ndarray or None
        Shape (k, k), NaN for terms without an estimate. None when the matrix of the
        estimated terms is not positive definite (no eigenvalue is set to zero to mend
        it), and for fewer than two groups or hotels.
    """
    return twoway_covariance_of_cells(cluster_sums(influence, twoway.cells), twoway)


def twoway_covariance_of_cells(sums: Floats, twoway: TwoWay) -> Floats | None:
    """Return the covariance clustered by group and by hotel, from cell sums.

    Parameters
    ----------
    sums
        Shape (c, k), the influences added up over each of ``twoway.cells``.
    twoway
        From ``prepare_twoway``.

    Returns
    -------
    numpy.ndarray or None
        As ``twoway_covariance``.
    """
    if twoway.groups.count < 2 or twoway.hotels.count < 2:
        return None
    total = (
        _spread(sums, twoway.groups) * _factor(twoway.groups.count)
        + shared_member_spread(sums, twoway.hotels) * _factor(twoway.hotels.count)
        - shared_member_spread(sums, twoway.both) * _factor(twoway.cells.count)
    )
    return total if is_positive(total) else None


def _factor(count: int) -> float:
    return count / (count - 1)


def _spread(influence: Floats, clusters: Clusters) -> Floats:
    sums = cluster_sums(influence, clusters)
    spread: Floats = sums.T @ sums
    return spread


def _distinct(members: Ints) -> Ints:
    """Sort the members of each row and blank repeated ones."""
    ordered = np.sort(members.astype(np.int64), axis=1)
    repeated = np.zeros(ordered.shape, dtype=bool)
    repeated[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    distinct: Ints = np.sort(np.where(repeated, ABSENT, ordered), axis=1)
    return distinct


def _one_code(keys: Ints) -> Ints:
    """Give equal rows of keys, shape (n, m), one code each, shape (n,)."""
    code = np.zeros(len(keys), dtype=np.int64)
    for column in keys.T:
        values = np.unique(column, return_inverse=True)[1].ravel()
        # recoded after every column, so that the product never overflows
        code = np.unique(
            code * (values.max(initial=0) + 1) + values, return_inverse=True
        )[1]
    return code.astype(np.int64)


def is_positive(matrix: Floats) -> bool:
    """Say whether a covariance matrix is positive definite, rounding aside.

    Parameters
    ----------
    matrix
        Shape (k, k), symmetric; NaN in the rows and columns of terms without an
        estimate, which are left out.

    Returns
    -------
    bool
        False also where no term is left.
    """
    known = np.isfinite(np.diagonal(matrix))
    if not known.any():
        return False
    # in units of the standard errors, so that the scale of a term does not matter
    diagonal = np.diagonal(matrix)[known]
    if not (diagonal > 0).all():
        return False
    root = np.sqrt(diagonal)
    correlation = matrix[np.ix_(known, known)] / np.outer(root, root)
    smallest = float(np.linalg.eigvalsh(correlation)[0])
    # rounding leaves about 1e-15 on a matrix that is singular
    return smallest > 1e-12
