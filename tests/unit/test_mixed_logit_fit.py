"""The mixed logit: likelihood by brute force, recovery, statuses, row order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from models import mixed_logit
from models.choice_data import ChoiceData, choice_data
from models.clusters import Clusters, cluster_sums, prepare_clusters
from models.conditional_logit import fit
from models.covariance import cluster_covariance
from models.halton import normal_draws
from models.mixed_likelihood import Simulation, evaluate, prepare
from models.mixed_logit import MixedFit, fit_mixed
from models.mixed_panels import lay_out
from models.ordering import Floats, Ints

MEANS = np.array([0.5, -1.0, 0.8, 0.6])
SDS = np.array([0.7, 0.0, 0.9, 0.0])
RANDOM = [0, 2]


class Sample(NamedTuple):
    x: Floats
    chosen: Ints
    ids: Ints

    @property
    def data(self) -> ChoiceData:
        return choice_data(self.x, self.chosen)

    @property
    def panels(self) -> Clusters:
        return prepare_clusters(self.ids)

    def taken(self, rows: Ints) -> Sample:
        return Sample(self.x[rows], self.chosen[rows], self.ids[rows])


def sample(
    seed: int,
    *,
    panels: int,
    answers: int,
    options: int = 2,
    sds: Floats = SDS,
    repeated: bool = False,
) -> Sample:
    """Choices of a maker whose tastes are normal over panels."""
    rng = np.random.default_rng(seed)
    shape = (panels, 1 if repeated else answers, options, 4)
    x = np.broadcast_to(rng.normal(size=shape), (panels, answers, options, 4))
    tastes = MEANS + sds * rng.normal(size=(panels, 4))
    worth = np.einsum("caok,ck->cao", x, tastes)
    chosen = (worth + rng.gumbel(size=worth.shape)).argmax(axis=2)
    ids = np.repeat(np.arange(panels), answers)
    return Sample(x.reshape(-1, options, 4), chosen.ravel(), ids)


def by_brute_force(
    one: Sample, available: np.ndarray, theta: Floats, draws: Floats
) -> float:
    """Log-likelihood from the definition, panel by panel and draw by draw."""
    total = 0.0
    for place, panel in enumerate(np.unique(one.ids)):
        rows = np.flatnonzero(one.ids == panel)
        products = []
        for draw in draws[place].T:
            taste = theta[:4].copy()
            taste[RANDOM] += theta[4:] * draw
            product = 1.0
            for row in rows:
                grown = np.exp(one.x[row] @ taste) * available[row]
                product *= grown[one.chosen[row]] / grown.sum()
            products.append(product)
        total += np.log(np.mean(products))
    return float(total)


def small_simulation(
    options: int, *, repeated: bool
) -> tuple[Sample, np.ndarray, Simulation, Floats]:
    one = sample(3, panels=5, answers=4, options=options, repeated=repeated)
    # panels of 4, 4, 4, 3 and 1 answers
    one = one.taken(np.r_[0:15, 16])
    available = np.ones(one.x.shape[:2], dtype=bool)
    if options > 2:
        available[2, (one.chosen[2] + 1) % options] = False
        available[7, 0] = one.chosen[7] == 0
    draws = normal_draws(5, 20, 2)
    data = choice_data(one.x, one.chosen, available=available)
    sets = lay_out(data, one.panels)
    return one, available, prepare(sets, np.array(RANDOM), draws), draws


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("options", [2, 3, 5])
def test_likelihood_and_derivatives(options: int, repeated: bool) -> None:
    one, available, simulation, draws = small_simulation(options, repeated=repeated)
    theta = np.array([0.3, -0.6, 0.5, 0.2, 0.8, 0.4])
    point = evaluate(simulation, theta)
    expected = by_brute_force(one, available, theta, draws)
    assert point.log_likelihood == pytest.approx(expected, rel=1e-13)
    h = 1e-5
    ahead = [evaluate(simulation, theta + h * unit) for unit in np.eye(6)]
    behind = [evaluate(simulation, theta - h * unit) for unit in np.eye(6)]
    # central differences are off by about h^2
    slope = [
        (a.log_likelihood - b.log_likelihood) / (2 * h)
        for a, b in zip(ahead, behind, strict=True)
    ]
    np.testing.assert_allclose(point.gradient, slope, atol=1e-7)
    bend = [
        (a.gradient - b.gradient) / (2 * h) for a, b in zip(ahead, behind, strict=True)
    ]
    np.testing.assert_allclose(point.information, -np.array(bend), atol=1e-7)


def test_equal_sets_are_counted_together() -> None:
    one = sample(1, panels=3, answers=6, repeated=True)
    sets = lay_out(one.data, one.panels)
    assert sets.x.shape == (3, 1, 1, 4)
    assert sets.answers.ravel().tolist() == [6, 6, 6]
    # picks are counted for the second option; the first is the reference
    picks = [int((one.chosen[one.ids == panel] == 1).sum()) for panel in range(3)]
    assert sets.picks.ravel().tolist() == picks


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_probabilities_do_not_overflow(sign: float) -> None:
    one = sample(2, panels=4, answers=3, options=3)
    huge = one._replace(x=one.x * 1e4)
    sets = lay_out(huge.data, huge.panels)
    simulation = prepare(sets, np.array(RANDOM), normal_draws(4, 30, 2))
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        point = evaluate(simulation, sign * np.array([1.0, 1.0, 1.0, 1.0, 0.5, 0.5]))
    assert np.isfinite(point.log_likelihood)
    assert point.log_likelihood < -1000
    assert np.isfinite(point.information).all()


@pytest.fixture(scope="module")
def recovered() -> MixedFit:
    one = sample(20261, panels=400, answers=8)
    return fit_mixed(one.data, one.panels, RANDOM, draws=200)


def test_true_tastes_are_found(recovered: MixedFit) -> None:
    assert (recovered.status, recovered.converged) == ("ok", True)
    truth = np.concatenate([MEANS, SDS[RANDOM]])
    found = np.concatenate([recovered.estimate, recovered.sd])
    clusters = prepare_clusters(np.arange(400))
    clustered = np.sqrt(np.diag(cluster_covariance(recovered.influence, clusters)))
    for errors in (recovered.std_error, clustered):
        # six estimates: |z| > 3.5 has a chance of 0.3 % in all
        assert (np.abs(found - truth) < 3.5 * errors).all()
        assert (errors < 0.12).all()
    # the model is right, so both kinds of error estimate the same thing
    np.testing.assert_allclose(clustered, recovered.std_error, rtol=0.2)


def test_conditional_logit_shrinks_what_the_mixed_logit_finds(
    recovered: MixedFit,
) -> None:
    one = sample(20261, panels=400, answers=8)
    plain = fit(one.data)
    assert (np.abs(plain.estimate) < np.abs(recovered.estimate)).all()
    assert recovered.conditional_log_likelihood == pytest.approx(plain.log_likelihood)
    # two deviations buy far more than chance: chi-square 0.999 of 2 is 13.8
    assert 2 * (recovered.log_likelihood - plain.log_likelihood) > 13.8
    assert recovered.null_log_likelihood == pytest.approx(-3200 * np.log(2))


def test_it_is_a_maximum(recovered: MixedFit) -> None:
    one = sample(20261, panels=400, answers=8)
    sets = lay_out(one.data, one.panels)
    simulation = prepare(sets, np.array(RANDOM), normal_draws(400, 200, 2))
    theta = np.concatenate([recovered.estimate, recovered.sd])
    point = evaluate(simulation, theta)
    # the step that is still missing, in standard errors
    step = recovered.covariance @ point.gradient
    assert np.abs(step / recovered.std_error).max() < 1e-7
    assert point.log_likelihood == pytest.approx(recovered.log_likelihood, abs=1e-9)
    np.testing.assert_allclose(
        np.linalg.inv(point.information), recovered.covariance, rtol=1e-3
    )


def test_no_heterogeneity_is_weak_not_invented() -> None:
    one = sample(5, panels=150, answers=8, sds=np.zeros(4))
    result = fit_mixed(one.data, one.panels, [2], draws=100)
    plain = fit(one.data)
    assert result.converged
    assert (result.status, result.sd_status) == ("weak", ("weak",))
    assert result.term_status == ("ok",) * 4
    assert 0 <= result.sd[0] < 0.4
    np.testing.assert_allclose(result.estimate, plain.estimate, atol=0.05)
    assert result.log_likelihood >= plain.log_likelihood - 1e-6


def test_input_order_changes_nothing() -> None:
    one = sample(6, panels=30, answers=6, options=3)
    result = fit_mixed(one.data, one.panels, RANDOM, draws=60)
    moved = one.taken(np.random.default_rng(0).permutation(len(one.ids)))
    again = fit_mixed(moved.data, moved.panels, RANDOM, draws=60)
    assert result.converged
    np.testing.assert_array_equal(again.estimate, result.estimate)
    np.testing.assert_array_equal(again.sd, result.sd)
    np.testing.assert_array_equal(again.covariance, result.covariance)
    np.testing.assert_array_equal(again.influence, result.influence)
    assert again.log_likelihood == result.log_likelihood


def test_weights_are_repetitions() -> None:
    one = sample(7, panels=30, answers=5)
    twice = one.taken(np.repeat(np.arange(150), 1 + np.arange(150) % 2))
    weights = 1.0 + np.arange(150) % 2
    weighted = choice_data(one.x, one.chosen, weights=weights)
    by_weight = fit_mixed(weighted, one.panels, [0], draws=60)
    by_rows = fit_mixed(twice.data, twice.panels, [0], draws=60)
    np.testing.assert_allclose(by_weight.estimate, by_rows.estimate, rtol=1e-9)
    np.testing.assert_allclose(by_weight.sd, by_rows.sd, rtol=1e-9)


def test_weights_need_not_be_whole() -> None:
    one = sample(7, panels=30, answers=6, repeated=True)
    weights = 0.1 + np.random.default_rng(1).random(180)
    # a set answered by weights that don't add up exactly: 0.1 + 0.2 + 0.3 != 0.6
    weights[:18] = np.tile([0.1, 0.2, 0.3], 6)
    weighted = choice_data(one.x, one.chosen, weights=weights)
    result = fit_mixed(weighted, one.panels, [0], draws=60)
    plain = fit(weighted)
    assert result.converged
    assert result.conditional_log_likelihood == pytest.approx(
        plain.log_likelihood, rel=1e-12
    )


def test_a_missing_answer_is_an_answer_of_weight_nothing() -> None:
    one = sample(8, panels=30, answers=5)
    # the first panel loses one answer, the second all of them
    kept = np.setdiff1d(np.arange(150), [0, *range(5, 10)])
    weights = np.isin(np.arange(150), kept).astype(float)
    absent = one.taken(kept)
    result = fit_mixed(absent.data, absent.panels, [0], draws=60)
    same = fit_mixed(
        choice_data(one.x, one.chosen, weights=weights), one.panels, [0], draws=60
    )
    assert (result.n, result.panels, result.converged) == (144, 29, True)
    assert (same.n, same.panels) == (144, 29)
    np.testing.assert_array_equal(same.estimate, result.estimate)
    assert same.log_likelihood == result.log_likelihood


def test_sign_of_a_deviation_is_not_identified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = sample(9, panels=100, answers=8)
    result = fit_mixed(one.data, one.panels, [0], draws=300)
    monkeypatch.setattr(mixed_logit, "FIRST_SPREAD", -0.5)
    mirrored = fit_mixed(one.data, one.panels, [0], draws=300)
    assert mirrored.converged
    assert mirrored.sd[0] > 0
    # other draws by symmetry, so equal up to the error of the simulation
    np.testing.assert_allclose(mirrored.sd, result.sd, rtol=0.02)
    np.testing.assert_allclose(mirrored.covariance, result.covariance, atol=2e-4)


def test_separated_choices_have_no_fit() -> None:
    one = sample(10, panels=40, answers=4)
    chosen = (one.x[:, 1, 1] > one.x[:, 0, 1]).astype(np.int64)
    result = fit_mixed(choice_data(one.x, chosen), one.panels, [0], draws=20)
    assert (result.status, result.converged) == ("separated", False)
    assert result.term_status == ("separated",) * 4
    assert result.sd_status == ("separated",)
    assert np.isnan(result.estimate).all()
    assert np.isnan(result.sd).all()
    assert np.isnan(result.log_likelihood)


def test_consistent_panels_have_no_finite_deviation() -> None:
    # every panel always takes the same side, half of them each: the conditional logit
    # is at 0, and the likelihood grows with the deviation for ever
    x = np.tile([[[1.0], [0.0]]], (40, 1, 1))
    chosen = np.repeat([0, 1], 20)
    panels = prepare_clusters(np.repeat(np.arange(10), 4))
    result = fit_mixed(choice_data(x, chosen), panels, [0], draws=50)
    assert (result.status, result.converged) == ("failed", False)
    assert (result.term_status, result.sd_status) == (("failed",), ("failed",))
    assert np.isnan(result.sd).all()
    assert result.conditional_log_likelihood == pytest.approx(-40 * np.log(2))


def test_no_answers() -> None:
    result = fit_mixed(
        choice_data(np.zeros((0, 2, 4)), np.zeros(0)), prepare_clusters([]), RANDOM
    )
    assert (result.status, result.n, result.panels) == ("too_few", 0, 0)
    assert result.term_status == ("too_few",) * 4
    assert np.isnan(result.null_log_likelihood)
    assert result.influence.shape == (0, 6)


def test_a_term_without_variation_is_left_out() -> None:
    one = sample(11, panels=40, answers=8)
    x = one.x.copy()
    x[:, :, 0] = 1.0
    result = fit_mixed(choice_data(x, one.chosen), one.panels, RANDOM, draws=50)
    without = fit_mixed(choice_data(x[:, :, 1:], one.chosen), one.panels, [1], draws=50)
    assert result.converged
    assert result.term_status == ("no_variation", "ok", "ok", "ok")
    assert result.sd_status[0] == "no_variation"
    assert np.isnan([result.estimate[0], result.sd[0], result.std_error[4]]).all()
    np.testing.assert_array_equal(result.estimate[1:], without.estimate)
    np.testing.assert_array_equal(result.std_error[[1, 2, 3, 5]], without.std_error)


def test_scores_of_panels_sum_to_nothing() -> None:
    one = sample(12, panels=35, answers=6)
    result = fit_mixed(one.data, one.panels, RANDOM, draws=50)
    total = cluster_sums(result.influence, prepare_clusters([0] * 35))[0]
    assert (np.abs(total) < 1e-4 * result.std_error).all()


@pytest.mark.parametrize("random", [[], [4], [-1], [2, 0], [1, 1]])
def test_random_terms_out_of_range(random: list[int]) -> None:
    one = sample(0, panels=2, answers=2)
    with pytest.raises(ValueError, match="ascending positions of terms, 0 to 3"):
        fit_mixed(one.data, one.panels, random)


def test_other_arguments_out_of_range() -> None:
    one = sample(0, panels=2, answers=2)
    with pytest.raises(ValueError, match="draws: 0"):
        fit_mixed(one.data, one.panels, [0], draws=0)
    with pytest.raises(ValueError, match="3 rows for 4 situations"):
        fit_mixed(one.data, prepare_clusters([0, 1, 2]), [0])
