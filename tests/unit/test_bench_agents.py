"""The measure of search adapters: both sides ask what they say."""

from __future__ import annotations

import os

import pytest

from bench import agents
from bench.processes import timed


@pytest.fixture(scope="module")
def address():
    with agents.served(dict(os.environ)) as found:
        yield found


@pytest.mark.parametrize("side", [agents.ours, agents.bare])
def test_each_side_is_answered_as_often_as_it_says(address, side):
    # ours refuses to be measured where a call brought no listings
    assert timed(side(address, 30))["calls_per_second"] > 0


def test_the_service_answers_with_two_kilobytes():
    assert 2_000 <= len(agents.reply()) < 2_300


@pytest.mark.parametrize(("per_second", "sound"), [(150.0, True), (149.9, False)])
def test_sound_is_half_the_target(per_second, sound):
    result = {"ours_calls_per_second": per_second, "calls_per_second_target": 300}
    assert agents.is_sound(result) is sound
