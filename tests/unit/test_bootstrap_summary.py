"""Percentiles and ranks when replicates fail."""

from __future__ import annotations

import numpy as np
import pytest

from models.bootstrap_summary import percentile_interval, rank_models
from models.hotel_bootstrap_ranks import count_disjoint
from models.inference import UNDEFINED, Interval


def test_percentiles_are_linear_interpolations() -> None:
    # of 0 ... 100: the 2.5 % place is 2.5, the 97.5 % place 97.5
    assert percentile_interval(np.arange(101.0)) == pytest.approx((2.5, 97.5))


def test_separated_replicates_stand_at_their_end() -> None:
    draws = np.arange(201.0)
    draws[200] = -np.inf
    # sorted: -inf, 0, 1, ...; place 0.025 x 200 = 5 holds 4, place 195 holds 194
    assert percentile_interval(draws) == pytest.approx((4.0, 194.0))


@pytest.mark.parametrize(("at_end", "defined"), [(49, True), (50, True), (51, False)])
def test_interval_is_undefined_once_an_end_falls_among_infinities(
    at_end: int, defined: bool
) -> None:
    # of 2,001 replicates the 2.5 % place is 50, counted from 0: it is finite as long
    # as at most 50 stand before it
    draws = np.arange(2001.0)
    draws[:at_end] = -np.inf
    interval = percentile_interval(draws)
    assert np.isfinite(interval).all() == defined


def test_a_replicate_of_unknown_place_widens_both_ends() -> None:
    known = np.arange(199.0)
    lo, hi = percentile_interval(np.concatenate([known, [np.nan, np.nan]]))
    # lower end: -inf twice, then 0, 1, ...: place 5 holds 3; upper: place 195 holds 195
    assert (lo, hi) == pytest.approx((3.0, 195.0))
    alone = percentile_interval(known)
    assert lo < alone.lo < alone.hi < hi


def test_no_replicates() -> None:
    assert percentile_interval(np.zeros(0)) == UNDEFINED
    ranks = rank_models(np.array([2.0, 1.0]), np.zeros((0, 2)))
    assert ranks.point.tolist() == [1, 2]
    assert np.isnan(ranks.lo).all()
    assert rank_models(np.zeros(0), np.zeros((3, 0))).point.tolist() == []


def test_ranks_by_hand() -> None:
    point = np.array([3.0, 1.0, 2.0])
    draws = np.array([[3.0, 1.0, 2.0], [1.0, 3.0, 2.0], [2.0, 2.0, 1.0]])
    ranks = rank_models(point, draws)
    assert ranks.point.tolist() == [1, 3, 2]
    assert ranks.best.tolist() == [[1, 3, 2], [3, 1, 2], [1.5, 1.5, 3]]
    # ranks less their mean of 2: (-1, 1, 0) against itself 1; against (1, -1, 0) -1;
    # against (-.5, -.5, 1): 0
    assert ranks.correlation == pytest.approx([1.0, -1.0, 0.0])
    # sorted ranks of the first model 1, 1.5, 3; place .05 is 1.025, place 1.95 is 2.925
    assert ranks.lo[0] == pytest.approx(1.025)
    assert ranks.hi[0] == pytest.approx(2.925)


def test_unknown_place_may_stand_before_or_behind_every_model() -> None:
    ranks = rank_models(np.array([2.0, 1.0]), np.array([[np.nan, 1.0]]))
    assert ranks.best.tolist() == [[1, 1]]
    assert ranks.worst.tolist() == [[2, 2]]
    assert np.isnan(ranks.correlation).all()


def test_infinite_values_have_a_rank() -> None:
    ranks = rank_models(np.array([2.0, 1.0]), np.array([[-np.inf, 1.0]]))
    assert ranks.best.tolist() == ranks.worst.tolist() == [[2, 1]]


def test_disjoint_pairs() -> None:
    intervals = [Interval(0, 1), Interval(1, 2), Interval(3, 4), UNDEFINED]
    # touching ends have a point in common, so only the third is apart from the others
    assert count_disjoint(intervals) == (3, 2)


def test_ranks_are_those_of_scipy() -> None:
    from scipy.stats import rankdata, spearmanr

    rng = np.random.default_rng(4)
    point, draws = rng.normal(size=9), np.round(rng.normal(size=(30, 9)), 1)
    draws[3, 2] = np.inf
    ranks = rank_models(point, draws)
    assert np.array_equal(ranks.best, rankdata(-draws, axis=1))
    for row in (0, 3, 17):
        expected = spearmanr(draws[row], point).statistic
        assert ranks.correlation[row] == pytest.approx(expected, abs=1e-12)
