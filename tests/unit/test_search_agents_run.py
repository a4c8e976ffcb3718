"""Asking an agent for many products: what is resumed, bounded, refused and written."""

from __future__ import annotations

import asyncio
import json
import signal
import threading

import agent_bodies as bodies
import pytest
from agent_room import KEYS, room
from search_folder import edit
from wire_server import Reply

from ingest.errors import LoadError
from ingest.journal import open_journal
from ingest.run_calls import Limits
from ingest.search.agents.seats import Price

GOOD = bodies.openai(bodies.told(2))
LOST = Reply({}, 400)


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def gpt(tmp_path):
    return room(tmp_path, "gpt")


def always(body):
    return lambda *_: Reply(body)


def statuses(found):
    return [one["status"] for one in found.artifact()["entries"].values()]


# a reply of each status, in the order of the vocabulary
EACH = [
    *(always(GOOD), always(bodies.openai(bodies.told(0)))),
    always(bodies.openai("", output=[{"type": "message", "content": [
        {"type": "refusal", "refusal": "no"}
    ]}])),
    always(bodies.openai("no list")),
    always(bodies.openai("", status="incomplete")),
    lambda *_: LOST,
]  # fmt: skip
STATUSES = ["ok", "empty", "refused", "unparsable", "truncated", "transport_error"]


def test_an_artifact_with_every_status_loads_whole(gpt):
    tally = gpt.run(lambda n, sent: EACH[n](n, sent), tasks=6)
    assert statuses(gpt) == STATUSES
    assert tally.states == dict.fromkeys(STATUSES, 1)
    assert (tally.wanted, tally.asked, tally.left) == (6, 6, 1)
    rows = gpt.rows()
    assert (rows.rows("agent"), rows.rows("call"), rows.rows("listing")) == (1, 6, 2)
    assert rows.values("call", "status") == STATUSES
    assert rows.values("agent", "model_asked") == ["gpt-5.6-sol"]
    assert rows.values("listing", "listing_id") == [
        *("gpt.exact.t001.01", "gpt.exact.t001.02")
    ]
    body = gpt.artifact()
    assert (body["run_id"], body["source"]) == ("example-7", "simulated")
    assert body["config"]["tools"] == [{"type": "web_search"}]


def test_only_what_was_lost_is_asked_again(gpt):
    gpt.run(lambda n, sent: EACH[n](n, sent), tasks=6)
    before = gpt.artifact()["entries"]
    tally = gpt.run(always(GOOD), tasks=7)
    # the sixth was lost, the seventh is new
    assert (len(gpt.sent), tally.done_before, tally.left) == (6 + 2, 5, 0)
    after = gpt.artifact()["entries"]
    assert list(after) == [f"t00{n}" for n in range(1, 8)]
    assert all(after[f"t00{n}"] == before[f"t00{n}"] for n in range(1, 6))
    # every attempt stays, those of the session that lost it too
    assert [one["http_status"] for one in after["t006"]["attempts"]] == [400, 200]
    assert gpt.artifact()["created_at"] < gpt.artifact()["updated_at"]


def test_answers_that_are_forced_are_asked_again_and_say_so(gpt):
    gpt.run(always(bodies.openai(bodies.told(0))))
    assert "forced_at" not in gpt.entry()
    gpt.run(always(GOOD), force=True)
    entry = gpt.entry()
    assert (len(gpt.sent), entry["status"], len(entry["forced_at"])) == (2, "ok", 1)
    assert len(entry["attempts"]) == 1
    gpt.run(always(GOOD))
    assert (len(gpt.sent), gpt.entry()) == (2, entry)


def test_an_artifact_whose_journal_is_not_here_is_resumed_too(gpt):
    gpt.run(lambda n, _: Reply(GOOD) if n else LOST, tasks=2)
    gpt.path.with_suffix(".journal").unlink()
    kept = gpt.entry("t002")
    tally = gpt.run(always(GOOD), tasks=2)
    assert (tally.done_before, len(gpt.sent)) == (1, 3)
    assert (gpt.entry("t002"), gpt.entry("t001")["status"]) == (kept, "ok")
    # what the other session paid counts: 1,000 x $4/m + 100 x $20/m + 2 x $0.01 each
    assert f"{tally.spent_usd:.6f}" == "0.052000"


def test_a_journal_without_its_artifact_loses_no_reply(gpt):
    gpt.run(always(GOOD), tasks=3)
    whole = gpt.artifact()["entries"]
    gpt.path.unlink()
    journal = gpt.path.with_suffix(".journal")
    # killed while it wrote a line
    journal.write_bytes(journal.read_bytes() + b'{"kind": "turn", "task_id": "t0')
    gpt.run(always(GOOD), tasks=3)
    assert len(gpt.sent) == 3
    assert gpt.artifact()["entries"] == whole


def test_a_session_that_is_interrupted_writes_what_it_has(gpt):
    async def interrupted(seconds):
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(30)

    # the third call is told to wait, and there the person presses ctrl-C
    gpt.sleep = interrupted
    with pytest.raises(KeyboardInterrupt):
        gpt.run(lambda n, _: Reply({}, 503) if n == 2 else Reply(GOOD), tasks=5)
    assert list(gpt.artifact()["entries"]) == ["t001", "t002"]


def test_a_pause_that_was_journaled_goes_on_where_it_was(tmp_path):
    claude = room(tmp_path, "claude", adapter="anthropic")
    paused = bodies.anthropic("So far. ", "pause_turn")
    claude.run(lambda number, _: LOST if number else Reply(paused))
    assert claude.entry()["status"] == "transport_error"
    claude.run(always(bodies.anthropic(bodies.told())))
    entry = claude.entry()
    # the first turn was paid for and is not asked again
    assert claude.sent[2].body["messages"][1]["content"] == paused["content"]
    assert (entry["status"], entry["continuations"]) == ("ok", 1)
    assert entry["answer_text"] == f"So far. {bodies.told()}"
    assert [one["http_status"] for one in entry["attempts"]] == [200, 400, 200]


def test_redirects_that_a_kill_left_open_are_looked_up_without_asking(tmp_path):
    gemini = room(tmp_path, "gemini")
    text = bodies.told(1, url=f"{bodies.REDIRECT}1")
    gemini.run(always(bodies.gemini(text)))
    journal = gemini.path.with_suffix(".journal")
    lines = journal.read_bytes().splitlines(keepends=True)
    assert json.loads(lines[-1])["kind"] == "redirects"
    journal.write_bytes(b"".join(lines[:-1]))
    gemini.path.unlink()
    gemini.run(always(bodies.gemini(text)))
    assert len(gemini.sent) == 1
    (found,) = gemini.entry()["listings"]
    assert found["url_canonical"] == "https://shop1.example/p/1"


def test_no_call_begins_once_the_budget_is_spent(gpt):
    # 2.6 cents each: after two, 5.2 of 5 cents are spent
    limits = Limits(concurrency=1, max_usd=0.05)
    tally = gpt.run(always(GOOD), tasks=5, limits=limits)
    assert (len(gpt.sent), tally.left, tally.stopped) == (2, 3, "$0.05 spent")
    again = gpt.run(always(GOOD), tasks=5, limits=limits)
    assert (len(gpt.sent), again.stopped) == (2, "$0.05 spent")
    # nothing is left of the first two, so that nothing was stopped
    assert gpt.run(always(GOOD), tasks=2, limits=limits).stopped is None


def test_calls_in_flight_alone_overshoot_a_budget(gpt):
    limits = Limits(concurrency=3, max_usd=0.03)
    gpt.run(always(GOOD), tasks=10, limits=limits)
    # one alone, 2.6 cents; then three at once, and no more
    assert len(gpt.sent) == 4


def test_a_budget_without_a_price_is_refused_after_the_first_answer(tmp_path):
    found = room(tmp_path, "gpt", price=Price())
    with pytest.raises(LoadError, match="nobody knows what agent gpt costs"):
        found.run(always(GOOD), tasks=3, limits=Limits(max_usd=1.0))
    assert (len(found.sent), statuses(found)) == (1, ["ok"])
    assert found.entry()["usage"]["cost_usd"] is None


def test_as_many_calls_are_in_flight_as_the_limit_says(gpt):
    gate, lock = threading.Barrier(4), threading.Lock()
    flying, most = [0], [0]

    def script(number, _):
        with lock:
            flying[0] += 1
            most[0] = max(most[0], flying[0])
        if number in (1, 2, 3, 4):
            gate.wait(10)
        with lock:
            flying[0] -= 1
        return Reply(GOOD)

    gpt.run(script, tasks=9, limits=Limits(concurrency=4))
    assert most[0] == 4
    assert statuses(gpt) == ["ok"] * 9


def test_a_rate_limit_spaces_the_calls(gpt):
    gpt.run(always(GOOD), tasks=3, limits=Limits(concurrency=1, per_minute=20))
    # 60 s / 20 between calls; the clock of the test stands almost still
    assert [round(one) for one in gpt.waits] == [0, 3, 6]


def test_products_that_are_not_settled_are_all_named(gpt):
    def unsettle(body):
        body["tasks"][0]["shipping"] = None
        body["tasks"][2]["shipping"]["amount"] = None
        body["tasks"][3]["pack"]["ambiguous"] = True
        body["tasks"][4]["pack"] |= {"ambiguous": True, "source": "human"}

    path = gpt.folder / "tasks.json"
    files = {"tasks.json": path.read_bytes()}
    edit(files, "tasks.json", unsettle)
    path.write_bytes(files["tasks.json"])
    with pytest.raises(
        LoadError, match="shipping of t001, t003 and the pack of t004 not settled"
    ):
        gpt.run(always(GOOD), tasks=10)
    assert gpt.sent == []


def test_other_settings_do_not_mix_into_an_artifact(tmp_path):
    room(tmp_path, "gpt").run(always(GOOD))
    other = room(tmp_path, "gpt", model="gpt-5.6-terra")
    with pytest.raises(LoadError, match="was asked with other settings"):
        other.run(always(GOOD))
    (tmp_path / "raw_gpt_exact.json").unlink()
    with pytest.raises(LoadError, match="journal of another run"):
        other.run(always(GOOD))
    assert other.sent == []


def test_one_command_at_a_time_writes_an_artifact(gpt):
    gpt.run(always(GOOD))
    path = gpt.path.with_suffix(".journal")
    header = json.loads(path.read_text().splitlines()[0])
    del header["schema"]
    with open_journal(path, header), pytest.raises(LoadError, match="another command"):
        gpt.run(always(GOOD), tasks=2)
