"""Halton sequences and normal draws."""

from __future__ import annotations

import numpy as np
import pytest

from models.halton import DROPPED, halton, normal_draws


def test_first_points_by_hand() -> None:
    # 1 2 3 4 5 are 1 10 11 100 101 in base 2; digits reversed behind the point
    np.testing.assert_array_equal(
        halton(5, 2, dropped=1), [1 / 2, 1 / 4, 3 / 4, 1 / 8, 5 / 8]
    )
    # 1 2 3 4 are 1 2 10 11 in base 3
    np.testing.assert_allclose(
        halton(4, 3, dropped=1), [1 / 3, 2 / 3, 1 / 9, 4 / 9], rtol=1e-15
    )


def test_points_are_those_of_scipy() -> None:
    from scipy.stats.qmc import Halton

    engine = Halton(d=3, scramble=False)
    engine.fast_forward(DROPPED)
    ours = np.column_stack([halton(2000, base) for base in (2, 3, 5)])
    np.testing.assert_allclose(ours, engine.random(2000), rtol=0, atol=1e-14)


def test_draws_give_each_panel_the_next_stretch() -> None:
    from scipy.stats import norm

    draws = normal_draws(3, 4, 2)
    assert draws.shape == (3, 2, 4)
    np.testing.assert_allclose(
        norm.cdf(draws[1, 1]), halton(12, 3)[4:8], rtol=0, atol=1e-14
    )


def test_draws_are_nearly_standard_normal() -> None:
    draws = normal_draws(450, 500, 3)
    # a Halton mean of 225,000 points is off by a few (log n)^2 / n, below 1e-3
    assert np.abs(draws.mean(axis=(0, 2))).max() < 1e-3
    assert np.abs(draws.std(axis=(0, 2)) - 1).max() < 2e-3
    assert np.isfinite(draws).all()


def test_draws_cannot_be_changed_by_who_shares_them() -> None:
    with pytest.raises(ValueError, match="read-only"):
        normal_draws(2, 3, 1)[0] = 0.0


def test_nothing_asked_gives_nothing() -> None:
    assert halton(0, 2).shape == (0,)
    assert normal_draws(0, 5, 2).shape == (0, 2, 5)


@pytest.mark.parametrize("argument", [(-1, 2, 1), (1, 1, 1), (1, 2, 0)])
def test_arguments_out_of_range(argument: tuple[int, int, int]) -> None:
    length, base, dropped = argument
    with pytest.raises(ValueError, match="give at least 0, 2 and 1"):
        halton(length, base, dropped=dropped)


def test_too_many_coefficients() -> None:
    with pytest.raises(ValueError, match="at most 8"):
        normal_draws(1, 1, 9)
