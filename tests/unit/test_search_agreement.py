"""Agreement of judges and errors of a panel, on votes small enough to count."""

from __future__ import annotations

import numpy as np
import pytest

from models.search_agreement import (
    agreement,
    corrected_share,
    panel_errors,
    two_raters,
)


def measured(*votes: str, seats: int = 3):
    return agreement(
        [one.count("V") for one in votes], [one.count("I") for one in votes], seats
    )


def test_two_splits_and_two_unanimous():
    found = measured("VVV", "VVI", "III", "VII")
    # all equal in 2 of 4; equal pairs 3 + 1 + 3 + 1 of 12; half of all votes are V, so
    # chance agrees on 1/2: (2/3 - 1/2) / (1/2)
    assert found.raw == 0.5
    assert found.pairwise == pytest.approx(2 / 3, abs=1e-15)
    assert found.fleiss_kappa == pytest.approx(1 / 3, abs=1e-15)
    assert found.krippendorff_alpha == pytest.approx(7 / 18, abs=1e-15)
    assert (found.complete, found.pairable) == (4, 4)
    assert not found.kappa_degenerate
    assert not found.alpha_degenerate


def test_missing_votes_count_for_alpha_alone():
    found = measured("VV-", "III", "VI-")
    assert found.krippendorff_alpha == pytest.approx(0.5, abs=1e-15)
    # the one candidate with every vote carries one label
    assert np.isnan(found.fleiss_kappa)
    assert found.kappa_degenerate
    assert not found.alpha_degenerate
    assert (found.raw, found.complete, found.pairable) == (1.0, 1, 3)


def test_one_label_only_is_undefined_and_raw_agreement_is_not():
    found = measured("VVV", "VVV")
    assert np.isnan(found.fleiss_kappa)
    assert np.isnan(found.krippendorff_alpha)
    assert found.kappa_degenerate
    assert found.alpha_degenerate
    assert (found.raw, found.pairwise) == (1.0, 1.0)


def test_no_candidate_and_no_pair_is_undefined_without_being_degenerate():
    for found in (measured(), measured("V--", "---")):
        assert np.isnan(found.fleiss_kappa)
        assert np.isnan(found.krippendorff_alpha)
        assert np.isnan(found.raw)
        assert not found.kappa_degenerate
        assert not found.alpha_degenerate


def test_kappa_is_that_of_statsmodels():
    from statsmodels.stats.inter_rater import fleiss_kappa

    random = np.random.default_rng(3)
    valid = random.integers(0, 6, 200)
    found = agreement(valid, 5 - valid, 5)
    theirs = fleiss_kappa(np.column_stack([valid, 5 - valid]))
    assert found.fleiss_kappa == pytest.approx(theirs, abs=1e-13)


def test_more_votes_than_seats_are_refused():
    with pytest.raises(ValueError, match="candidate 1: 3 and 1 votes of 3 judges"):
        agreement([3, 3], [0, 1], 3)


def sampled(*groups: tuple[bool, bool, float, int]):
    """Return panel, human and chance of groups of candidates."""
    rows = [group[:3] for group in groups for _ in range(group[3])]
    panel, human, chance = (list(column) for column in zip(*rows, strict=True))
    return panel_errors(np.array(panel), np.array(human), np.array(chance, float))


def test_errors_are_weighted_by_the_chance_to_be_drawn():
    # accepted ones were drawn at 1/2, the others at 1/10
    found = sampled(
        (True, True, 0.5, 36), (True, False, 0.5, 4),
        (False, True, 0.1, 2), (False, False, 0.1, 38),
    )  # fmt: skip
    # valid: 72 accepted, 20 not; invalid: 8 accepted, 380 not
    assert found.sensitivity == pytest.approx(72 / 92, abs=1e-15)
    assert found.specificity == pytest.approx(380 / 388, abs=1e-15)
    assert (found.sampled, found.status) == (80, "ok")
    # 80 of 480 are accepted, 92 of 480 are valid
    assert corrected_share(80 / 480, found) == pytest.approx(92 / 480, abs=1e-15)


def test_a_small_sample_says_nothing():
    found = sampled((True, True, 1, 29), (False, False, 1, 90))
    assert found.status == "too_few"
    assert np.isnan(found.sensitivity)
    assert np.isnan(corrected_share(0.5, found))
    none = panel_errors(np.zeros(0, bool), np.zeros(0, bool), np.zeros(0))
    assert (none.sampled, none.status) == (0, "too_few")


def test_a_sample_without_an_invalid_candidate_has_no_specificity():
    found = sampled((True, True, 1, 30), (False, True, 1, 30))
    assert found.status == "no_variation"
    assert np.isnan(found.specificity)


def test_a_panel_no_better_than_chance_corrects_nothing_and_shares_stay_in_range():
    guessing = sampled(
        *((panel, human, 1, 20) for panel in (True, False) for human in (True, False))
    )
    assert guessing.status == "ok"
    assert np.isnan(corrected_share(0.5, guessing))
    good = sampled(
        (True, True, 1, 30), (True, False, 1, 10), (False, False, 1, 40),
        (False, True, 1, 1),
    )  # fmt: skip
    assert corrected_share(0.0, good) == 0.0
    assert corrected_share(1.0, good) == 1.0


def test_a_chance_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        panel_errors(np.array([True]), np.array([True]), np.array([0.0]))


def test_two_raters_by_hand():
    # both valid 4, both invalid 3, apart 2 + 1 of 10: raw 0.7; the first says valid in
    # 6, the other in 5: chance (6 * 5 + 4 * 5) / 100 = 0.5; kappa (0.7 - 0.5) / 0.5
    first = [True] * 6 + [False] * 4
    second = [True] * 4 + [False] * 2 + [False] * 3 + [True]
    found = two_raters(first, second)
    assert found == (10, 0.7, pytest.approx(0.4), False)


def test_two_raters_that_differ_always_are_below_chance():
    assert two_raters([True, False], [False, True]) == (2, 0.0, -1.0, False)


def test_kappa_of_two_raters_is_undefined_where_only_one_label_was_used():
    found = two_raters([True, True], [True, True])
    assert (found.n, found.raw, found.kappa_degenerate) == (2, 1.0, True)
    assert np.isnan(found.kappa)
    nothing = two_raters([], [])
    assert (nothing.n, nothing.kappa_degenerate) == (0, False)
    assert np.isnan(nothing.raw)
    with pytest.raises(ValueError, match="1 rulings"):
        two_raters([True], [])
