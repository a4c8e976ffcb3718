"""What must not change a replicate, whatever the sample."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from models.bootstrap import bootstrap
from models.bootstrap_draws import draw_counts
from models.bootstrap_passes import NumpyPasses
from models.choice_data import choice_data
from models.conditional_logit import fit

few = settings(max_examples=25, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


def sample(
    seed: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]:
    """Answers of two to four options, some offers repeated, clusters of any size."""
    rng = np.random.default_rng(seed)
    n, j = int(rng.integers(80, 160)), int(rng.integers(2, 5))
    x = np.round(rng.normal(size=(n, j, 3)), 1)
    x = x[rng.integers(0, n, n)]
    chosen = (x @ rng.normal(size=3) + rng.gumbel(size=(n, j))).argmax(axis=1)
    return x, chosen, rng.integers(0, 15, n), rng


@few
@given(seeds)
def test_a_replicate_is_the_fit_of_its_rows(seed: int) -> None:
    x, chosen, codes, _ = sample(seed)
    counts = draw_counts(4, 15, seed=seed)
    result = bootstrap(x, chosen, codes, counts)
    for replicate, label in enumerate(result.status):
        rows = np.repeat(np.arange(len(codes)), counts[replicate][codes])
        alone = fit(choice_data(x[rows], chosen[rows]))
        assert (label == "ok") == (set(alone.term_status) == {"ok"})
        if label == "ok":
            # to 1e-8 standard errors, which are below 1 unless choices nearly separate
            gap = np.abs(result.estimate[replicate] - alone.estimate)
            assert (gap <= 1e-8 * np.maximum(alone.std_error, 1.0)).all()


@few
@given(seeds)
def test_order_of_answers(seed: int) -> None:
    x, chosen, codes, rng = sample(seed)
    counts = draw_counts(6, 15, seed=seed)
    moved = rng.permutation(len(codes))
    plain = bootstrap(x, chosen, codes, counts)
    shuffled = bootstrap(x[moved], chosen[moved], codes[moved], counts)
    assert np.array_equal(plain.estimate, shuffled.estimate, equal_nan=True)
    assert plain.status == shuffled.status


@few
@given(seeds)
def test_engines_agree(seed: int) -> None:
    x, chosen, codes, _ = sample(seed)
    counts = draw_counts(6, 15, seed=seed)
    best = bootstrap(x, chosen, codes, counts)
    plain = bootstrap(x, chosen, codes, counts, passes=NumpyPasses())
    assert best.status == plain.status
    np.testing.assert_allclose(best.estimate, plain.estimate, rtol=1e-10, atol=1e-10)


@few
@given(seeds)
def test_twice_the_counts_change_nothing(seed: int) -> None:
    x, chosen, codes, _ = sample(seed)
    counts = draw_counts(3, 15, seed=seed)
    once, twice = (bootstrap(x, chosen, codes, c) for c in (counts, 2 * counts))
    assert once.status == twice.status
    np.testing.assert_allclose(once.estimate, twice.estimate, rtol=1e-7, atol=1e-8)
