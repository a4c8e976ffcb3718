"""Replicates against outside fits, engine against engine, and how much work it was."""

from __future__ import annotations

import numpy as np
import pytest

from models.bootstrap import Replicates, bootstrap, engine
from models.bootstrap_blas import _openblas, one_thread
from models.bootstrap_draws import draw_counts
from models.bootstrap_passes import NumpyPasses
from models.choice_data import choice_data
from models.conditional_logit import fit

TASTES = np.array([0.5, 0.2, 0.8, 0.7, 1.2, 0.1, -1.5])
Sample = tuple[np.ndarray, np.ndarray, np.ndarray]


def binary(
    seed: int,
    pairs: int = 60,
    reps: int = 4,
    *,
    slot: float = 0.8,
    scale: float = 1.0,
    repeating: bool = False,
    lead: str = "slot",
) -> Sample:
    """Answers to each task in both orders: slot or intercept, then seven terms."""
    rng = np.random.default_rng(seed)
    tasks = pairs * reps
    group = np.repeat(np.arange(pairs), reps)
    offer = rng.normal(size=(tasks, len(TASTES)))
    if repeating:
        offer = offer[group * reps]
    x = np.zeros((2, tasks, 2, len(TASTES) + 1))
    chosen = np.zeros((2, tasks), dtype=np.int64)
    for order, sign in enumerate((1.0, -1.0)):
        gain = scale * (offer @ TASTES) + slot * sign + rng.logistic(size=tasks)
        x[order, :, 0, 0] = sign if lead == "slot" else 1.0
        x[order, :, 0, 1:] = offer
        chosen[order] = gain <= 0
    return x.reshape(-1, 2, x.shape[3]), chosen.ravel(), np.tile(group, 2)


def larger(seed: int, options: int, tasks: int = 240, groups: int = 60) -> Sample:
    """Answers in the given and the reversed order, with slot terms first."""
    rng = np.random.default_rng(seed)
    m = options - 1
    offer = rng.normal(size=(tasks, options, 3))
    slots = np.vstack([np.eye(m), np.zeros(m)])
    parts, picks = [], []
    for shown in (slots, slots[::-1]):
        dummies = np.broadcast_to(shown, (tasks, options, m))
        x = np.concatenate([dummies, offer], axis=2)
        value = shown.sum(axis=1) * 0.4 + offer @ np.array([1.0, -0.8, 0.3])
        picks.append((value + rng.gumbel(size=value.shape)).argmax(axis=1))
        parts.append(x)
    group = np.tile(np.arange(tasks) % groups, 2)
    return np.concatenate(parts), np.concatenate(picks), group


def refit(sample: Sample, counts: np.ndarray, **options: object) -> Replicates:
    return bootstrap(*sample, counts, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("lead", ["slot", "intercept"])
@pytest.mark.parametrize("repeating", [False, True])
def test_against_statsmodels(lead: str, repeating: bool) -> None:
    from statsmodels.discrete.discrete_model import Logit

    x, chosen, group = binary(1, lead=lead, repeating=repeating)
    counts = draw_counts(40, 60)
    replicates = refit((x, chosen, group), counts, order_terms=1)
    differences = x[:, 0] - x[:, 1]
    for replicate in range(0, 40, 8):
        rows = np.repeat(np.arange(len(group)), counts[replicate][group])
        outside = Logit(1.0 - chosen[rows], differences[rows])
        expected = outside.fit(disp=0, tol=1e-14, maxiter=100).params
        np.testing.assert_allclose(
            replicates.estimate[replicate], expected, rtol=0, atol=1e-8
        )


@pytest.mark.parametrize("options", [2, 3, 5])
def test_larger_sets_against_fits_one_by_one(options: int) -> None:
    x, chosen, group = larger(options, options)
    counts = draw_counts(30, 60)
    replicates = refit((x, chosen, group), counts, order_terms=options - 1)
    for replicate in range(0, 30, 6):
        data = choice_data(x, chosen, weights=counts[replicate, group])
        np.testing.assert_allclose(
            replicates.estimate[replicate], fit(data).estimate, rtol=0, atol=1e-8
        )
    assert replicates.failed == 0


@pytest.mark.parametrize(
    ("sample", "order_terms"),
    [(binary(2), 1), (binary(3, lead="intercept"), 1), (larger(4, 3), 2)],
)
def test_engines_agree(sample: Sample, order_terms: int) -> None:
    pytest.importorskip("numba")
    counts = draw_counts(70, 60)
    compiled = refit(sample, counts, order_terms=order_terms)
    plain = refit(sample, counts, order_terms=order_terms, passes=NumpyPasses())
    assert type(engine()) is not NumpyPasses
    np.testing.assert_allclose(compiled.estimate, plain.estimate, rtol=0, atol=1e-10)
    assert compiled.status == plain.status


def test_without_numba_the_engine_is_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "models.bootstrap_kernels", None)
    assert type(engine()) is NumpyPasses


@pytest.mark.parametrize("repeating", [False, True])
def test_work_of_an_ordinary_model(repeating: bool) -> None:
    # as large as the published block: 450 pairs, 3,600 answers
    sample = binary(5, pairs=450, repeating=repeating)
    replicates = refit(sample, draw_counts(500, 450), order_terms=1)
    # one sweep for a step and at least one to see that the next would be too short
    assert replicates.exp_passes.min() >= 2
    assert replicates.exp_passes.max() <= 5
    assert replicates.exp_passes.mean() < 3.5
    assert (replicates.newton, replicates.alone, replicates.failed) == (0, 0, 0)


def test_steep_model_goes_through_full_newton() -> None:
    # nearly certain choices: steps with a kept Hessian do not get there
    sample = binary(6, pairs=80, scale=9.0, slot=2.0)
    counts = draw_counts(200, 80)
    replicates = refit(sample, counts, order_terms=1)
    assert replicates.newton > 0
    x, chosen, group = sample
    ok = [place for place, label in enumerate(replicates.status) if label == "ok"]
    assert len(ok) > 100
    for replicate in ok[::40]:
        data = choice_data(x, chosen, weights=counts[replicate, group])
        expected = fit(data)
        np.testing.assert_allclose(
            replicates.estimate[replicate],
            expected.estimate,
            rtol=0,
            atol=1e-8 * max(1.0, expected.std_error.max()),
        )


def test_order_terms_change_the_speed_only() -> None:
    sample = binary(7)
    counts = draw_counts(20, 60)
    together, apart = (
        refit(sample, counts, order_terms=1),
        refit(sample, counts, order_terms=0),
    )
    np.testing.assert_allclose(together.estimate, apart.estimate, rtol=0, atol=1e-10)


def test_point_can_be_handed_in() -> None:
    sample = binary(8)
    counts = draw_counts(5, 60)
    point = fit(choice_data(*sample[:2]))
    given = refit(sample, counts, order_terms=1, point=point)
    assert given.point is point
    own = refit(sample, counts, order_terms=1)
    assert np.array_equal(given.estimate, own.estimate)


def test_order_terms_alone() -> None:
    # two options and the slot only: the share of first slots decides, ln(p / (1 - p))
    # split over +1 and -1
    x, chosen, group = binary(9)
    counts = draw_counts(6, 60)
    result = refit((x[:, :, :1], chosen, group), counts, order_terms=1)
    first = np.where(x[:, 0, 0] > 0, chosen == 0, chosen == 1)
    for replicate, weights in enumerate(counts[:, group]):
        share = np.average(first, weights=weights)
        expected = np.log(share / (1 - share))
        assert result.estimate[replicate, 0] == pytest.approx(expected, abs=1e-9)


def test_blas_runs_on_one_thread_inside_only() -> None:
    library = _openblas()
    if library is None:
        pytest.skip("this NumPy does not come with OpenBLAS")
    read, write = library
    before = read()
    try:
        write(2)
        with one_thread():
            assert read() == 1
        assert read() == 2
    finally:
        write(before)
