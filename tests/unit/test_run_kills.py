"""A run that is killed again and again: it ends, and nothing is lost or asked twice."""

from __future__ import annotations

import random
import signal

import pytest
from llm_server import Reply, serve
from run_session import IN_FLIGHT, PLAN
from sessions import started

from ingest.journal import read_journal

SKIP = '{"choice": "skip", "reason": "dear"}'
KILLS = 50
SEED = 20261130  # written down before the first run


@pytest.fixture(scope="module")
def sessions():
    with started("run_session.py") as running:
        yield running


def test_kills_at_random_moments_lose_nothing(tmp_path, sessions):
    path, rng = tmp_path / "journal.jsonl", random.Random(SEED)
    with serve(lambda *_: Reply(SKIP, delay_s=0.15)) as server:
        session = f"{server.address} {path}"
        for killed in range(KILLS):
            ended = sessions.kill(session, lambda: len(server.requests), rng)
            assert ended == -signal.SIGKILL, f"over after {killed} kills: ask more"
        asked_before = len(server.requests)
        assert sessions.whole(session) == 0
        asked = len(server.requests)
    records = [one for _, one in read_journal(path.read_bytes(), "j").records]
    keys = [tuple(one[name] for name in PLAN.names) for one in records]
    # every call once, although so many sessions were cut off
    assert sorted(keys) == sorted(tuple(call.key.values()) for call in PLAN.calls)
    assert asked_before < asked <= len(PLAN.calls) + KILLS * IN_FLIGHT
