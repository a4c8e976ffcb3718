"""The bootstrap of search figures: enumerated, compared with scipy, and degenerate."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from models.search_bootstrap import (
    Median,
    Ratio,
    by_unit,
    kept_interval,
    resample,
    sign_test,
)
from models.search_terms import REPLICATES, SEED


def mean_of(values) -> Ratio:
    return Ratio(np.array(values, float), np.ones(len(values)))


def test_three_values_have_the_distribution_of_all_27_resamples():
    draws = resample([mean_of([0, 0.5, 1])], 3)[0]
    means = [sum(three) / 3 for three in product([0, 0.5, 1], repeat=3)]
    expected = {round(one, 9): means.count(one) for one in means}
    assert sorted(expected.values()) == [1, 1, 3, 3, 6, 6, 7]
    for mean, ways in expected.items():
        share = float(np.isclose(draws, mean).mean())
        # three standard errors of a share of 10,000
        spread = 3 * np.sqrt(ways / 27 * (1 - ways / 27) / REPLICATES)
        assert share == pytest.approx(ways / 27, abs=spread)
    assert kept_interval(draws) == (0, 1)


def test_equal_values_give_an_interval_of_one_point():
    assert kept_interval(resample([mean_of([1, 1, 1])], 3)[0]) == (1, 1)


def test_the_draws_are_those_of_the_specification_and_shared():
    values, other = np.array([0.1, 0.7, 0.4, 0.9]), np.array([1.0, 0.0, 2.0, 5.0])
    found = resample([mean_of(values), mean_of(other)], 4)
    generator = np.random.Generator(np.random.PCG64(SEED))
    places = generator.integers(0, 4, size=(10_000, 4))
    assert np.allclose(found[0], values[places].mean(axis=1), rtol=0, atol=1e-15)
    assert np.allclose(found[1], other[places].mean(axis=1), rtol=0, atol=1e-14)


def test_the_interval_is_that_of_scipy():
    from scipy.stats import bootstrap

    values = np.random.default_rng(8).random(30)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=10_000, method="percentile", vectorized=True,
        rng=np.random.Generator(np.random.PCG64(SEED)),
    ).confidence_interval  # fmt: skip
    ours = kept_interval(resample([mean_of(values)], 30)[0])
    assert ours == pytest.approx(tuple(theirs), abs=1e-14)


def test_resamples_without_a_task_that_counts_are_left_out():
    # only the first of three units counts: (2/3)^3 of resamples miss it
    draws = resample([Ratio(np.array([0.5, 0, 0]), np.array([1.0, 0, 0]))], 3)[0]
    missed = float(np.isnan(draws).mean())
    assert missed == pytest.approx(8 / 27, abs=0.015)
    assert kept_interval(draws) == (0.5, 0.5)


def test_medians_count_values_as_often_as_their_unit_came():
    values, unit = np.array([3.0, 1.0, 2.0, 8.0, 5.0]), np.array([0, 0, 1, 2, 3])
    figure = Median(values, unit)
    assert figure.value == 3.0
    generator = np.random.Generator(np.random.PCG64(SEED))
    places = generator.integers(0, 4, size=(10_000, 4))
    expected = [
        np.median(np.concatenate([values[unit == place] for place in row]))
        for row in places[:300]
    ]
    assert np.array_equal(resample([figure], 4)[0][:300], expected)
    none = Median(np.zeros(0), np.zeros(0, np.int64))
    assert np.isnan(none.value)
    assert np.isnan(resample([none], 4)[0]).all()


def test_nothing_to_draw_from_is_undefined():
    draws = resample([Ratio(np.zeros(0), np.zeros(0))], 0)[0]
    assert len(draws) == REPLICATES
    assert np.isnan(draws).all()
    assert np.isnan(kept_interval(draws)).all()
    assert np.isnan(sign_test(draws))


def test_blocks_do_not_change_the_draws(monkeypatch):
    figure = mean_of(np.random.default_rng(1).random(40))
    whole = resample([figure], 40)[0]
    monkeypatch.setattr("models.search_bootstrap._BLOCK", 40 * 333)
    assert np.allclose(resample([figure], 40)[0], whole, rtol=0, atol=1e-14)


def test_sums_by_retailer_keep_the_figure():
    ratio = Ratio(np.array([1.0, 2, 3]), np.array([1.0, 1, 2]))
    merged = by_unit(ratio, np.array([1, 0, 1]), 2)
    assert merged.num.tolist() == [2, 4]
    assert merged.den.tolist() == [1, 3]
    assert merged.value == ratio.value == 1.5


def test_sign_test_counts_both_sides():
    # 1 of 99 at or below 0: 2 (1 + 1) / 100
    assert sign_test(np.array([-1.0] + [1.0] * 98)) == pytest.approx(0.04)
    assert sign_test(np.zeros(9)) == 1.0
