"""Separation against an exact search over whole numbers, and the fit behind it."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from models.choice_data import choice_data
from models.conditional_logit import fit
from models.rank import independent_columns
from models.separation import proves_overlap, ruled_out_rivals

small = st.integers(-3, 3)
pairs_2d = st.lists(st.tuples(small, small), min_size=1, max_size=12)
pairs_3d = st.lists(st.tuples(small, small, small), min_size=1, max_size=12)
few = settings(max_examples=80, deadline=None, derandomize=True)


def ruled_out_exactly(rows: np.ndarray) -> np.ndarray:
    """Try every direction that can be an edge of the receding cone, in integers.

    Edges of {b : rows b <= 0} solve k - 1 of the constraints with equality, so for two
    terms they are perpendicular to a row and for three they are cross products of two
    rows; unit vectors as extra rows cover cones that contain a whole line.
    """
    k = rows.shape[1]
    facets = [*rows.tolist(), *np.eye(k, dtype=int).tolist()]
    if k == 2:
        edges = [np.array([-b, a]) for a, b in facets]
    else:
        edges = [np.cross(a, b) for a, b in product(facets, facets)]
    out = np.zeros(len(rows), dtype=bool)
    for edge in edges:
        for direction in (edge, -edge, *(-np.array(f) for f in facets)):
            gains = rows @ direction
            if (gains <= 0).all():
                out |= gains < 0
    return out


@few
@given(pairs_2d)
def test_two_terms_agree_with_exact_search(pairs: list[tuple[int, int]]) -> None:
    rows = np.array(pairs)
    found = ruled_out_rivals(rows.astype(float))
    np.testing.assert_array_equal(found, ruled_out_exactly(rows))


@few
@given(pairs_3d)
def test_three_terms_agree_with_exact_search(
    pairs: list[tuple[int, int, int]],
) -> None:
    rows = np.array(pairs)
    found = ruled_out_rivals(rows.astype(float))
    np.testing.assert_array_equal(found, ruled_out_exactly(rows))


@few
@given(pairs_3d, st.integers(0, 2**32 - 1))
def test_proof_of_overlap_never_contradicts_the_programme(
    pairs: list[tuple[int, int, int]], seed: int
) -> None:
    rows = np.array(pairs, dtype=float)
    rows = rows[:, independent_columns(rows)]
    if rows.shape[1] == 0:
        return
    weights = np.random.default_rng(seed).random(len(rows)) + 1e-9
    # the best candidates there are: weights moved to make the sum vanish
    for _ in range(50):
        weights = np.clip(
            weights - rows @ np.linalg.lstsq(rows.T @ rows, rows.T @ weights)[0],
            1e-12,
            None,
        )
    if proves_overlap(rows, weights):
        assert not ruled_out_exactly(rows.astype(int)).any()


@few
@given(st.lists(st.tuples(small, small, st.booleans()), min_size=1, max_size=14))
def test_fit_reports_separation_exactly_when_there_is_some(
    answers: list[tuple[int, int, bool]],
) -> None:
    x = np.zeros((len(answers), 2, 2))
    x[:, 0] = [answer[:2] for answer in answers]
    chosen = np.array([0 if answer[2] else 1 for answer in answers])
    result = fit(choice_data(x, chosen))
    rows = np.where(chosen[:, None] == 0, -x[:, 0], x[:, 0]).astype(int)
    varying = independent_columns(rows.astype(float))
    if varying.all():
        separated = ruled_out_exactly(rows).any()
    else:
        kept = rows[:, varying]
        separated = bool(len(kept)) and any(
            ((kept * sign) <= 0).all() and ((kept * sign) < 0).any() for sign in (1, -1)
        )
    if varying.any():
        assert (result.status == "separated") == separated
    else:
        assert result.status == "no_variation"
    estimated = np.array([label == "ok" for label in result.term_status])
    np.testing.assert_array_equal(np.isfinite(result.estimate), estimated)
    np.testing.assert_array_equal(np.isfinite(result.std_error), estimated)


def test_published_trap_prices_that_sort_every_choice() -> None:
    # choices that follow price without exception, where Newton's method runs away
    rng = np.random.default_rng(0)
    gap = rng.integers(1, 500, 300) * rng.choice([-1, 1], 300)
    x = np.zeros((300, 2, 2))
    x[:, 0] = np.column_stack([gap / 100, rng.normal(size=300)])
    result = fit(choice_data(x, (gap > 0).astype(int)))
    assert result.status == "separated"
    assert result.log_likelihood == 0.0


def test_one_answer_against_the_order_is_overlap() -> None:
    gap = np.concatenate([np.arange(1, 200), [-1]]).astype(float)
    x = np.zeros((200, 2, 1))
    x[:, 0, 0] = gap
    # the dearer option is always chosen, but for one pair a dollar apart
    result = fit(choice_data(x, np.zeros(200)))
    assert result.status == "ok"
    assert np.isfinite(result.estimate).all()


def test_proof_leaves_out_pairs_without_weight() -> None:
    # one rival that is never close: its weight of 1e-14 is below what rounding can
    # hide, the pairs of the other situations overlap by themselves
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(400, 2))
    rows = np.concatenate([rows, -rows, [[-30.0, 0.1]]])
    weights = np.concatenate([np.full(800, 0.5), [1e-14]])
    assert not ruled_out_rivals(rows).any()
    assert proves_overlap(rows, weights)


def test_pairs_without_weight_prove_nothing_alone() -> None:
    # the heavy pairs leave the second direction open; along it the light one recedes
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, -1.0]])
    assert ruled_out_rivals(rows).tolist() == [False, False, True]
    assert not proves_overlap(rows, np.array([0.5, 0.5, 1e-12]))
