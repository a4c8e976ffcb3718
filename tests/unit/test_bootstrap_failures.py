"""Replicates and samples without an ordinary maximum: classified, counted, kept."""

from __future__ import annotations

import numpy as np
import pytest

from models.bootstrap import bootstrap
from models.bootstrap_passes import NumpyPasses


def two_terms(seed: int = 0, clusters: int = 12, size: int = 12) -> tuple:
    """Choices that overlap: two terms of difference, option B all zero."""
    rng = np.random.default_rng(seed)
    n = clusters * size
    x = np.zeros((n, 2, 2))
    x[:, 0] = rng.normal(size=(n, 2))
    chosen = (x[:, 0] @ np.array([1.0, -1.0]) + rng.logistic(size=n) <= 0).astype(int)
    return x, chosen, np.repeat(np.arange(clusters), size)


def only(cluster: int, clusters: int) -> np.ndarray:
    counts = np.zeros((1, clusters), dtype=np.int64)
    counts[0, cluster] = 5
    return counts


ENGINES = [pytest.param(None, id="best"), pytest.param(NumpyPasses(), id="numpy")]


def decided_in_cluster_0() -> tuple:
    """In cluster 0 the first term alone decides, the more of it the better."""
    x, chosen, codes = two_terms()
    inside = codes == 0
    chosen[inside] = (x[inside, 0, 0] <= 0).astype(int)
    return x, chosen, codes


@pytest.mark.parametrize("passes", ENGINES)
def test_separated_replicate_runs_to_its_side(passes: NumpyPasses | None) -> None:
    x, chosen, codes = decided_in_cluster_0()
    sound = np.ones((20, 12), dtype=np.int64)
    counts = np.concatenate([sound, only(0, 12)])
    result = bootstrap(x, chosen, codes, counts, passes=passes)
    assert result.status == ("ok",) * 20 + ("separated",)
    assert (result.failed, result.alone) == (1, 1)
    # whatever the second coefficient does, the first grows without end; the second may
    # run to either side as long as it is small against the first
    assert result.estimate[20, 0] == np.inf
    assert np.isnan(result.estimate[20, 1])
    assert np.isfinite(result.estimate[:20]).all()


def test_separated_the_other_way() -> None:
    x, chosen, codes = decided_in_cluster_0()
    counts = np.concatenate([np.ones((20, 12), dtype=np.int64), only(0, 12)])
    result = bootstrap(-x, chosen, codes, counts)
    assert result.estimate[20, 0] == -np.inf


def test_quasi_separation_keeps_the_finite_coefficient() -> None:
    x, chosen, codes = two_terms()
    inside = codes == 0
    # a flag that only ever goes with option A, present in cluster 0 and overruled in
    # cluster 1: without cluster 1 its coefficient is infinite, the other is not
    x[:, 0, 1] = 0.0
    flagged = np.flatnonzero(inside)[:4]
    x[flagged, 0, 1] = 1.0
    chosen[flagged] = 0
    overruled = np.flatnonzero(codes == 1)[:4]
    x[overruled, 0, 1] = 1.0
    chosen[overruled] = 1
    counts = np.ones((21, 12), dtype=np.int64)
    counts[20, 1] = 0
    result = bootstrap(x, chosen, codes, counts)
    assert result.status == ("ok",) * 20 + ("separated",)
    assert result.estimate[20, 1] == np.inf
    assert np.isfinite(result.estimate[20, 0])


def test_many_separated_replicates_are_classified_without_a_side() -> None:
    x, chosen, codes = decided_in_cluster_0()
    sound = np.ones((1, 12), dtype=np.int64)
    counts = np.concatenate([sound, *[only(0, 12)] * 4])
    result = bootstrap(x, chosen, codes, counts)
    assert result.status == ("ok",) + ("separated",) * 4
    assert result.alone == result.failed == 4
    assert np.isnan(result.estimate[1:]).all()


@pytest.mark.parametrize("passes", ENGINES)
def test_term_that_does_not_vary_in_a_replicate(passes: NumpyPasses | None) -> None:
    x, chosen, codes = two_terms()
    x[codes == 3, :, 1] = 0.0
    result = bootstrap(x, chosen, codes, only(3, 12), passes=passes)
    assert result.status == ("no_variation",)
    assert result.failed == 1
    assert np.isnan(result.estimate[0, 1])
    assert np.isfinite(result.estimate[0, 0])


def test_one_singular_replicate_leaves_the_others_of_its_block_alone() -> None:
    x, chosen, codes = two_terms()
    x[codes == 3, :, 1] = 0.0
    sound = np.ones((3, 12), dtype=np.int64)
    mixed = np.concatenate([sound[:1], only(3, 12), sound[1:]])
    result = bootstrap(x, chosen, codes, mixed)
    expected = bootstrap(x, chosen, codes, sound).estimate
    np.testing.assert_allclose(result.estimate[[0, 2, 3]], expected, atol=1e-10)
    assert result.status == ("ok", "no_variation", "ok", "ok")


def test_replicate_without_answers() -> None:
    x, chosen, codes = two_terms()
    result = bootstrap(x, chosen, codes, np.zeros((1, 12), dtype=np.int64))
    assert result.status == ("too_few",)
    assert np.isnan(result.estimate).all()


def test_term_that_never_varies_is_left_out_of_all_replicates() -> None:
    x, chosen, codes = two_terms()
    wider = np.concatenate([x, np.ones((len(codes), 2, 1))], axis=2)
    counts = np.ones((2, 12), dtype=np.int64)
    result = bootstrap(wider, chosen, codes, counts)
    assert result.status == ("ok", "ok")
    assert np.isnan(result.estimate[:, 2]).all()
    expected = bootstrap(x, chosen, codes, counts).estimate
    np.testing.assert_allclose(result.estimate[:, :2], expected, atol=1e-12)


def test_separated_sample() -> None:
    x, _, codes = two_terms()
    chosen = (x[:, 0, 0] <= 0).astype(int)
    result = bootstrap(x, chosen, codes, np.ones((4, 12), dtype=np.int64))
    assert result.status == ("separated",) * 4
    assert result.failed == 4
    assert np.isnan(result.estimate).all()


def test_no_answers() -> None:
    result = bootstrap(
        np.zeros((0, 2, 3)), np.zeros(0, int), np.zeros(0, int), np.ones((2, 4), int)
    )
    assert result.status == ("too_few", "too_few")
    assert result.estimate.shape == (2, 3)


def test_one_cluster_gives_the_sample_again() -> None:
    x, chosen, codes = two_terms()
    counts = np.ones((3, 1), dtype=np.int64)
    result = bootstrap(x, chosen, np.zeros_like(codes), counts)
    np.testing.assert_allclose(
        result.estimate, np.tile(result.point.estimate, (3, 1)), atol=1e-10
    )


def test_no_replicates() -> None:
    x, chosen, codes = two_terms()
    result = bootstrap(x, chosen, codes, np.zeros((0, 12), dtype=np.int64))
    assert result.estimate.shape == (0, 2)
    assert result.status == ()


@pytest.mark.parametrize(
    ("codes", "counts", "message"),
    [
        (np.zeros(3, int), np.ones((1, 12), int), r"codes: shape \(144,\) needed"),
        (np.full(144, 12), np.ones((1, 12), int), "codes: 0 to 11 needed, got 12-12"),
        (np.zeros(144, int), np.ones(12, int), r"counts: shape \(b, c\) needed"),
        (np.zeros(144, int), -np.ones((1, 12), int), "counts: a negative one"),
    ],
)
def test_bad_input(codes: np.ndarray, counts: np.ndarray, message: str) -> None:
    x, chosen, _ = two_terms()
    with pytest.raises(ValueError, match=message):
        bootstrap(x, chosen, codes, counts)
