"""Faults between a run and its endpoint: each has its state, its name and its count."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from llm_server import Reply, serve

from ingest.call_faults import ERROR_KINDS
from ingest.calls import Question, Settings
from ingest.journal import open_journal, read_journal
from ingest.llm import Model
from ingest.pace import Clocks
from ingest.purchase.collect import plan_purchase, purchase_settings, read_purchase
from ingest.retry import retry_after
from ingest.run_calls import Limits, run_calls
from pricebench.run_print import describe_tally

SKIP = '{"choice": "skip", "reason": "dear"}'
GOOD, MUTE = Reply(SKIP, extra={"usage": {"cost": 0.5}}), Reply("I would rather not")
HTML = {"Content-Type": "text/html"}
PAGE = b"<html><body>Just a moment</body></html>"
WHOLE_S, PASSING_S, SHORT_S = 20.0, 0.5, 0.15


def refused(status, **headers):
    body = json.dumps({"error": {"message": "not now", "type": "t"}}).encode()
    return Reply(status=status, body=body, headers=headers)


def told(body):
    return Reply(body=json.dumps(body).encode())


def choice(**fields):
    message = {"role": "assistant", "content": None}
    return Reply(extra={"choices": [{"index": 0, "message": message, **fields}]})


@dataclass
class Run:
    """Scenarios of the purchase bank without a label, each asked once."""

    folder: object
    size: int
    waits: list[float] = field(default_factory=list)
    clocks: Clocks = field(default_factory=Clocks)

    def ask(self, script, timeout_s=WHOLE_S, limits=None):
        """Play the endpoint: the number of the call and of its attempt, from 0."""
        self.seen = []
        plan = plan_purchase(
            purchase_settings("m/x"), labels=["none"], repeats=1, subset=self.size
        )
        numbers = {one.question.user: n for n, one in enumerate(plan.calls)}

        def answer(_, body):
            number = numbers[body["messages"][-1]["content"]]
            self.seen.append(number)
            return script(number, self.seen.count(number) - 1)

        async def sleep(seconds):
            self.waits.append(seconds)

        async def work(address):
            settings = replace(plan.settings, api_base=address)
            with open_journal(self.folder / "j.jsonl", plan.header) as journal:
                return await run_calls(
                    Model(settings, timeout_s=timeout_s, sleep=sleep),
                    plan.calls,
                    journal,
                    read_purchase,
                    names=plan.names,
                    facts=plan.facts,
                    limits=limits or Limits(concurrency=4),
                    clocks=self.clocks,
                )

        with serve(answer) as server:
            return asyncio.run(work(server.address))

    def records(self):
        data = (self.folder / "j.jsonl").read_bytes()
        found = [one for _, one in read_journal(data, "j").records]
        return sorted(found, key=lambda one: one["scenario_id"])


@pytest.fixture(scope="module", autouse=True)
def _warm():
    """Ask once: the first call loads much, which no short limit should count."""
    with serve(lambda *_: GOOD) as server:
        model = Model(Settings("m/x", api_base=server.address))
        assert asyncio.run(model.ask(Question("q"))).text == SKIP


# what comes -> kind of error, status that stands in the record, attempts
FAULTS = {
    "429 for ever": (refused(429), "rate_limited", 429, 4),
    "a hang": (Reply(fault="hang"), "timeout", None, 4),
    "a slow drip": (Reply(fault="drip"), "timeout", None, 4),
    "a gateway that waited": (refused(504), "timeout", 504, 4),
    "408": (refused(408), "timeout", 408, 4),
    "a reset": (Reply(fault="reset"), "connection", None, 4),
    "half a body": (Reply(fault="half"), "cut_off", None, 4),
    "a length too large": (Reply(fault="length"), "cut_off", None, 4),
    "a page called JSON": (Reply(body=PAGE), "not_json", None, 4),
    "a page": (Reply(body=PAGE, headers=HTML), "not_json", None, 4),
    "nothing under 200": (Reply(body=b""), "not_json", None, 4),
    "bytes of no text": (Reply(body=b"\xff\xfe{}x"), "not_json", None, 4),
    "an error under 200": (
        *(told({"error": {"message": "overloaded"}}), "provider_error", None, 4),
    ),
    "an error of 502 under 200": (
        *(told({"error": {"message": "x", "code": 502}}), "provider_error", None, 4),
    ),
    "a bad request under 200": (
        *(told({"error": {"message": "x", "code": 400}}), "provider_error", None, 1),
    ),
    "an error in its choice": (
        *(choice(finish_reason="error", error={"message": "x", "code": 502}),),
        *("provider_error", None, 4),
    ),
    "no choices": (Reply(extra={"choices": []}), "provider_error", None, 4),
    "choices of null": (Reply(extra={"choices": None}), "provider_error", None, 4),
    "a list": (told([]), "provider_error", None, 4),
    "500": (refused(500), "server_error", 500, 4),
    "a page under 502": (
        *(Reply(status=502, body=PAGE, headers=HTML), "server_error", 502, 4),
    ),
    "529": (refused(529), "server_error", 529, 4),
    "409": (refused(409), "server_error", 409, 4),
    "a bad request": (refused(400), "refused", 400, 1),
    "too large": (refused(413), "refused", 413, 1),
    "moved": (refused(302), "refused", 302, 1),
}
SLOW = ("a hang", "a slow drip")


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_has_its_state_its_name_and_its_count(tmp_path, name):
    fault, kind, status, attempts = FAULTS[name]
    run = Run(tmp_path, 2)
    tally = run.ask(
        lambda number, _: fault if number else GOOD,
        SHORT_S if name in SLOW else WHOLE_S,
    )
    # two calls, of which the second fails: one answered, one left
    assert (tally.wanted, tally.asked, tally.left) == (2, 2, 1)
    assert (tally.states, tally.errors) == ({"json": 1, "failed": 1}, {kind: 1})
    # a call that failed costs nothing and has no cost that nobody knows
    assert (tally.spent_usd, tally.unpriced) == (0.5, 0)
    assert sorted(run.seen) == [0] + [1] * attempts
    assert len(run.waits) == attempts - 1
    good, failed = run.records()
    assert (good["reply_state"], good["error_kind"]) == ("json", None)
    assert (failed["reply_state"], failed["error_kind"]) == ("failed", kind)
    assert failed["reply"] is None
    assert failed["error"].startswith(f"{kind}: ")
    assert "\n" not in failed["error"]
    each = [(one["error_kind"], one.get("status")) for one in failed["attempts"]]
    assert each == [(kind, status)] * attempts
    # asked again by the next session, and the good one not; a fault that passes costs
    # an attempt and no answer
    passes = attempts > 1
    again = run.ask(
        lambda _, attempt: fault if passes and not attempt else GOOD,
        PASSING_S if name in SLOW else WHOLE_S,
    )
    assert (again.done_before, again.left, again.errors) == (1, 0, {})
    assert run.seen == [1] * (1 + passes)
    *_, record = run.records()
    assert (record["reply_state"], record["error_kind"]) == ("json", None)
    each = [one.get("error_kind") for one in record["attempts"]]
    assert each == [*([kind] * passes), None]


def test_every_kind_of_error_has_a_fault():
    assert {kind for _, kind, _, _ in FAULTS.values()} == set(ERROR_KINDS)


def test_an_endpoint_that_is_not_there_is_a_fault_of_the_connection():
    async def no_wait(_):
        return None

    # nobody listens on port 1
    settings = Settings("m/x", api_base="http://127.0.0.1:1/v1")
    answer = asyncio.run(Model(settings, sleep=no_wait).ask(Question("q")))
    assert (answer.error_kind, len(answer.attempts)) == ("connection", 4)


def test_a_length_too_small_is_no_reply(tmp_path):
    run = Run(tmp_path, 1)
    tally = run.ask(lambda *_: Reply(SKIP, fault="short"))
    assert (tally.states, tally.left) == ({"failed": 1}, 1)
    # what follows the body may be there when its end is seen, or when the next begins
    (kind,) = tally.errors
    assert kind in ("not_json", "connection")
    assert len(run.records()[0]["attempts"]) == 4


def test_a_storm_of_429_that_passes_loses_no_call(tmp_path):
    run = Run(tmp_path, 12)
    tally = run.ask(
        lambda _, attempt: (
            GOOD if attempt == 3 else refused(429, **{"Retry-After": "7"})
        ),
        limits=Limits(concurrency=8),
    )
    # each of 24 calls is refused three times, and waits as long as it is told
    assert (tally.states, tally.errors, tally.left) == ({"json": 12}, {}, 0)
    assert len(run.seen) == 12 * 4
    assert run.waits == [7.0] * 12 * 3


def test_a_storm_of_429_that_stays_fails_every_call_and_none_for_ever(tmp_path):
    run = Run(tmp_path, 12)
    tally = run.ask(lambda *_: refused(429), limits=Limits(concurrency=8))
    assert (tally.states, tally.left) == ({"failed": 12}, 12)
    assert tally.errors == {"rate_limited": 12}
    assert len(run.seen) == 12 * 4


def test_a_run_of_mixed_faults_accounts_for_every_call(tmp_path):
    run = Run(tmp_path, 20)
    failing = {
        **{1: "429 for ever", 4: "a reset", 5: "half a body", 8: "a page"},
        **{9: "an error under 200", 12: "500", 13: "too large", 16: "429 for ever"},
        **{17: "a length too large", 18: "an error in its choice"},
    }
    invalid = {2, 6, 10}

    def script(number, _):
        if number in failing:
            return FAULTS[failing[number]][0]
        return MUTE if number in invalid else GOOD

    tally = run.ask(script)
    # 20 wanted, 10 of them fail and 3 say nothing: 7 are answered
    assert tally.states == {"json": 7, "invalid": 3, "failed": 10}
    assert sum(tally.states.values()) == tally.wanted == len(run.records()) == 20
    assert tally.errors == {
        **{"rate_limited": 2, "cut_off": 2, "provider_error": 2},
        **{"connection": 1, "not_json": 1, "server_error": 1, "refused": 1},
    }
    states = [one["reply_state"] for one in run.records()]
    wanted = {**dict.fromkeys(failing, "failed"), **dict.fromkeys(invalid, "invalid")}
    assert states == [wanted.get(number, "json") for number in range(20)]
    # 7 at half a dollar; what nobody could read has a cost that nobody knows
    assert (tally.spent_usd, tally.unpriced) == (3.5, 3)
    line = describe_tally(tally)
    assert line.startswith(
        "10 of 20 answered; of 20 asked now 10 failed (2 cut_off, 2 provider_error, "
        "2 rate_limited, 1 connection, 1 not_json, 1 refused, 1 server_error) and "
        "3 invalid; "
    )


def test_a_clock_that_jumps_moves_dates_and_nothing_else(tmp_path):
    start = datetime(2026, 11, 30, 12, tzinfo=UTC)
    # forward a day, back a week, on again
    jumps = [timedelta(0), timedelta(days=1), timedelta(days=-7), timedelta(hours=1)]
    shown, paced, seconds = iter(jumps), [], [100.0]

    async def sleep(wait):
        paced.append(round(wait, 6))
        seconds[0] += wait

    clocks = Clocks(lambda: start + next(shown), lambda: seconds[0], sleep)
    run = Run(tmp_path, 4, clocks=clocks)
    busy = refused(503, **{"Retry-After": "2"})
    tally = run.ask(
        lambda number, attempt: busy if number == 1 and not attempt else GOOD,
        limits=Limits(concurrency=1, per_minute=30.0),
    )
    assert (tally.states, tally.left) == ({"json": 4}, 0)
    # the order of the plan, and two seconds from one call to the next
    assert run.seen == [0, 1, 1, 2, 3]
    assert (paced, run.waits) == ([0.0, 2.0, 2.0, 2.0], [2.0])
    dates = [one["asked_at"][:13] for one in run.records()]
    assert dates == ["2026-11-30T12", "2026-12-01T12", "2026-11-23T12", "2026-11-30T13"]
    latencies = [a["latency_s"] for one in run.records() for a in one["attempts"]]
    assert all(0 <= one < WHOLE_S for one in latencies)


def test_a_date_to_wait_for_is_counted_from_the_date_of_the_response():
    # our own clock may be days off
    headers = {
        "date": "Mon, 30 Nov 2020 12:00:00 GMT",
        "retry-after": "Mon, 30 Nov 2020 12:00:09 GMT",
    }
    assert retry_after(headers) == 9.0
    # without one the time here is all there is, and the date has long passed
    assert retry_after({"retry-after": headers["retry-after"]}) == 0.0
    assert retry_after({"retry-after": "soon"}) is None
