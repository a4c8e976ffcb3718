"""What a design can teach: by hand, and against simulated fits."""

from __future__ import annotations

import numpy as np
import pytest

from models.choice_data import choice_data
from models.conditional_logit import fit
from models.design import (
    d_error,
    detectable_difference,
    difference_correlation,
    expected_covariance,
    expected_information,
    identified_terms,
    pair_differences,
    variance_inflation,
)


def test_information_of_one_pair_by_hand() -> None:
    # difference (1, 2), tastes (ln 3, 0): p = 3/4, so 3/16 times ((1, 2), (2, 4))
    x = np.array([[[1.0, 2.0], [0.0, 0.0]]])
    expected = 3 / 16 * np.array([[1.0, 2.0], [2.0, 4.0]])
    np.testing.assert_allclose(
        expected_information(x, [np.log(3.0), 0.0]), expected, rtol=1e-14
    )


def test_information_of_one_triple_by_hand() -> None:
    # one term 2, 1, 0 without taste: shares 1/3, variance of (2, 1, 0) is 2/3
    x = np.array([[[2.0], [1.0], [0.0]]])
    np.testing.assert_allclose(expected_information(x, [0.0]), [[2 / 3]], rtol=1e-14)


def test_expected_errors_are_those_of_fits() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(600, 3, 4))
    tastes = np.array([0.5, -1.0, 0.3, 0.8])
    estimates, errors = [], []
    for _ in range(200):
        worth = x @ tastes + rng.gumbel(size=(600, 3))
        result = fit(choice_data(x, worth.argmax(axis=1)))
        estimates.append(result.estimate)
        errors.append(result.std_error)
    expected = np.sqrt(np.diag(expected_covariance(expected_information(x, tastes))))
    # errors of single fits stay near; the spread of 200 is known to 1 / sqrt(400) = 5 %
    np.testing.assert_allclose(np.mean(errors, axis=0), expected, rtol=0.02)
    np.testing.assert_allclose(np.std(estimates, axis=0), expected, rtol=0.2)


def test_order_of_sets_changes_nothing() -> None:
    x = np.random.default_rng(1).normal(size=(50, 3, 2))
    tastes = [0.4, -0.2]
    np.testing.assert_array_equal(
        expected_information(x[::-1], tastes), expected_information(x, tastes)
    )


def test_pair_differences_by_hand() -> None:
    # options 5, 3, 0: 3 - 5, 0 - 5, then 3 - 0
    x = np.array([[[5.0], [3.0], [0.0]]])
    assert pair_differences(x).ravel().tolist() == [-2.0, -5.0, 3.0]


def test_correlation_and_inflation_by_hand() -> None:
    # differences (1, 1), (1, 0): products 2, 1, 1; correlation 1 / sqrt(2);
    # inflation 1 / (1 - 1/2) = 2
    x = np.array([[[0.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [1.0, 0.0]]])
    correlation = difference_correlation(x)
    np.testing.assert_allclose(
        correlation, [[1.0, np.sqrt(0.5)], [np.sqrt(0.5), 1.0]], rtol=1e-14
    )
    np.testing.assert_allclose(variance_inflation(correlation), [2.0, 2.0], rtol=1e-13)


def test_which_option_comes_first_has_no_meaning() -> None:
    x = np.random.default_rng(2).normal(size=(40, 2, 3))
    x[:, 0] += 2.0
    turned = x.copy()
    turned[::2] = turned[::2, ::-1]
    np.testing.assert_allclose(
        difference_correlation(turned), difference_correlation(x), rtol=1e-12
    )


def test_inflation_is_exact_without_tastes() -> None:
    x = np.random.default_rng(3).normal(size=(80, 3, 3))
    x[:, :, 2] += x[:, :, 0]
    information = expected_information(x, np.zeros(3))
    # variance with the others over variance alone
    inflated = np.diag(expected_covariance(information)) * np.diag(information)
    factors = variance_inflation(difference_correlation(x))
    np.testing.assert_allclose(factors, inflated, rtol=1e-10)
    assert factors[0] > 1.5


def test_d_error_by_hand() -> None:
    # det(diag(4, 9)) = 36, 36^(-1/2) = 1/6; answers twice as many halve it
    information = np.diag([4.0, 9.0])
    assert d_error(information) == pytest.approx(1 / 6, rel=1e-14)
    assert d_error(2 * information) == pytest.approx(1 / 12, rel=1e-14)


def test_detectable_difference_by_hand() -> None:
    # (1.959964 + 0.841621) x sqrt(3^2 + 4^2) = 2.801585 x 5
    assert detectable_difference(3.0, 4.0) == pytest.approx(14.007926, abs=5e-6)
    assert np.isnan(detectable_difference(3.0, float("nan")))


def test_collinear_terms_are_undefined_not_infinite() -> None:
    x = np.random.default_rng(5).normal(size=(20, 2, 2))
    x = np.concatenate([x, 2 * x[:, :, :1]], axis=2)
    assert identified_terms(x).tolist() == [True, True, False]
    information = expected_information(x, np.zeros(3))
    assert np.isnan(d_error(information))
    assert np.isnan(expected_covariance(information)).all()
    assert np.isnan(variance_inflation(difference_correlation(x))).all()


def test_a_term_that_never_varies() -> None:
    x = np.random.default_rng(6).normal(size=(20, 2, 2))
    x[:, :, 1] = 3.0
    assert identified_terms(x).tolist() == [True, False]
    correlation = difference_correlation(x)
    np.testing.assert_array_equal(np.isnan(correlation), [[False, True], [True, True]])
    factors = variance_inflation(correlation)
    assert factors[0] == pytest.approx(1.0)
    assert np.isnan(factors[1])


def test_no_sets() -> None:
    information = expected_information(np.zeros((0, 2, 3)), np.zeros(3))
    np.testing.assert_array_equal(information, np.zeros((3, 3)))
    assert np.isnan(d_error(information))
    assert not identified_terms(np.zeros((0, 2, 3))).any()


@pytest.mark.parametrize("tastes", [[0.0], [0.0, float("nan")]])
def test_tastes_must_fit(tastes: list[float]) -> None:
    with pytest.raises(ValueError, match="2 finite numbers"):
        expected_information(np.zeros((1, 2, 2)), tastes)
