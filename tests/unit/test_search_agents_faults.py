"""Faults of transport between us and an agent, and what may be stored of a reply."""

from __future__ import annotations

import base64
import json
import socket

import agent_bodies as bodies
import httpx
import pytest
from agent_room import KEYS, redirect, room
from wire_server import Reply

from ingest.errors import LoadError
from ingest.llm import SetupRefused


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
    "a reset": (Reply(fault="reset"), 4, None, "connection_lost", True),
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
