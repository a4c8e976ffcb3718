"""The measure of a whole build: what counts as kept, and failures that are named."""

from __future__ import annotations

import os

import pytest

from bench import build


@pytest.mark.parametrize(
    ("cpu_seconds", "gigabytes", "sound"),
    [(239.0, 1.9, True), (241.0, 1.9, False), (60.0, 2.1, False)],
)
def test_a_build_is_sound_below_twice_its_time_and_within_its_memory(
    cpu_seconds, gigabytes, sound
):
    result = {
        "cpu_seconds": cpu_seconds,
        "seconds_target": build.SECONDS_AT_MOST,
        "peak_gigabytes": gigabytes,
        "gigabytes_target": build.GIGABYTES_AT_MOST,
    }
    assert build.is_sound(result) is sound


def test_a_verb_that_fails_is_named_with_what_it_said(tmp_path):
    wrong = ["query", "select 1", "--warehouse", str(tmp_path / "none.duckdb")]
    with pytest.raises(RuntimeError, match=r"query failed: pricebench: no warehouse"):
        build._measure(wrong, dict(os.environ))


def test_memory_and_time_of_a_verb_are_its_own():
    found = build._measure(["--version"], dict(os.environ))
    # an interpreter with typer takes tens of megabytes and less than a minute; what the
    # system counts before it starts may be as large as this process
    assert found["peak_gigabytes"] > 0.01
    assert 0 < found["cpu_seconds"] < 60
