"""Anthropic's batches: named before they are waited for, fetched in any order."""

from __future__ import annotations

import json

import agent_bodies as bodies
import pytest
from agent_room import KEYS, room
from wire_server import Reply

from ingest.errors import LoadError
from ingest.run_calls import Limits
from ingest.search.agents import batch
from ingest.search.agents.batch import POLL_S, custom_id_of


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def claude(tmp_path):
    return room(tmp_path, "claude")


def succeeded(body):
    return {"type": "succeeded", "message": body}


def errored(kind):
    inner = {"type": kind, "message": "no"}
    return {"type": "errored", "error": {"type": "error", "error": inner}}


class Service:
    """Batches by number; each ends at its second poll with the results given."""

    def __init__(self, *results, polls=2, interactive=()):
        self.results, self.polls = results, polls
        self.interactive = iter(interactive)
        self.batches, self.polled, self.before_poll = [], 0, lambda: None

    def __call__(self, number, sent):
        if sent.path == "/messages":
            return Reply(next(self.interactive))
        if sent.method == "POST":
            self.batches.append(sent.body["requests"])
            self.polled = 0
            return Reply({"id": f"msgbatch_{len(self.batches)}"})
        named = int(sent.path.split("msgbatch_")[1].split("/")[0])
        if sent.path.endswith("/results"):
            return Reply(self._lines(named - 1))
        self.before_poll()
        self.polled += 1
        ended = self.polled >= self.polls
        status = "ended" if ended else "in_progress"
        elsewhere = "https://elsewhere.example/results"
        return Reply({"processing_status": status, "results_url": elsewhere})

    def _lines(self, place):
        ids = [one["custom_id"] for one in self.batches[place]]
        found = zip(ids, self.results[place], strict=True)
        lines = [json.dumps({"custom_id": i, "result": r}) for i, r in found if r]
        # in any order, with a line of nobody's
        lines = [*reversed(lines), '{"custom_id": "other", "result": {}}', "no JSON"]
        return "\n".join(lines).encode()


GOOD = succeeded(bodies.anthropic(bodies.told(2)))
EMPTY = succeeded(bodies.anthropic(bodies.told(0)))


def test_a_batch_is_handed_in_waited_for_and_fetched(claude):
    service = Service([GOOD, EMPTY])
    journal = claude.path.with_suffix(".journal")
    service.before_poll = lambda: seen.append("msgbatch_1" in journal.read_text())
    seen = []
    tally = claude.run(service, tasks=2)
    # the batch was named in the journal before its first poll
    assert seen == [True, True]
    told = [(one.method, one.path) for one in claude.sent]
    assert told == [
        ("POST", "/messages/batches"),
        *[("GET", "/messages/batches/msgbatch_1")] * 2,
        ("GET", "/messages/batches/msgbatch_1/results"),
    ]
    assert {one.headers["x-api-key"] for one in claude.sent} == {
        KEYS["ANTHROPIC_API_KEY"]
    }
    assert claude.waits == [POLL_S]
    entries = claude.artifact()["entries"]
    assert [one["status"] for one in entries.values()] == ["ok", "empty"]
    for task_id, entry in entries.items():
        assert entry["batch"] == {
            "batch_id": "msgbatch_1",
            "custom_id": f"{task_id}-exact",
        }
        assert (entry["latency_comparable"], entry["latency_s"]) == (False, None)
        # tokens at half price: (1,000 x $5/m + 100 x $25/m) / 2 + 1 x $0.01
        assert entry["usage"]["cost_usd"] == "0.013750"
    assert (tally.states, tally.left) == ({"ok": 1, "empty": 1}, 0)
    rows = claude.rows()
    assert rows.values("call", "is_latency_comparable") == [False, False]
    assert rows.values("call", "batch_id") == ["msgbatch_1"] * 2


def test_a_batch_holds_the_requests_that_would_be_sent_alone(claude, tmp_path_factory):
    alone = room(tmp_path_factory.mktemp("alone"), "claude", adapter="anthropic")
    alone.run(lambda *_: Reply(bodies.anthropic(bodies.told())))
    service = Service([GOOD])
    claude.run(service)
    ((request,),) = service.batches
    assert request == {"custom_id": "t001-exact", "params": alone.sent[0].body}
    sha256 = [one.entry()["request"]["sha256"] for one in (alone, claude)]
    assert sha256[0] == sha256[1]


def test_a_command_that_was_killed_waits_for_the_same_batch(claude):
    service = Service([GOOD, GOOD, GOOD])

    def killed():
        raise KeyboardInterrupt

    async def stop(seconds):
        killed()

    real, claude.sleep = claude.sleep, stop
    with pytest.raises(KeyboardInterrupt):
        claude.run(service, tasks=2)
    assert not claude.path.exists()
    claude.sleep = real
    service.results = ([GOOD, EMPTY], [GOOD])
    # a third product is open by now: it goes into a batch of its own
    claude.run(service, tasks=3)
    assert [len(one) for one in service.batches] == [2, 1]
    entries = claude.artifact()["entries"].values()
    assert [one["status"] for one in entries] == ["ok", "empty", "ok"]
    assert [one["batch"]["batch_id"][-1] for one in entries] == ["1", "1", "2"]
    claude.run(service, tasks=3)
    assert len(service.batches) == 2


def test_results_that_were_half_fetched_are_not_stored_twice(claude):
    service = Service([GOOD, EMPTY])
    claude.run(service, tasks=2)
    whole = claude.artifact()["entries"]
    journal = claude.path.with_suffix(".journal")
    lines = journal.read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line).get("kind") for line in lines]
    assert kinds == [None, "batch", "turn", "turn", "batch_over"]
    journal.write_bytes(b"".join(lines[:3]))
    claude.path.unlink()
    claude.run(service, tasks=2)
    assert len(service.batches) == 1
    assert claude.artifact()["entries"].keys() == whole.keys()
    kinds = [json.loads(one).get("kind") for one in journal.read_text().splitlines()]
    assert kinds == [None, "batch", "turn", "turn", "batch_over"]


def test_faults_of_the_service_are_handed_in_again_and_others_are_not(claude):
    first = [
        *(errored("api_error"), errored("overloaded_error"), {"type": "expired"}),
        *(errored("invalid_request_error"), {"type": "canceled"}, None, GOOD),
    ]
    # of the first batch: two server errors, one expired, one missing
    again = [GOOD, errored("api_error"), GOOD, GOOD]
    service = Service(first, again, [errored("api_error")], [errored("api_error")])
    tally = claude.run(service, tasks=7)
    # four attempts at most: the second product fails in each
    assert [len(one) for one in service.batches] == [7, 4, 1, 1]
    entries = claude.artifact()["entries"]
    lost = {key for key, one in entries.items() if one["status"] == "transport_error"}
    assert lost == {"t002", "t004", "t005"}
    assert [one["error"] for one in entries["t002"]["attempts"]] == [
        *("batch_overloaded_error", "batch_api_error"),
        *("batch_api_error", "batch_api_error"),
    ]
    assert [one["error"] for one in entries["t006"]["attempts"]] == [
        *("batch_missing", None)
    ]
    assert [one["error"] for one in entries["t005"]["attempts"]] == ["batch_canceled"]
    assert tally.left == 3
    claude.rows()


def test_a_turn_that_paused_in_a_batch_goes_on_outside_and_is_marked(claude):
    paused = bodies.anthropic("So far. ", "pause_turn")
    service = Service(
        [succeeded(paused), GOOD], interactive=[bodies.anthropic(bodies.told(3))]
    )
    claude.run(service, tasks=2)
    sent = claude.sent[-1]
    assert sent.path == "/messages"
    assert sent.body["messages"][1]["content"] == paused["content"]
    entry = claude.entry()
    assert (entry["status"], entry["continuations"]) == ("ok", 1)
    assert entry["answer_text"] == f"So far. {bodies.told(3)}"
    assert entry["batch"]["batch_id"] == "msgbatch_1"
    assert entry["latency_comparable"] is False
    # the first turn at half price, the second at the full one: 0.01375 + 0.0175
    assert entry["usage"]["cost_usd"] == "0.031250"


def test_a_probe_of_latency_asks_a_few_alone_and_changes_no_entry(claude):
    service = Service([GOOD, GOOD], interactive=[bodies.anthropic(bodies.told(0))] * 2)
    claude.run(service, tasks=2)
    entries = claude.artifact()["entries"]
    tally = claude.run(service, tasks=2, latency_probe=1)
    # a batch's 2 x $0.01375, and one call at the full price, $0.0175
    assert f"{tally.spent_usd:.6f}" == "0.045000"
    claude.run(service, tasks=2, latency_probe=2)
    claude.run(service, tasks=2, latency_probe=2)
    alone = [one for one in claude.sent if one.path == "/messages"]
    assert len(alone) == 2
    body = claude.artifact()
    assert body["entries"] == entries
    assert [(one["task_id"], one["status"]) for one in body["latency_probe"]] == [
        *(("t001", "empty"), ("t002", "empty"))
    ]
    assert all(one["latency_s"] > 0 for one in body["latency_probe"])
    claude.rows()


def test_with_a_budget_no_more_is_handed_in_than_may_be_in_flight(claude):
    service = Service([GOOD, GOOD], [GOOD, GOOD], polls=1)
    # 1.375 cents each: after two batches of two, 5.5 of 4 cents are spent
    limits = Limits(concurrency=2, max_usd=0.04)
    tally = claude.run(service, tasks=6, limits=limits)
    assert [len(one) for one in service.batches] == [2, 2]
    assert (tally.stopped, tally.left) == ("$0.04 spent", 2)


def test_what_is_forced_is_set_aside_when_it_is_handed_in_again(claude):
    service = Service([GOOD] * 4, [EMPTY, EMPTY], polls=1)
    claude.run(service, tasks=4)
    # 5.5 cents are spent; two more products fit below 6 cents, the others stay
    limits = Limits(concurrency=2, max_usd=0.06)
    tally = claude.run(service, tasks=4, force=True, limits=limits)
    assert [len(one) for one in service.batches] == [4, 2]
    entries = claude.artifact()["entries"].values()
    assert [one["status"] for one in entries] == ["empty", "empty", "ok", "ok"]
    assert ["forced_at" in one for one in entries] == [True, True, False, False]
    assert tally.stopped == "$0.06 spent"


def test_a_batch_that_nobody_takes_is_one_line(claude):
    with pytest.raises(LoadError, match=r"not be handed in .*http_400.*run this"):
        claude.run(lambda *_: Reply({}, 400), tasks=2)
    with pytest.raises(LoadError, match=r"not be handed in .*the reply names none"):
        claude.run(lambda *_: Reply({"id": "../x"}), tasks=2)


def test_a_batch_that_is_out_of_reach_for_long_is_left_for_later(claude, monkeypatch):
    monkeypatch.setattr(batch, "_PATIENCE", 3)

    def script(number, sent):
        return Reply({}, 503) if sent.method == "GET" else Reply({"id": "b1"})

    with pytest.raises(LoadError, match="batch b1 cannot be reached"):
        claude.run(script)
    # three polls, each tried four times
    assert len(claude.sent) == 1 + 3 * 4


def test_what_names_a_product_in_a_batch_fits_the_service():
    assert custom_id_of("t001", "exact") == "t001-exact"
    for odd in ("t 1", "t" * 60, "t/1"):
        name = custom_id_of(odd, "equiv")
        assert name.endswith("-equiv")
        assert len(name) <= 64
        assert name.replace("-", "").isalnum()
    assert custom_id_of("t 1", "exact") != custom_id_of("t/1", "exact")
