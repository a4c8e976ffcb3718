"""Planted keys stand in nothing that runs write or print, whatever servers send back.

One server plays every provider. It quotes the key that it was sent: in the body of a
401 and of a 500, in the address of a redirect, and in a reply that is otherwise fine.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import traceback
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import duckdb
import pytest
from agent_bodies import openai, told
from wire_server import Reply, Sent, serve

from ingest.keys import KEYS
from ingest.search.sourcing import firecrawl
from ingest.world.bank import world_bank
from pricebench.cli import main

# distinct, and with the characters that keys have
PLANTED = {
    name: f"sk-{name[:4].lower()}_Planted-{n}/9+7=" for n, name in enumerate(KEYS)
}
STATUS = {"401": 401, "500": 500, "302": 302, "echo": 200}
PROVIDERS = ("anthropic", "gemini", "openrouter", "perplexity")


def hostile(_: int, sent: Sent) -> Reply:
    """Quote what was sent; the first part of the path says how."""
    how = sent.path.split("/")[1]
    kept = ("authorization", "x-api-key", "x-goog-api-key")
    quoted = " ".join(sent.headers.get(name, "") for name in kept) + sent.path
    status = STATUS[how]
    headers = {"Retry-After": "0"} if status == 500 else {}
    if status == 302:
        headers = {"Location": f"/401/away?key={quoted.split(' ')[-1]}"}
    if status == 200:
        return Reply(fine(sent, quoted))
    body = {"error": {"message": f"refused: {quoted}", "code": quoted}}
    return Reply(body, status, headers)


def fine(sent: Sent, quoted: str) -> object:
    """Return a reply of the shape that was asked for."""
    if "scrape" in sent.path:
        page = f"<html><body><p>{quoted}</p></body></html>"
        return {"success": True, "data": {"rawHtml": page, "metadata": {}}}
    if "chat/completions" in sent.path:
        text = f'{{"choice": "skip", "reason": "{quoted}"}}'
        choice = {
            **{"index": 0, "finish_reason": "stop"},
            "message": {"role": "assistant", "content": text},
        }
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        body = {"id": "1", "object": "chat.completion", "created": 1}
        served = {"model": f"served {quoted}", "provider": quoted}
        return {**body, **served, "choices": [choice], "usage": usage}
    return openai(told(title=f"A kettle {quoted}"))


@pytest.fixture(scope="module")
def server():
    with serve(hostile) as running:
        yield running


@pytest.fixture
def planted(monkeypatch, server):
    for name, key in PLANTED.items():
        monkeypatch.setenv(name, key)
    # a 500 is asked again at once
    monkeypatch.setattr("ingest.retry._FIRST_WAIT_S", 0.0)
    for name in PROVIDERS:
        monkeypatch.setenv(f"{name.upper()}_API_BASE", f"{server.address}/401")
    return PLANTED


class Session:
    """Runs verbs and keeps all that they print and raise."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self.capfd = capfd
        self.shown: list[str] = []

    def run(self, *typed: str) -> int | str:
        """Return the exit code, or the traceback of --debug."""
        try:
            code: int | str = main(typed)
        except Exception:
            code = traceback.format_exc()
            self.shown.append(code)
        out, err = self.capfd.readouterr()
        self.shown += [out, err]
        return code

    def leaks(self, folder: Path) -> list[str]:
        """Return where any key stands, in files of every kind too."""
        texts = {"the terminal": "\n".join(self.shown)}
        for path in filter(Path.is_file, folder.rglob("*")):
            texts[str(path)] = path.read_bytes().decode("latin-1")
            if path.suffix == ".gz":
                texts[f"in {path}"] = gzip.decompress(path.read_bytes()).decode()
            if path.suffix == ".duckdb":
                texts[f"rows of {path}"] = rows(path)
            if path.suffix == ".sqlite":
                with sqlite3.connect(path) as cache:
                    texts[f"rows of {path}"] = str(
                        cache.execute("select * from reply").fetchall()
                    )
        assert len(texts) > 1
        return [
            f"{name} in {where}"
            for where, text in texts.items()
            for name, key in PLANTED.items()
            if key in text
        ]


def rows(warehouse: Path) -> str:
    """Return every row of a warehouse as text, since its file may be compressed."""
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        tables = connection.execute(
            "select table_schema, table_name from information_schema.tables"
        ).fetchall()
        return "\n".join(
            str(connection.execute(f'from "{schema}"."{table}"').fetchall())
            for schema, table in tables
        )


@pytest.fixture
def session(capfd, planted):
    return Session(capfd)


def test_no_key_leaves_a_run_of_models(session, server, tmp_path):
    shared = [
        "--out",
        str(tmp_path / "runs"),
        "--warehouse",
        str(tmp_path / "w.duckdb"),
    ]
    verbs = {
        "hotel": ["--subset", "1"],
        "purchase": ["--subset", "1", "--labels", "none", "--repeats", "1"],
    }
    for verb, part in verbs.items():
        for how in STATUS:
            base = ["--api-base", f"{server.address}/{how}", "--model", f"m/{how}"]
            for debug in ([], ["--debug"])[: 1 + (how == "401")]:
                ended = session.run("run", verb, *base, *part, *shared, *debug)
                assert (ended == 0) == (how == "echo")
    answered = json.dumps([one.headers for one in server.sent])
    assert PLANTED["OPENAI_API_KEY"] in answered
    # the reply that quotes the key stands in the journal, without it
    journals = [path.read_text() for path in tmp_path.rglob("journal_*echo*")]
    assert len(journals) == 2
    assert all("<OPENAI_API_KEY>" in text for text in journals)
    assert session.leaks(tmp_path) == []


def test_no_key_leaves_a_run_of_another_provider(session, server, tmp_path):
    for provider in PROVIDERS:
        typed = ["run", "hotel", "--model", f"{provider}/some-model", "--size", "24"]
        more = ["--out", str(tmp_path / "runs"), "--warehouse", str(tmp_path / "w")]
        before = len(server.sent)
        ended = session.run(*typed, *more, "--debug")
        assert "401" in str(ended)
        sent = json.dumps([(o.path, o.headers) for o in server.sent[before:]])
        assert PLANTED[f"{provider.upper()}_API_KEY"] in sent, provider
    assert session.leaks(tmp_path) == []


SEATS = """\
seats:
  gpt: {{base: {0}/401}}
  claude: {{base: {0}/500, adapter: anthropic}}
  gemini: {{base: {0}/302}}
  perplexity: {{base: {0}/echo}}
  findcheap: {{base: {0}/echo}}
  second: {{adapter: openai_responses, base: {0}/echo, model: m,
    headers: {{authorization: "Bearer ${{OPENAI_API_KEY}}"}}}}
"""


def test_no_key_leaves_a_search_run(session, server, tmp_path):
    folder = tmp_path / "run"
    for name, content in world_bank(datetime.now(UTC), 1).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    seats = tmp_path / "seats.yaml"
    seats.write_text(SEATS.format(server.address))
    before = len(server.sent)
    typed = ["run", "search", "agents", str(folder), "--seats", str(seats)]
    assert session.run(*typed) == 1
    assert "401" in str(session.run(*typed, "--systems", "gpt", "--debug"))
    # the judges are refused as well
    base = ["--api-base", f"{server.address}/401"]
    session.run("run", "search", "judge", str(folder), *base, "--debug")
    assert (
        session.run(
            "load", "search", str(folder), "--warehouse", str(tmp_path / "w.duckdb")
        )
        == 0
    )
    sent = json.dumps([(one.path, one.headers) for one in server.sent[before:]])
    for agent in ("OPENAI", "ANTHROPIC", "GEMINI", "PERPLEXITY", "FINDCHEAP"):
        assert PLANTED[f"{agent}_API_KEY"] in sent, agent
    raw = (folder / "raw_second_exact.json").read_text()
    assert "<OPENAI_API_KEY>" in raw
    assert session.leaks(tmp_path) == []


@pytest.mark.parametrize("how", STATUS)
def test_no_key_leaves_the_sourcing_of_products(
    session, server, tmp_path, monkeypatch, how
):
    address = f"{server.address}/{how}/scrape"
    rendered = partial(firecrawl.firecrawl, address=address)
    monkeypatch.setattr(firecrawl, "firecrawl", rendered)
    folder = tmp_path / "run"
    assert session.run("bank", "search", "--size", "1", "--out", str(folder)) == 0
    (shop,) = json.loads((folder / "cells.json").read_text())["cells"]
    (folder / "sources" / "lists.csv").write_text(
        "site,category,subcategory,name,url,selector,order,note\n"
        # loopback is refused, so the renderer is asked
        f"{shop['retailer']},,,best,http://127.0.0.1:1/x,a,,\n"
    )
    before = len(server.sent)
    assert session.run("run", "search", "source", str(folder)) == 1
    (asked,) = server.sent[before:]
    assert PLANTED["FIRECRAWL_API_KEY"] in asked.headers["authorization"]
    assert session.leaks(tmp_path) == []


def test_a_key_in_an_address_is_refused(session, tmp_path):
    key = PLANTED["GEMINI_API_KEY"]
    typed = ["run", "hotel", "--model", "m/x", "--out", str(tmp_path / "runs")]
    more = ["--warehouse", str(tmp_path / "w.duckdb")]
    for given in (f"http://localhost/v1?key={key}", key):
        assert session.run(*typed, *more, "--api-base", given) == 1
    assert "--api-base holds a key" in "".join(session.shown)
    assert key not in "".join(session.shown)
    assert list(tmp_path.iterdir()) == []


def test_doctor_reports_each_key_and_shows_none(session, tmp_path):
    typed = ["doctor", "--format", "json", "--warehouse", str(tmp_path / "w.duckdb")]
    assert session.run(*typed) == 0
    told = {row["check"]: row["found"] for row in json.loads(session.shown[0])}
    assert {name: told[name] for name in KEYS} == dict.fromkeys(KEYS, "set")
    assert not [key for key in PLANTED.values() if key in "".join(session.shown)]
