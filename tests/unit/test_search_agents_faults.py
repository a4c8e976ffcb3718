"""Faults of transport between us and an agent, and what may be stored of a reply."""

from __future__ import annotations

import base64
import json
import socket
from collections import Counter
from datetime import timedelta
from itertools import count
from threading import Lock

import agent_bodies as bodies
import httpx
import pytest
from agent_room import KEYS, START, redirect, room
from wire_server import Reply

from ingest.errors import LoadError
from ingest.llm import SetupRefused
from ingest.run_calls import Limits
from ingest.search.agents.session import World


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


def picture_of(found):
    task = json.loads((found.folder / "tasks.json").read_text())["tasks"][0]
    return (found.folder / f"images/{task['image']['sha256']}.jpg").read_bytes()


GOOD = bodies.openai(bodies.told())


def test_a_busy_provider_is_asked_again_after_the_time_it_names(tmp_path):
    busy = Reply({"error": {"message": "slow"}}, 429, {"Retry-After": "20"})
    found = room(tmp_path, "gpt")
    found.run(lambda number, _: Reply(GOOD) if number else busy)
    assert found.waits == [20.0]
    entry = found.entry()
    assert entry["status"] == "ok"
    first, second = entry["attempts"]
    assert (first["http_status"], first["error"]) == (429, "rate_limited")
    assert (first["retry_after_s"], first["detail"]) == (20.0, "slow")
    assert (second["http_status"], second["error"]) == (200, None)
    found.rows()


FAULTS = {
    # fault -> attempts, status on the wire, error, whether it may have been billed
    "500 for ever": (Reply({}, 500), 4, 500, "http_500", False),
    "529 for ever": (Reply({}, 529), 4, 529, "http_529", False),
    "408": (Reply({}, 408), 4, 408, "http_408", False),
    "a page under 200": (Reply(b"<html>busy</html>"), 4, 200, "not_json", False),
    "nothing under 200": (Reply(b""), 4, 200, "not_json", False),
    "half a body": (Reply(GOOD, fault="half"), 4, None, "connection_lost", True),
    "a length too large": (
        *(Reply(GOOD, fault="length"), 4, None, "connection_lost", True),
    ),
    "a reset": (Reply(fault="reset"), 4, None, "connection_lost", True),
    "429 for ever": (Reply({}, 429), 4, 429, "rate_limited", False),
    "a page under 502": (Reply(b"<html>", 502), 4, 502, "http_502", False),
    "a bad request": (Reply({"message": "no"}, 400), 1, 400, "http_400", False),
    "too large": (Reply({}, 413), 1, 413, "http_413", False),
    "unprocessable": (Reply({}, 422), 1, 422, "http_422", False),
    "moved": (Reply({}, 302, {"Location": "/x"}), 1, 302, "http_302", False),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_transport_are_tried_four_times_and_all_recorded(tmp_path, name):
    reply, count, status, error, billed = FAULTS[name]
    found = room(tmp_path, "gpt")
    found.run(lambda *_: reply)
    assert len(found.sent) == count
    assert len(found.waits) == count - 1
    entry = found.entry()
    assert entry["status"] == "transport_error"
    told = [
        (one["http_status"], one["error"], one["maybe_billed"])
        for one in entry["attempts"]
    ]
    assert told == [(status, error, billed)] * count
    assert entry["usage"]["cost_usd"] is None
    assert entry["latency_s"] is None


def test_a_reply_that_never_comes_is_logged_as_perhaps_billed(tmp_path):
    found = room(tmp_path, "gpt", timeout_s=0.2)
    found.run(lambda number, _: Reply(GOOD, fault=None if number else "hang"))
    first, second = found.entry()["attempts"]
    assert (first["error"], first["maybe_billed"]) == ("read_timeout", True)
    assert (second["error"], found.entry()["status"]) == (None, "ok")


def test_a_length_too_small_is_no_reply(tmp_path):
    found = room(tmp_path, "gpt")
    found.run(lambda *_: Reply(GOOD, fault="short"))
    entry = found.entry()
    assert (entry["status"], len(entry["attempts"])) == ("transport_error", 4)
    # what follows the body may be there when its end is seen, or when the next begins
    errors = {one["error"] for one in entry["attempts"]}
    assert errors <= {"not_json", "connection_lost"}
    assert 1 <= len(found.sent) <= 4


def test_a_reply_that_drips_is_given_up_at_the_limit_of_time(tmp_path):
    found = room(tmp_path, "gpt", timeout_s=0.2)
    found.run(lambda number, _: Reply(GOOD, fault=None if number else "drip"))
    first, second = found.entry()["attempts"]
    assert (first["error"], first["maybe_billed"]) == ("read_timeout", True)
    assert (second["error"], found.entry()["status"]) == (None, "ok")


def test_an_error_under_200_is_lost_and_asked_another_time(tmp_path):
    # search.md 5.3: such a response says that it failed
    body = {**GOOD, "status": "failed", "error": {"message": "overloaded"}}
    found = room(tmp_path, "gpt")
    tally = found.run(lambda *_: Reply(body))
    assert found.entry()["status"] == "transport_error"
    assert (tally.states, tally.left) == ({"transport_error": 1}, 1)
    tally = found.run(lambda *_: Reply(GOOD))
    assert (found.entry()["status"], tally.left) == ("ok", 0)
    assert len(found.sent) == 2


def test_a_storm_of_429_that_passes_loses_no_product(tmp_path):
    found, lock, seen = room(tmp_path, "gpt"), Lock(), Counter()
    busy = Reply({}, 429, {"Retry-After": "7"})

    def script(_, sent):
        product = json.dumps(sent.body, sort_keys=True)
        with lock:
            seen[product] += 1
            return Reply(GOOD) if seen[product] == 4 else busy

    tally = found.run(script, tasks=5, limits=Limits(concurrency=4))
    # each of five products is refused three times
    assert (tally.states, tally.left) == ({"ok": 5}, 0)
    assert sorted(seen.values()) == [4] * 5
    assert found.waits == [7.0] * 15


def test_products_with_mixed_faults_are_all_accounted_for(tmp_path):
    found = room(tmp_path, "gpt")
    replies = {
        "t001": Reply(GOOD),
        "t002": Reply({}, 500),
        "t003": Reply(bodies.openai("no idea")),
        "t004": Reply(GOOD, fault="half"),
        "t005": Reply({}, 413),
    }
    turns = iter([*["t001"], *["t002"] * 4, *["t003"], *["t004"] * 4, *["t005"]])
    tally = found.run(lambda *_: replies[next(turns)], tasks=5)
    # five products: one answered, one unreadable, three lost
    assert tally.states == {"ok": 1, "unparsable": 1, "transport_error": 3}
    assert (tally.asked, tally.left) == (5, 3)
    told = {one: found.entry(one)["attempts"][-1]["error"] for one in replies}
    assert told == {
        **{"t001": None, "t002": "http_500", "t003": None},
        **{"t004": "connection_lost", "t005": "http_413"},
    }


def test_a_clock_that_jumps_moves_dates_and_nothing_else(tmp_path):
    found, seconds, paced = room(tmp_path, "gpt"), [100.0], []
    # every look at the wall is a day before the last
    days = count()

    async def sleep(wait):
        paced.append(round(wait, 6))
        seconds[0] += wait

    world = World(
        *(found.client, lambda: START - timedelta(days=next(days))),
        clock=lambda: seconds[0],
        sleep=sleep,
    )
    busy = Reply({}, 503, {"Retry-After": "2"})
    limits = Limits(concurrency=1, per_minute=30.0)
    tally = found.run(
        lambda number, _: busy if number == 1 else Reply(GOOD),
        **{"tasks": 3, "limits": limits, "world": world},
    )
    assert (tally.states, len(found.sent)) == ({"ok": 3}, 4)
    # two seconds from one product to the next; two more before the second attempt,
    # after which the third is due at once
    assert paced == [0.0, 2.0, 2.0, 0.0]
    entries = [found.entry(f"t00{n}") for n in (1, 2, 3)]
    assert [one["latency_s"] for one in entries] == [0.0, 0.0, 0.0]
    attempts = [one for entry in entries for one in entry["attempts"]]
    assert all(one["started_at"] == one["ended_at"] for one in attempts)


def test_a_provider_that_is_not_there_was_not_billed(tmp_path):
    found = room(tmp_path, "gpt")
    # nobody listens on port 1
    found.run_at("http://127.0.0.1:1")
    told = {(one["error"], one["maybe_billed"]) for one in found.entry()["attempts"]}
    assert told == {("connect_error", False)}


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_wrong_key_address_or_model_stops_at_the_first_call(tmp_path, status):
    key = KEYS["OPENAI_API_KEY"]
    refusal = {"error": {"message": f"bad {key}"}}
    found = room(tmp_path, "gpt")
    with pytest.raises(SetupRefused, match=f"status {status}.*check the key") as told:
        found.run(lambda *_: Reply(refusal, status), tasks=5)
    assert len(found.sent) == 1
    assert key not in str(told.value)
    assert not found.path.exists()


def test_a_key_that_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    found = room(tmp_path, "gpt")
    with pytest.raises(LoadError, match="OPENAI_API_KEY is not set"):
        found.run(lambda *_: Reply(GOOD))
    assert found.sent == []


def test_a_key_that_no_header_takes_is_named_and_not_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-\u201cplanted\u201d")
    found = room(tmp_path, "gpt")
    with pytest.raises(LoadError, match="OPENAI_API_KEY holds characters") as told:
        found.run(lambda *_: Reply(GOOD))
    assert "planted" not in str(told.value)


def test_a_scripted_client_reaches_no_network(tmp_path, monkeypatch):
    # search.md 10.1, row 28
    def refuse(*_):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    text = bodies.told(1, url=f"{bodies.REDIRECT}1")

    def reply(request):
        is_agent = request.url.path.endswith(":generateContent")
        return (
            httpx.Response(200, json=bodies.gemini(text))
            if is_agent
            else redirect(request)
        )

    found = room(tmp_path, "gemini")
    scripted = httpx.MockTransport(reply)
    found.run_at(
        "https://generativelanguage.googleapis.com/v1beta",
        client=lambda: httpx.AsyncClient(transport=scripted),
    )
    entry = found.entry()
    assert entry["status"] == "ok"
    assert entry["listings"][0]["url_canonical"] == "https://shop1.example/p/1"


def test_no_key_and_no_picture_stands_in_any_file(tmp_path):
    found = room(tmp_path, "gpt")
    picture = base64.b64encode(picture_of(found)).decode()
    said = f"{bodies.told()} {KEYS['OPENAI_API_KEY']}"
    echo = bodies.openai(said, echo=f"data:image/jpeg;base64,{picture}")
    failed = Reply({"error": {"message": f"{KEYS['OPENAI_API_KEY']}\n!"}}, 500)
    found.run(lambda number, _: Reply(echo) if number else failed)
    assert found.entry()["status"] == "ok"
    files = [one for one in found.folder.rglob("*") if one.suffix != ".jpg"]
    texts = [one.read_text() for one in files if one.is_file()]
    assert any("<OPENAI_API_KEY>" in text for text in texts)
    for text in texts:
        assert "planted" not in text
        assert picture not in text


def test_half_characters_and_numbers_that_are_none_are_stored_as_json_can(tmp_path):
    text = '{"listings": [{"url": "https://shop.com/a", "title": "Oat \\ud83d"}]}'
    body = json.dumps(bodies.openai(text)).replace(
        '"completed"', '"completed", "x": NaN'
    )
    found = room(tmp_path, "gpt")
    found.run(lambda *_: Reply(body.encode()))
    assert found.entry()["listings"][0]["title"] == "Oat \ufffd"
    found.rows()
