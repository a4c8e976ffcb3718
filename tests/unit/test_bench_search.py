"""The measure of scoring search runs: both ways agree, and what counts as kept."""

from __future__ import annotations

import pytest

from bench import search


def test_both_ways_give_the_same_captures(tmp_path):
    search.write_market(tmp_path, tasks=300)
    ours, pandas = search.by_mask(tmp_path), search.by_long_votes(tmp_path)
    assert len(ours["capture"]) == search.AGENTS
    assert ours["capture"] == pytest.approx(pandas["capture"], abs=1e-12)
    assert 0.2 < min(ours["capture"]) < max(ours["capture"]) < 1


@pytest.mark.parametrize(
    ("ratio", "gigabytes", "gap", "sound"),
    [
        (1.6, 0.9, 0.0, True),
        (1.4, 0.9, 0.0, False),
        (9.0, 1.1, 0.0, False),
        (9.0, 0.9, 1e-6, False),
    ],
)
def test_sound_is_half_the_target_within_memory_with_equal_captures(
    ratio, gigabytes, gap, sound
):
    result = {
        **{"ratio": ratio, "ratio_target": search.RATIO_TARGET},
        **{"peak_gigabytes": gigabytes, "largest_difference": gap},
        "gigabytes_target": search.GIGABYTES_AT_MOST,
    }
    assert search.is_sound(result) is sound
