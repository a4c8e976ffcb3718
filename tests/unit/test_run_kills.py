"""A run that is killed again and again: it ends, and nothing is lost or asked twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from llm_server import Reply, serve
from run_session import IN_FLIGHT, PLANS

from ingest.journal import read_journal

SKIP = '{"choice": "skip", "reason": "dear"}'
KILLS = 50
SEED = 20261130  # written down before the first run
SCRIPT = Path(__file__).parents[1] / "run_session.py"


class Sessions:
    """Sessions forked from one process that has its imports done."""

    def __init__(self) -> None:
        self.parent = subprocess.Popen(
            [sys.executable, str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, line: str) -> int:
        self.parent.stdin.write(f"{line}\n")
        self.parent.stdin.flush()
        return int(self.parent.stdout.readline())


@pytest.fixture(scope="module")
def sessions():
    started = Sessions()
    yield started
    started.parent.stdin.close()
    started.parent.wait(20)


@pytest.mark.parametrize(
    ("instrument", "reply", "kills"), [("purchase", SKIP, KILLS), ("hotel", "A", 5)]
)
def test_kills_at_random_moments_lose_nothing(
    tmp_path, sessions, instrument, reply, kills
):
    path, rng = tmp_path / "journal.jsonl", random.Random(SEED)
    plan = PLANS[instrument]
    with serve(lambda *_: Reply(reply, delay_s=0.15)) as server:
        session = f"{server.address} {path} {instrument}"
        for killed in range(kills):
            before = len(server.requests)
            process = sessions.tell(session)
            # the clock starts when this session has asked something
            deadline = time.monotonic() + 60
            while len(server.requests) == before:
                assert time.monotonic() < deadline
                time.sleep(0.005)
            time.sleep(rng.uniform(0.0, 0.3))
            os.kill(process, signal.SIGKILL)
            ended = sessions.tell(f"wait {process}")
            assert ended == -signal.SIGKILL, f"over after {killed} kills: ask more"
        asked_before = len(server.requests)
        process = sessions.tell(session)
        assert sessions.tell(f"wait {process}") == 0
        asked = len(server.requests)
    records = [one for _, one in read_journal(path.read_bytes(), "j").records]
    keys = [tuple(one[name] for name in plan.names) for one in records]
    # every call once, although so many sessions were cut off
    assert sorted(keys) == sorted(tuple(call.key.values()) for call in plan.calls)
    assert asked_before < asked <= len(plan.calls) + kills * IN_FLIGHT
