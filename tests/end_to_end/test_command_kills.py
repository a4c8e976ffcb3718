"""Commands that are killed again and again: they end, and nothing is asked twice."""

from __future__ import annotations

import json
import random
import signal
from datetime import UTC, datetime
from itertools import product

import duckdb
import pytest
from sessions import started

from ingest.journal import read_journal
from ingest.world.bank import world_bank
from ingest.world.server import serving

KILLS = 10
IN_FLIGHT = 4
SEED = 20261130  # written down before the first run
AGENTS = {"gpt": "simulated/finds-all", "gemini": "simulated/one-shop"}
PRODUCTS = 24


@pytest.fixture(scope="module")
def sessions():
    with started("command_session.py") as running:
        yield running


@pytest.fixture(scope="module")
def world():
    with serving(latency_s=0.15) as served:
        yield served


def records(folder, pattern):
    """Return what the journals of a folder hold, torn lines apart."""
    found = []
    for path in folder.rglob(pattern):
        data = path.read_bytes()
        # a journal that was just begun may lack its header
        found += [one for _, one in read_journal(data, path.name).records if data]
    return found


def killed_again_and_again(sessions, world, line, journaled):
    """Kill a command at random moments, then let it end; return what was in flight.

    That is what each session had asked without a record in a journal when it died.
    """
    rng, flying = random.Random(SEED), []

    def asked():
        return sum(world.door.calls.values())

    for killed in range(KILLS):
        before = asked() - journaled()
        ended = sessions.kill(line, asked, rng)
        assert ended == -signal.SIGKILL, (
            f"over with {ended} after {killed} kills: ask more"
        )
        flying.append(asked() - journaled() - before)
        assert flying[-1] <= IN_FLIGHT
    assert sessions.whole(line) == 0
    return sum(flying)


def test_a_hotel_run_that_is_killed_ends_and_asks_nothing_twice(
    tmp_path, sessions, world
):
    world.door.calls.clear()
    runs, warehouse = tmp_path / "runs", tmp_path / "w.duckdb"
    typed = ["run", "hotel", "--model", "simulated/balanced", "--size", "24"]
    typed += ["--repeats", "3", "--concurrency", str(IN_FLIGHT), "--out", str(runs)]
    typed += ["--api-base", world.api_base, "--warehouse", str(warehouse)]
    flying = killed_again_and_again(
        sessions,
        world,
        json.dumps(typed),
        lambda: len(records(runs, "*.jsonl")),
    )
    # 24 tasks in two orders, three times
    needed = set(product(range(1, 25), ("original", "swapped"), range(3)))
    keys = [
        (one["task_id"], one["ordering"], one["repeat"])
        for one in records(runs, "*.jsonl")
    ]
    first = min(key[2] for key in keys)
    assert len(keys) == len(needed)
    assert {(task, order, repeat - first) for task, order, repeat in keys} == needed
    assert 144 <= world.door.calls["simulated/balanced"] <= 144 + flying
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        loaded = connection.execute(
            "select count(*), count(distinct (task_id, ordering, repeat))"
            " from raw_hotel.response"
        ).fetchall()
    assert loaded == [(144, 144)]


def test_agents_that_are_killed_end_and_are_asked_nothing_twice(
    tmp_path, sessions, world
):
    world.door.calls.clear()
    folder = tmp_path / "run"
    for name, content in world_bank(datetime.now(UTC), PRODUCTS).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    typed = ["run", "search", "agents", str(folder), "--world", world.address]
    typed += ["--systems", ",".join(AGENTS), "--concurrency", str(IN_FLIGHT)]
    flying = killed_again_and_again(
        sessions,
        world,
        json.dumps(typed),
        lambda: len(records(folder, "raw_*.journal")),
    )
    for agent, track in product(AGENTS, ("exact", "equiv")):
        entries = json.loads((folder / f"raw_{agent}_{track}.json").read_text())
        assert len(entries["entries"]) == PRODUCTS
        for entry in entries["entries"].values():
            # who found nothing has answered too
            assert entry["status"] in ("ok", "empty")
            # a reply that was journaled was asked for once
            assert [one["error"] for one in entry["attempts"]] == [None]
    # 24 products for two agents on two tracks
    assert 96 <= sum(world.door.calls.values()) <= 96 + flying
    assert set(world.door.calls) == set(AGENTS.values())
