"""What each cluster adds to an estimate, for figures that are not coefficients.

The influence of a cluster on a figure is, to first order, what the figure owes to it;
the sum of squares over clusters is the clustered variance. Figures of two models on the
same tasks are then compared cluster by cluster. Axes: n rows, c clusters, k terms.
"""

from __future__ import annotations

import numpy as np

from models.clusters import Clusters, cluster_sums
from models.ordering import Floats


def cluster_variance(influence: Floats) -> float:
    """Return the clustered variance CRV1 of one figure, with the factor G/(G-1).

    Parameters
    ----------
    influence
        Shape (c,), one entry for each cluster.

    Returns
    -------
    float
        At least 0; NaN for fewer than two clusters or where an influence is NaN.
    """
    count = len(influence)
    if count < 2:
        return float(np.nan)
    return float(influence @ influence) * count / (count - 1)


def ratio_influence(
    a: float,
    b: float,
    influence_a: Floats,
    influence_b: Floats,
    *,
    scale: float = 1.0,
) -> Floats:
    """Return the influences on -(a/b) x scale, by the delta method.

    Parameters
    ----------
    a, b
        Numerator and denominator.
    influence_a, influence_b
        Shape (c,), influences on either.
    scale
        Constant factor.

    Returns
    -------
    numpy.ndarray
        Shape (c,); NaN when b is 0 or an input is NaN.
    """
    if b == 0:
        return np.full(influence_a.shape, np.nan)
    influence: Floats = scale * (a / b**2 * influence_b - influence_a / b)
    return influence


def mean_influence(values: Floats, clusters: Clusters) -> Floats:
    """Return the influences of clusters on the mean of their rows.

    Parameters
    ----------
    values
        Shape (n,), finite: a share is the mean of 0 and 1.
    clusters
        Division of the n rows.

    Returns
    -------
    numpy.ndarray
        Shape (c,), adding up to 0. Empty without rows.
    """
    if not len(values):
        return np.zeros(0)
    # the mean, too, must not depend on the order of the rows
    total = cluster_sums(values[:, None], clusters)[:, 0]
    mean = total.sum() / len(values)
    influence: Floats = (total - mean * clusters.counts) / len(values)
    return influence
