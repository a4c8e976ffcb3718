"""Seeded simulation: clustered intervals cover, naive ones do not.

Tastes vary from pair to pair, so answers to one pair are alike and the error from the
inverse information is too small. The seed was fixed before the first run.
"""

from __future__ import annotations

import numpy as np
import pytest

from models.choice_data import choice_data
from models.clusters import prepare_clusters
from models.conditional_logit import fit
from models.covariance import cluster_covariance

SEED = 20260311
MODELS, PAIRS, REPS = 400, 150, 8
TRUTH = np.array([0.4, 1.0])


@pytest.fixture(scope="module")
def covered() -> dict[str, np.ndarray]:
    """Share of models whose 95 % interval holds the truth, for each term."""
    naive, clustered = [], []
    for stream in np.random.SeedSequence(SEED).spawn(MODELS):
        rng = np.random.default_rng(stream)
        pair = np.repeat(np.arange(PAIRS), REPS)
        rows = np.column_stack(
            [
                rng.choice([-1.0, 1.0], PAIRS * REPS),
                # the pair fixes most of the second difference
                rng.normal(size=PAIRS)[pair] + 0.2 * rng.normal(size=PAIRS * REPS),
            ]
        )
        alike = 0.8 * rng.normal(size=PAIRS)[pair]
        gain = rows @ TRUTH + alike + rng.logistic(size=PAIRS * REPS)
        x = np.zeros((PAIRS * REPS, 2, 2))
        x[:, 0] = rows
        result = fit(choice_data(x, (gain < 0).astype(int)))
        errors = np.sqrt(
            np.diagonal(cluster_covariance(result.influence, prepare_clusters(pair)))
        )
        # what the logit estimates is the taste shrunk by the pair's spread: Zeger,
        # Liang and Albert (1988), 1 / sqrt(1 + c^2 s^2) with c = 16 sqrt(3) / (15 pi)
        c = 16 * np.sqrt(3) / (15 * np.pi)
        target = TRUTH / np.sqrt(1 + c**2 * 0.8**2)
        off = np.abs(result.estimate - target)
        naive.append(off < 1.959964 * result.std_error)
        clustered.append(off < 1.959964 * errors)
    return {"naive": np.mean(naive, axis=0), "clustered": np.mean(clustered, axis=0)}


def test_clustered_intervals_cover(covered: dict[str, np.ndarray]) -> None:
    # 95 % of 400 has a Monte Carlo error of 1.1 points: three of them either side
    assert (covered["clustered"] > 0.95 - 0.033).all()
    assert (covered["clustered"] < 0.95 + 0.033).all()


def test_naive_intervals_of_a_pair_level_term_do_not(
    covered: dict[str, np.ndarray],
) -> None:
    assert covered["naive"][1] < 0.90
