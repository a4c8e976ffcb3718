"""What the conditional logit core says about data without a plain maximum."""

from __future__ import annotations

import numpy as np
import pytest
from unit.logit_samples import as_choices, binary_sample, same, ternary_sample

from models import conditional_logit
from models.choice_data import choice_data
from models.conditional_logit import fit

OUTSIDE = 1e-9


def test_no_situations_are_too_few() -> None:
    result = fit(choice_data(np.zeros((0, 2, 3)), np.zeros(0)))
    assert (result.status, result.term_status) == ("too_few", ("too_few",) * 3)
    assert np.isnan(result.estimate).all()
    assert np.isnan(result.log_likelihood)
    assert (result.n, result.fitted, result.converged) == (0, 0, False)


def test_weights_of_zero_are_too_few() -> None:
    x, chosen = ternary_sample(13, 5, 2)
    assert fit(choice_data(x, chosen, weights=np.zeros(5))).status == "too_few"


def test_term_without_variation_is_left_out_and_named() -> None:
    x, chosen = ternary_sample(14, 200, 3)
    constant = np.random.default_rng(1).normal(size=(200, 1, 1)).repeat(3, axis=1)
    padded = np.concatenate([x[:, :, :1], constant, x[:, :, 1:]], axis=2)
    result, plain = fit(choice_data(padded, chosen)), fit(choice_data(x, chosen))
    assert result.status == "ok"
    assert result.term_status == ("ok", "no_variation", "ok", "ok")
    assert np.isnan(result.estimate[1])
    assert np.isnan(result.covariance[1]).all()
    np.testing.assert_array_equal(result.estimate[[0, 2, 3]], plain.estimate)
    assert result.fitted == 3


def test_of_collinear_terms_the_earlier_stay() -> None:
    x, chosen = ternary_sample(15, 200, 2)
    both = np.concatenate([x, 2 * x[:, :, :1] - 3 * x[:, :, 1:]], axis=2)
    result = fit(choice_data(both, chosen))
    assert result.term_status == ("ok", "ok", "no_variation")
    np.testing.assert_allclose(
        result.estimate[:2], fit(choice_data(x, chosen)).estimate, rtol=1e-12
    )


def test_nothing_varies() -> None:
    result = fit(choice_data(np.ones((8, 4, 2)), np.zeros(8)))
    assert (result.status, result.fitted) == ("no_variation", 0)
    # all options are alike: 8 ln(1/4)
    assert result.log_likelihood == pytest.approx(-8 * np.log(4), rel=1e-14)


def test_model_without_terms_is_equal_shares() -> None:
    result = fit(choice_data(np.ones((8, 4, 0)), np.zeros(8)))
    assert (result.status, result.term_status) == ("ok", ())
    assert result.log_likelihood == pytest.approx(-8 * np.log(4), rel=1e-14)


def test_sets_of_one_option_say_nothing() -> None:
    x, chosen = ternary_sample(16, 100, 2)
    alone = np.array([True, False, False])[None].repeat(40, axis=0)
    offered = np.concatenate([np.ones((100, 3), dtype=bool), alone])
    more = np.concatenate([x, x[:40]])
    picks = np.concatenate([chosen, np.zeros(40, dtype=int)])
    result = fit(choice_data(more, picks, available=offered))
    plain = fit(choice_data(x, chosen))
    np.testing.assert_allclose(result.estimate, plain.estimate, rtol=1e-13)
    assert result.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-13)
    assert fit(choice_data(x[:40], np.zeros(40), available=alone)).status == (
        "no_variation"
    )


def test_always_the_first_option_separates_everything() -> None:
    rows, _ = binary_sample(17, 100, 3)
    result = fit(as_choices(rows, np.ones(100, dtype=int)))
    assert (result.status, result.term_status) == ("separated", ("separated",) * 3)
    assert np.isnan(result.estimate).all()
    # the likelihood approaches certainty
    assert result.log_likelihood == 0.0


def test_quasi_separated_term_leaves_the_others_their_finite_limit() -> None:
    import statsmodels.api as sm

    rows, picks = binary_sample(18, 400, 3)
    flag = np.random.default_rng(2).random(400) < 0.2
    picks = np.where(flag, 1, picks)
    result = fit(as_choices(np.column_stack([rows, flag]), picks))
    # where the flag is set A is always chosen, so those answers become certain and the
    # rest is a plain logit
    other = sm.Logit(picks[~flag], rows[~flag]).fit(disp=0, tol=1e-14)
    assert result.status == "separated"
    assert result.term_status == ("ok", "ok", "ok", "separated")
    np.testing.assert_allclose(result.estimate[:3], other.params, rtol=OUTSIDE)
    np.testing.assert_allclose(result.std_error[:3], other.bse, rtol=OUTSIDE)
    assert result.log_likelihood == pytest.approx(other.llf, rel=1e-12)
    assert np.isnan(result.estimate[3])
    # a large but finite coefficient of the flag comes close to that limit from below
    index = np.column_stack([rows, flag]) @ [*result.estimate[:3], 15.0]
    far = -np.log1p(np.exp(np.where(picks == 1, -index, index))).sum()
    assert far < result.log_likelihood < far + 1e-3


def test_quasi_separation_along_a_mixed_direction() -> None:
    # x1 + x2 decides every answer in which it is not 0; x1 - x2 stays free
    rng = np.random.default_rng(3)
    total, apart = rng.integers(-1, 2, 300), rng.normal(size=300)
    picks = np.where(total == 0, apart + rng.logistic(size=300) > 0, total > 0)
    rows = np.column_stack([(total + apart) / 2, (total - apart) / 2])
    result = fit(as_choices(rows, picks.astype(int)))
    # only b1 - b2 has a finite limit, so neither coefficient has one
    assert result.term_status == ("separated", "separated")
    free = np.column_stack([total, apart])
    turned = fit(as_choices(free, picks.astype(int)))
    assert turned.term_status == ("separated", "ok")
    assert turned.log_likelihood == pytest.approx(result.log_likelihood, rel=1e-12)


def test_ruled_out_option_leaves_its_sets() -> None:
    # an option with the flag is never chosen, though offered
    x, _ = ternary_sample(19, 300, 2)
    rng = np.random.default_rng(4)
    flag = np.zeros((300, 3))
    flag[:150, 1] = 1
    utility = x @ [1.0, -1.0] + rng.gumbel(size=(300, 3))
    chosen = np.where(flag == 1, -np.inf, utility).argmax(axis=1)
    result = fit(choice_data(np.concatenate([x, flag[:, :, None]], axis=2), chosen))
    without = fit(choice_data(x, chosen, available=flag == 0))
    assert result.term_status == ("ok", "ok", "separated")
    np.testing.assert_allclose(result.estimate[:2], without.estimate, rtol=1e-12)
    np.testing.assert_allclose(
        result.covariance[:2, :2], without.covariance, rtol=1e-11
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": np.zeros((3, 2))}, "shape"),
        ({"chosen": np.array([0, 1])}, "chosen: shape"),
        ({"chosen": np.array([0, 2, 1])}, "situation 1: chosen is not a position"),
        ({"available": np.array([[1, 1], [1, 1], [0, 1]])}, "situation 2: the chosen"),
        ({"x": np.full((3, 2, 1), np.nan)}, "situation 0: x is not finite"),
        ({"weights": np.array([1.0, 1.0, -1.0])}, "situation 2: weight"),
    ],
)
def test_input_that_is_no_choice_data_is_refused(
    change: dict[str, np.ndarray], message: str
) -> None:
    plain = {"x": np.zeros((3, 2, 1)), "chosen": np.zeros(3, dtype=int)}
    with pytest.raises(ValueError, match=message):
        choice_data(**{**plain, **change})


def test_option_shares_need_every_option() -> None:
    offered = np.array([[True, False], [True, True]])
    data = choice_data(np.zeros((2, 2, 1)), [0, 1], available=offered)
    with pytest.raises(ValueError, match="every option"):
        fit(data, null="option_shares")


def test_proof_of_overlap_only_spares_the_programme(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, chosen = ternary_sample(20, 300, 4)
    spared = fit(choice_data(x, chosen))
    asked: list[int] = []

    def never(differences: np.ndarray, multipliers: np.ndarray) -> bool:
        asked.append(len(multipliers))
        return False

    monkeypatch.setattr(conditional_logit, "proves_overlap", never)
    decided = fit(choice_data(x, chosen))
    # 300 sets with two rivals each
    assert asked == [600]
    assert same(spared, decided)


def test_search_that_does_not_end_is_failed_not_a_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, chosen = ternary_sample(21, 300, 2)
    padded = np.concatenate([x, np.ones((300, 3, 1))], axis=2)
    monkeypatch.setattr(conditional_logit, "FIRST_LIMIT", 1)
    monkeypatch.setattr(conditional_logit, "FINAL_LIMIT", 2)
    result = fit(choice_data(padded, chosen))
    assert (result.status, result.converged) == ("failed", False)
    assert result.term_status == ("failed", "failed", "no_variation")
    assert np.isnan(result.estimate).all()
    assert np.isnan(result.influence).all()
    assert np.isnan(result.log_likelihood)


def test_slow_search_goes_on_when_a_maximum_exists(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, chosen = ternary_sample(22, 300, 2)
    plain = fit(choice_data(x, chosen))
    monkeypatch.setattr(conditional_logit, "FIRST_LIMIT", 2)
    assert same(plain, fit(choice_data(x, chosen)))
