"""The measure of the runner: both sides ask what they say, and what counts as kept."""

from __future__ import annotations

import pytest

from bench import runner
from bench.processes import timed
from ingest.world.server import serving


@pytest.mark.parametrize("side", [runner.ours, runner.bare])
def test_each_side_asks_as_often_as_it_says(side):
    # 576 questions of the bank, so 3 repeats of 192: 200 take a part of the second
    with serving() as world:
        measured = timed(side(world.api_base, 200))
        assert sum(world.door.calls.values()) == 200
    assert measured["calls_per_second"] > 0


@pytest.mark.parametrize(
    ("share", "growth", "sound"),
    [(0.43, 1.9, True), (0.42, 1.0, False), (1.0, 2.0, False)],
)
def test_sound_is_half_the_target_and_memory_that_does_not_double(share, growth, sound):
    result = {
        **{"share": share, "share_target": runner.SHARE_TARGET},
        **{"growth": growth, "growth_target": runner.GROWTH_AT_MOST},
    }
    assert runner.is_sound(result) is sound
