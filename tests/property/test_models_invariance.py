"""What must not change an estimate, or must change it in a known way."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from models.choice_data import choice_data
from models.clusters import prepare_clusters
from models.conditional_logit import fit
from models.covariance import cluster_covariance

few = settings(max_examples=40, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


def sample(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    n, j, k = int(rng.integers(40, 150)), int(rng.integers(2, 6)), 3
    x = np.round(rng.normal(size=(n, j, k)), 1)
    chosen = (x @ rng.normal(size=k) + rng.gumbel(size=(n, j))).argmax(axis=1)
    return x, chosen, rng.integers(0, 15, n), rng


@few
@given(seeds)
def test_order_of_situations(seed: int) -> None:
    x, chosen, groups, rng = sample(seed)
    moved = rng.permutation(len(chosen))
    plain, shuffled = (
        fit(choice_data(x, chosen)),
        fit(choice_data(x[moved], chosen[moved])),
    )
    assert np.array_equal(plain.estimate, shuffled.estimate, equal_nan=True)
    assert np.array_equal(plain.covariance, shuffled.covariance, equal_nan=True)
    assert plain.term_status == shuffled.term_status
    clustered = [
        cluster_covariance(plain.influence, prepare_clusters(groups)),
        cluster_covariance(shuffled.influence, prepare_clusters(groups[moved])),
    ]
    assert np.array_equal(*clustered, equal_nan=True)


@few
@given(seeds)
def test_unit_of_a_term(seed: int) -> None:
    x, chosen, _, _ = sample(seed)
    unit = np.array([1.0, 1000.0, 0.001])
    plain, scaled = fit(choice_data(x, chosen)), fit(choice_data(x * unit, chosen))
    np.testing.assert_allclose(scaled.estimate * unit, plain.estimate, rtol=1e-9)
    np.testing.assert_allclose(scaled.std_error * unit, plain.std_error, rtol=1e-9)
    assert scaled.term_status == plain.term_status


@few
@given(seeds)
def test_shift_of_a_whole_choice_set(seed: int) -> None:
    # only differences within a set count
    x, chosen, _, rng = sample(seed)
    shifted = x + rng.normal(size=(len(chosen), 1, x.shape[2]))
    plain, moved = fit(choice_data(x, chosen)), fit(choice_data(shifted, chosen))
    np.testing.assert_allclose(moved.estimate, plain.estimate, rtol=1e-8, atol=1e-10)


@few
@given(seeds)
def test_likelihood_lies_between_equal_shares_and_certainty(seed: int) -> None:
    x, chosen, _, _ = sample(seed)
    result = fit(choice_data(x, chosen))
    assert result.null_log_likelihood <= result.log_likelihood <= 0
