"""The conditional logit core against hand arithmetic and outside packages."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from unit.logit_samples import as_choices, binary_sample, same, ternary_sample

from models.choice_data import choice_data
from models.conditional_logit import fit

# both sides stop at the rounding floor; the first digits lost are those of the
# information matrix, so 1e-9 leaves three orders of room
OUTSIDE = 1e-9


def test_intercept_only_by_hand() -> None:
    result = fit(as_choices(np.ones((4, 1)), np.array([1, 1, 1, 0])))
    # 3 of 4 choose A: p = 3/4, b = ln(p / (1 - p)) = ln 3,
    # information n p (1 - p) = 4 x 3/16 = 3/4, LL = 3 ln(3/4) + ln(1/4)
    assert result.estimate[0] == pytest.approx(np.log(3), rel=1e-14)
    assert result.covariance[0, 0] == pytest.approx(4 / 3, rel=1e-13)
    assert result.log_likelihood == pytest.approx(
        3 * np.log(0.75) + np.log(0.25), rel=1e-14
    )
    # equal shares: 4 ln(1/2)
    assert result.null_log_likelihood == pytest.approx(-4 * np.log(2), rel=1e-14)
    assert result.status == "ok"


def test_three_options_with_constants_by_hand() -> None:
    x = np.zeros((10, 3, 2))
    x[:, 0, 0] = 1
    x[:, 1, 1] = 1
    chosen = np.array([0] * 5 + [1] * 3 + [2] * 2)
    result = fit(choice_data(x, chosen), null="option_shares")
    # shares 5/10, 3/10, 2/10: constants ln(5/2) and ln(3/2) against option 3, and the
    # model is its own null model
    assert result.estimate == pytest.approx([np.log(2.5), np.log(1.5)], rel=1e-13)
    by_hand = 5 * np.log(0.5) + 3 * np.log(0.3) + 2 * np.log(0.2)
    assert result.log_likelihood == pytest.approx(by_hand, rel=1e-14)
    assert result.null_log_likelihood == pytest.approx(by_hand, rel=1e-14)


@pytest.mark.parametrize("seed", range(12))
def test_two_options_equal_statsmodels_logit(seed: int) -> None:
    import statsmodels.api as sm

    n, k, steep = (
        (200, 3, 0.5),
        (500, 8, 1.0),
        (1500, 5, 3.0),
        (60, 2, 0.2),
    )[seed % 4]
    rows, picks = binary_sample(seed, n, k, steep=steep)
    result = fit(as_choices(rows, picks), null="option_shares")
    other = sm.Logit(picks, rows).fit(disp=0, tol=1e-14, maxiter=100)
    np.testing.assert_allclose(result.estimate, other.params, rtol=OUTSIDE)
    np.testing.assert_allclose(result.std_error, other.bse, rtol=OUTSIDE)
    np.testing.assert_allclose(
        result.covariance, other.cov_params(), rtol=1e-8, atol=1e-12
    )
    assert result.log_likelihood == pytest.approx(other.llf, rel=1e-12)
    # statsmodels finds the intercept-only maximum by BFGS, good to about 1e-9
    assert result.null_log_likelihood == pytest.approx(other.llnull, rel=1e-8)


@pytest.mark.parametrize(("seed", "sizes"), [(0, (3,)), (1, (2, 3)), (2, (2, 3, 5))])
def test_sets_of_any_size_equal_statsmodels_conditional_logit(
    seed: int, sizes: tuple[int, ...]
) -> None:
    from statsmodels.discrete.conditional_models import ConditionalLogit
    from statsmodels.tools.numdiff import approx_fprime

    rng = np.random.default_rng(seed)
    n, k, j = 150, 3, max(sizes)
    size = rng.choice(sizes, n)
    offered = np.arange(j) < size[:, None]
    x = rng.normal(size=(n, j, k))
    utility = x @ np.array([1.0, -0.5, 0.3]) + rng.gumbel(size=(n, j))
    chosen = np.where(offered, utility, -np.inf).argmax(axis=1)
    result = fit(choice_data(x, chosen, available=offered))
    picked = np.zeros((n, j), dtype=int)
    picked[np.arange(n), chosen] = 1
    groups = np.repeat(np.arange(n)[:, None], j, axis=1)
    model = ConditionalLogit(picked[offered], x[offered], groups=groups[offered])
    # its own search stops short of the maximum (1e-4), but its likelihood and score are
    # analytic: at our estimate the score must vanish and its slope be the information
    other = model.fit(disp=0)
    np.testing.assert_allclose(result.estimate, other.params, rtol=1e-3)
    assert result.log_likelihood == pytest.approx(
        model.loglike(result.estimate), rel=1e-12
    )
    assert np.abs(model.score(result.estimate)).max() < 1e-10
    information = -approx_fprime(result.estimate, model.score, centered=True)
    np.testing.assert_allclose(
        np.linalg.inv(information), result.covariance, rtol=1e-6, atol=1e-9
    )


def test_three_options_equal_xlogit() -> None:
    from xlogit import MultinomialLogit

    x, chosen = ternary_sample(3, 400, 3)
    result = fit(choice_data(x, chosen))
    picked = np.zeros((400, 3), dtype=int)
    picked[np.arange(400), chosen] = 1
    other = MultinomialLogit()
    other.fit(
        X=x.reshape(-1, 3),
        y=picked.ravel(),
        varnames=["a", "b", "c"],
        alts=np.tile([0, 1, 2], 400),
        ids=np.repeat(np.arange(400), 3),
        verbose=0,
    )
    # xlogit stops its search at a relative change of the likelihood
    np.testing.assert_allclose(result.estimate, other.coeff_, rtol=1e-3)
    assert result.log_likelihood >= other.loglikelihood - 1e-9
    assert result.log_likelihood == pytest.approx(other.loglikelihood, rel=1e-6)


def brute_force(
    x: np.ndarray, chosen: np.ndarray, weights: np.ndarray, beta: np.ndarray
) -> float:
    total = 0.0
    for situation, pick, weight in zip(x, chosen, weights, strict=True):
        utilities = [
            sum(v * b for v, b in zip(o, beta, strict=True)) for o in situation
        ]
        total += weight * np.log(
            np.exp(utilities[pick]) / sum(np.exp(u) for u in utilities)
        )
    return total


def test_maximum_of_a_likelihood_written_out() -> None:
    x, chosen = ternary_sample(4, 80, 2, j=4)
    weights = np.random.default_rng(5).integers(1, 4, 80).astype(float)
    result = fit(choice_data(x, chosen, weights=weights))
    top = brute_force(x, chosen, weights, result.estimate)
    assert result.log_likelihood == pytest.approx(top, rel=1e-13)
    for move in itertools.product((-1e-3, 0, 1e-3), repeat=2):
        if any(move):
            moved = result.estimate + np.array(move)
            assert brute_force(x, chosen, weights, moved) < top
    # second differences of the likelihood give the information
    step, basis = 1e-4, np.eye(2)
    hessian = np.array(
        [
            [
                sum(
                    a
                    * b
                    * brute_force(
                        x,
                        chosen,
                        weights,
                        result.estimate + step * (a * basis[p] + b * basis[q]),
                    )
                    for a in (-1, 1)
                    for b in (-1, 1)
                )
                / (4 * step**2)
                for q in range(2)
            ]
            for p in range(2)
        ]
    )
    np.testing.assert_allclose(np.linalg.inv(-hessian), result.covariance, rtol=1e-5)


def test_weights_count_situations() -> None:
    x, chosen = ternary_sample(6, 60, 2)
    weights = np.random.default_rng(7).integers(0, 4, 60)
    weighted = fit(choice_data(x, chosen, weights=weights))
    repeated = fit(choice_data(np.repeat(x, weights, 0), np.repeat(chosen, weights)))
    np.testing.assert_allclose(weighted.estimate, repeated.estimate, rtol=1e-12)
    np.testing.assert_allclose(weighted.covariance, repeated.covariance, rtol=1e-11)
    assert weighted.log_likelihood == pytest.approx(repeated.log_likelihood, rel=1e-13)
    assert weighted.null_log_likelihood == pytest.approx(
        repeated.null_log_likelihood, rel=1e-13
    )
    assert (weighted.influence[weights == 0] == 0).all()


def test_absent_option_is_as_if_it_were_not_there() -> None:
    x, chosen = ternary_sample(8, 200, 3, j=2)
    wide = np.concatenate([x, np.full((200, 1, 3), np.nan)], axis=1)
    offered = np.array([True, True, False])[None].repeat(200, axis=0)
    narrow, widened = (
        fit(choice_data(x, chosen)),
        fit(choice_data(wide, chosen, available=offered)),
    )
    np.testing.assert_allclose(narrow.estimate, widened.estimate, rtol=1e-13)
    np.testing.assert_allclose(narrow.covariance, widened.covariance, rtol=1e-12)
    assert narrow.null_log_likelihood == widened.null_log_likelihood


def test_influence_adds_up_to_nothing_at_the_maximum() -> None:
    x, chosen = ternary_sample(9, 300, 4)
    result = fit(choice_data(x, chosen))
    scale = np.abs(result.influence).sum(axis=0)
    assert (np.abs(result.influence.sum(axis=0)) < 1e-12 * scale).all()


def test_influence_is_covariance_times_score() -> None:
    x, chosen = ternary_sample(10, 50, 2)
    result = fit(choice_data(x, chosen))
    # score of a situation: chosen row minus the probability-weighted mean row
    expected = np.zeros((50, 2))
    for row in range(50):
        odds = np.exp(x[row] @ result.estimate)
        mean = (odds / odds.sum()) @ x[row]
        expected[row] = result.covariance @ (x[row, chosen[row]] - mean)
    np.testing.assert_allclose(result.influence, expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_order_of_situations_changes_no_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, chosen = ternary_sample(seed + 20, 300, 3)
    # rounded values make rows that stand more than once
    x = np.round(x)
    moved = rng.permutation(300)
    plain = fit(choice_data(x, chosen))
    shuffled = fit(choice_data(x[moved], chosen[moved]))
    assert same(plain, shuffled)
    assert np.array_equal(plain.influence[moved], shuffled.influence)


def test_order_of_options_changes_nothing() -> None:
    x, chosen = ternary_sample(11, 200, 3)
    flipped = fit(choice_data(x[:, ::-1], 2 - chosen))
    plain = fit(choice_data(x, chosen))
    np.testing.assert_allclose(flipped.estimate, plain.estimate, rtol=1e-12)
    np.testing.assert_allclose(flipped.covariance, plain.covariance, rtol=1e-11)


def test_steep_choices_keep_their_digits() -> None:
    import statsmodels.api as sm

    # differences in dollars: an extreme row has an index of about 40
    rng = np.random.default_rng(12)
    rows = np.column_stack([rng.normal(size=3000), rng.integers(-900, 900, 3000)])
    picks = (rows @ [2.0, -0.045] + rng.logistic(size=3000) > 0).astype(int)
    result = fit(as_choices(rows, picks))
    other = sm.Logit(picks, rows).fit(disp=0, tol=1e-14, maxiter=100)
    np.testing.assert_allclose(result.estimate, other.params, rtol=OUTSIDE)
    np.testing.assert_allclose(result.std_error, other.bse, rtol=OUTSIDE)
