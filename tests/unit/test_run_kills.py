"""A run that is killed again and again: it ends, and nothing is lost or asked twice."""

from __future__ import annotations

import multiprocessing
import random
import signal
import time

import pytest
from llm_server import Reply, serve
from run_session import IN_FLIGHT, PLAN, session

from ingest.journal import read_journal

SKIP = '{"choice": "skip", "reason": "dear"}'
KILLS = 50
SEED = 20261130  # written down before the first run


@pytest.fixture(scope="module")
def processes():
    """Processes that have the slow imports done, so that kills meet the run itself."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["run_session"])
    return context


def test_fifty_kills_at_random_moments_lose_nothing(tmp_path, processes):
    path, rng = tmp_path / "journal.jsonl", random.Random(SEED)
    killed = 0
    with serve(lambda *_: Reply(SKIP, delay_s=0.15)) as server:
        while killed < KILLS:
            child = processes.Process(target=session, args=(server.address, str(path)))
            before = len(server.requests)
            child.start()
            # the clock starts when this session has asked something
            deadline = time.monotonic() + 60
            while len(server.requests) == before and child.is_alive():
                assert time.monotonic() < deadline
                time.sleep(0.005)
            time.sleep(rng.uniform(0.0, 0.3))
            child.kill()
            child.join()
            if child.exitcode != -signal.SIGKILL:
                break
            killed += 1
        assert killed == KILLS, f"the run ended after {killed} kills: ask more calls"
        asked_before = len(server.requests)
        last = processes.Process(target=session, args=(server.address, str(path)))
        last.start()
        last.join(120)
        assert last.exitcode == 0
        asked = len(server.requests)
    records = [one for _, one in read_journal(path.read_bytes(), "j").records]
    keys = [tuple(one[name] for name in PLAN.names) for one in records]
    # every call once, although 50 sessions were cut off
    assert sorted(keys) == sorted(tuple(call.key.values()) for call in PLAN.calls)
    assert asked_before < asked <= len(PLAN.calls) + KILLS * IN_FLIGHT
