"""Tests, intervals and fit measures against hand arithmetic and scipy."""

from __future__ import annotations

import numpy as np
import pytest

from models.inference import (
    Interval,
    Z,
    aic,
    contains_zero,
    fieller_interval,
    holm,
    normal_interval,
    pseudo_r2,
    ratio_std_error,
    uniform_test,
    z_test,
)


def test_quantile() -> None:
    # tables: 1.95996398...
    assert pytest.approx(1.959963984540054, rel=1e-15) == Z


def test_p_values_keep_their_digits_far_out() -> None:
    from scipy.stats import norm

    z = np.array([0.0, 0.5, 1.959963984540054, 6.0, 20.0, 37.0])
    np.testing.assert_allclose(z_test(z, np.ones(6)), 2 * norm.sf(z), rtol=1e-12)
    np.testing.assert_array_equal(z_test(-z, np.ones(6)), z_test(z, np.ones(6)))
    assert z_test([20.0], [1.0])[0] > 0


def test_no_error_no_p_value() -> None:
    assert np.isnan(z_test([1.0, 1.0, np.nan], [0.0, np.nan, 1.0])).all()


def test_normal_interval_by_hand() -> None:
    lo, hi = normal_interval([10.0, np.nan], [2.0, 1.0])
    # 10 -+ 1.959964 x 2
    assert (lo[0], hi[0]) == pytest.approx((6.080072, 13.919928), abs=1e-6)
    assert np.isnan([lo[1], hi[1]]).all()


def test_contains_zero() -> None:
    assert contains_zero(Interval(-1.0, 0.0))
    assert not contains_zero(Interval(0.1, 1.0))
    assert not contains_zero(Interval(np.nan, np.nan))


def test_ratio_error_by_hand() -> None:
    covariance = np.array([[0.04, 0.01], [0.01, 0.09]])
    # r = -(2 / -4) x 250 = 125; relative variance 0.04/4 - 2 x 0.01/(2 x -4)
    # + 0.09/16 = 0.01 + 0.0025 + 0.005625 = 0.018125; 125 x sqrt(0.018125) = 16.82865
    error = ratio_std_error(2.0, -4.0, covariance, scale=250.0)
    assert error == pytest.approx(125 * np.sqrt(0.018125), rel=1e-14)
    # without the covariance: 125 x sqrt(0.015625) = 15.625
    apart = np.diag(np.diag(covariance))
    assert ratio_std_error(2.0, -4.0, apart, scale=250.0) == pytest.approx(15.625)


def test_ratio_error_is_the_slope_of_the_ratio() -> None:
    a, b, step = 1.3, -0.7, 1e-6
    covariance = np.array([[0.02, -0.004], [-0.004, 0.03]])
    slope = np.array(
        [
            (-(a + step) / b + (a - step) / b) / (2 * step),
            (-a / (b + step) + a / (b - step)) / (2 * step),
        ]
    )
    expected = np.sqrt(slope @ covariance @ slope)
    assert ratio_std_error(a, b, covariance) == pytest.approx(expected, rel=1e-8)


def test_ratio_to_nothing_has_no_error() -> None:
    assert np.isnan(ratio_std_error(1.0, 0.0, np.eye(2)))
    assert np.isnan(ratio_std_error(np.nan, 1.0, np.eye(2)))


@pytest.mark.parametrize(
    ("a", "b"), [(2.0, -4.0), (2.0, 4.0), (-0.3, -1.5), (0.0, -1.0)]
)
def test_fieller_ends_solve_the_defining_equation(a: float, b: float) -> None:
    covariance = np.array([[0.04, 0.01], [0.01, 0.09]])
    lo, hi = fieller_interval(a, b, covariance, scale=250.0)
    assert lo < -(a / b) * 250 < hi
    for end in (lo, hi):
        r = end / 250
        variance = covariance[0, 0] + 2 * r * covariance[0, 1] + r**2 * covariance[1, 1]
        assert (a + r * b) ** 2 == pytest.approx(Z**2 * variance, rel=1e-9)


def test_fieller_by_hand_without_covariance() -> None:
    # a = 0, var 1, b = 4, var 1: r^2 (16 - z^2) = z^2, r = z / sqrt(16 - z^2)
    lo, hi = fieller_interval(0.0, 4.0, np.eye(2))
    end = Z / np.sqrt(16 - Z**2)
    assert (lo, hi) == pytest.approx((-end, end), rel=1e-14)


def test_fieller_approaches_the_normal_interval() -> None:
    covariance = np.array([[0.04, 0.01], [0.01, 0.09]]) * 1e-8
    lo, hi = fieller_interval(2.0, -4.0, covariance)
    error = ratio_std_error(2.0, -4.0, covariance)
    assert (lo, hi) == pytest.approx((0.5 - Z * error, 0.5 + Z * error), rel=1e-8)


@pytest.mark.parametrize("b", [0.0, 0.5, -1.9599, 1.9599])
def test_fieller_is_undefined_when_the_denominator_may_be_zero(b: float) -> None:
    assert np.isnan(fieller_interval(2.0, b, np.eye(2))).all()


def test_fieller_is_defined_just_outside() -> None:
    assert np.isfinite(fieller_interval(2.0, 1.96, np.eye(2))).all()


def test_fieller_of_missing_numbers_is_undefined() -> None:
    missing = np.full((2, 2), np.nan)
    assert np.isnan(fieller_interval(2.0, 4.0, missing)).all()
    assert np.isnan(fieller_interval(np.nan, np.nan, missing)).all()


def test_fit_measures_by_hand() -> None:
    # 1 - 25/100; 2 x 8 + 2 x 25
    assert pseudo_r2(-25.0, -100.0) == 0.75
    assert aic(-25.0, 8) == 66.0
    assert np.isnan(pseudo_r2(0.0, 0.0))
    assert np.isnan(aic(np.nan, 8))


def test_two_slots_by_hand() -> None:
    # 1 of 5: 2 x (1 + 5) / 32 = 0.375
    assert uniform_test([1, 4]) == pytest.approx(0.375, rel=1e-14)
    assert uniform_test([3, 3]) == 1.0
    assert uniform_test([0, 3]) == pytest.approx(0.25, rel=1e-14)


@pytest.mark.parametrize("first", [0, 7, 250, 499, 500, 501, 640, 1000])
def test_two_slots_equal_scipy(first: int) -> None:
    from scipy.stats import binomtest

    expected = binomtest(first, 1000, 0.5).pvalue
    assert uniform_test([first, 1000 - first]) == pytest.approx(expected, rel=1e-9)


def test_more_slots_by_hand() -> None:
    # 20, 30, 40 of 90: (100 + 0 + 100) / 30 = 6.667 with two degrees of freedom, whose
    # tail is exp(-x / 2)
    assert uniform_test([20, 30, 40]) == pytest.approx(np.exp(-10 / 3), rel=1e-13)


def test_more_slots_equal_scipy() -> None:
    from scipy.stats import chisquare

    counts = [60, 71, 49, 80, 40]
    assert uniform_test(counts) == pytest.approx(chisquare(counts).pvalue, rel=1e-12)


def test_no_picks_no_test() -> None:
    assert np.isnan(uniform_test([0, 0]))


@pytest.mark.parametrize("counts", [[3], [], [1, -1], [1, 2.5], [1, np.nan]])
def test_counts_that_are_none_are_refused(counts: list[float]) -> None:
    with pytest.raises(ValueError, match="slot counts"):
        uniform_test(counts)


def test_holm_by_hand() -> None:
    # ascending 0.01, 0.02, 0.04 times 3, 2, 1: 0.03, 0.04, 0.04
    np.testing.assert_allclose(
        holm([0.04, np.nan, 0.01, 0.02]), [0.04, np.nan, 0.03, 0.04], rtol=1e-14
    )
    assert np.isnan(holm([np.nan])).all()
    assert holm([]).shape == (0,)
