"""An agent's session that is killed again and again: no reply is lost or paid twice."""

from __future__ import annotations

import json
import random
import signal
import time

import agent_bodies as bodies
from agent_room import KEYS, products
from agent_session import IN_FLIGHT
from search_folder import edit
from sessions import started
from wire_server import Reply, serve

KILLS, PRODUCTS, DELAY_S = 6, 40, 0.1
SEED = 20261130  # written down before the first run


def multiply(body):
    """Make many products of the first one."""
    first = body["tasks"][0]
    body["tasks"] = [
        {**first, "task_id": f"t{n:03}", "label": f"t{n:03}", "position": n}
        for n in range(1, PRODUCTS + 1)
    ]


def folder_of_many(path):
    folder = products(path)
    files = {"tasks.json": (folder / "tasks.json").read_bytes()}
    edit(files, "tasks.json", multiply)
    (folder / "tasks.json").write_bytes(files["tasks.json"])
    return folder


def script(_, sent):
    """Pause every turn once, and answer its continuation."""
    time.sleep(DELAY_S)
    is_first = len(sent.body["messages"]) == 1
    paused = bodies.anthropic("So far. ", "pause_turn")
    return Reply(paused if is_first else bodies.anthropic(bodies.told(2)))


def test_kills_at_random_moments_lose_no_reply(tmp_path):
    folder, rng = folder_of_many(tmp_path), random.Random(SEED)
    with serve(script) as server, started("agent_session.py", KEYS) as sessions:
        session = f"{server.address} {folder}"
        for killed in range(KILLS):
            ended = sessions.kill(session, lambda: len(server.sent), rng)
            assert ended == -signal.SIGKILL, f"over after {killed} kills: ask more"
        assert sessions.whole(session) == 0
        asked = len(server.sent)
    body = json.loads((folder / "raw_claude_exact.json").read_text())
    entries = body["entries"]
    assert len(entries) == PRODUCTS
    for entry in entries.values():
        assert (entry["status"], entry["continuations"]) == ("ok", 1)
        # a reply that was journaled was asked for once
        assert [one["error"] for one in entry["attempts"]] == [None, None]
    # two calls a product, and what was in flight when it was killed
    assert 2 * PRODUCTS <= asked <= 2 * PRODUCTS + KILLS * IN_FLIGHT
