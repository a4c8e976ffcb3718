"""Which clusters a bootstrap replicate holds, and how often.

Axes: b replicates, c clusters.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.uint16]

SEED = 42
# replicates of each reading; all models of a study share the draws of a reading
REPLICATES = {"as_published": 500, "audited": 2000}


def draw_counts(replicates: int, clusters: int, *, seed: int = SEED) -> Counts:
    """Draw clusters with replacement and count how often each one came.

    Kireyev (2026) draws the clusters of all replicates, row by row, as whole numbers in
    [0, c) from NumPy's default generator (PCG64) with seed 42; a number is a place in
    the ascending cluster ids.

    Parameters
    ----------
    replicates
        Number of replicates b, at least 0.
    clusters
        Number of clusters c, 0 to 65535.
    seed
        Seed of the generator, at least 0.

    Returns
    -------
    numpy.ndarray
        Shape (b, c); every row sums to c. A shorter draw is the beginning of a longer
        one with as many clusters. No clusters give shape (b, 0); one cluster is drawn
        once in every replicate.

    Raises
    ------
    ValueError
        A negative number of replicates, or clusters outside the range.
    """
    if replicates < 0:
        raise ValueError(f"replicates: at least 0 needed, got {replicates}")
    return next(draw_blocks(replicates, clusters, seed=seed, rows=max(replicates, 1)))


def draw_blocks(
    replicates: int, clusters: int, *, seed: int, rows: int
) -> Iterator[Counts]:
    """Draw as ``draw_counts`` does, a few replicates at a time, to hold few in memory.

    Parameters
    ----------
    replicates, clusters, seed
        As for ``draw_counts``.
    rows
        Most replicates of one block, at least 1.

    Yields
    ------
    numpy.ndarray
        Shape (rows, c), fewer at the end: put together, what ``draw_counts`` returns.
        Without replicates one block without rows.

    Raises
    ------
    ValueError
        Clusters outside the range.
    """
    if not 0 <= clusters <= np.iinfo(np.uint16).max:
        raise ValueError(f"clusters: 0 to 65535 can be drawn, got {clusters}")
    random = np.random.default_rng(seed)
    for start in range(0, max(replicates, 1), rows):
        block = min(rows, replicates - start)
        if not clusters:
            yield np.zeros((block, 0), dtype=np.uint16)
            continue
        places = random.integers(0, clusters, (block, clusters))
        # one flat count: far cheaper than a multinomial draw for each replicate
        places += np.arange(block)[:, None] * clusters
        counts = np.bincount(places.ravel(), minlength=block * clusters)
        yield counts.reshape(block, clusters).astype(np.uint16)
