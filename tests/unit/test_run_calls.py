"""A run: resumed, bounded, within its budget, each call written once."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from llm_server import Reply, serve

from ingest.calls import Settings
from ingest.errors import LoadError
from ingest.journal import open_journal, read_journal
from ingest.llm import Model, SetupRefused
from ingest.purchase.collect import (
    plan_pilot,
    plan_purchase,
    purchase_settings,
    read_purchase,
)
from ingest.run_calls import Limits, open_calls, run_calls

SKIP = '{"choice": "skip", "reason": "dear"}'
PRICED = {"usage": {"cost": 0.5}}


class Run:
    """A purchase run of four scenarios without a label, asked once: four calls."""

    def __init__(self, tmp_path):
        self.path = tmp_path / "journal.jsonl"
        self.waits: list[float] = []

    def ask(self, script, limits=None, *, settings=None, subset=4, repeats=1):
        async def sleep(seconds):
            self.waits.append(seconds)

        async def work(address):
            wanted = settings or purchase_settings("m/x")
            plan = plan_purchase(
                wanted, labels=["none"], repeats=repeats, subset=subset
            )
            real = Settings(**{**wanted.as_json(), "api_base": address})
            with open_journal(self.path, plan.header) as journal:
                return await run_calls(
                    Model(real, timeout_s=20, sleep=sleep),
                    plan.calls,
                    journal,
                    read_purchase,
                    names=plan.names,
                    facts=plan.facts,
                    limits=limits or Limits(),
                )

        with serve(script) as server:
            try:
                return asyncio.run(work(server.address))
            finally:
                self.requests = server.requests

    def records(self):
        return [one for _, one in read_journal(self.path.read_bytes(), "j").records]


def answers(text=SKIP, **more):
    return lambda *_: Reply(text, **more)


def test_every_call_is_asked_once_and_written_with_all_that_is_known(tmp_path):
    run = Run(tmp_path)
    tally = run.ask(answers(extra=PRICED))
    assert (tally.wanted, tally.asked, tally.states) == (4, 4, {"json": 4})
    assert (tally.spent_usd, tally.unpriced, tally.left) == (2.0, 0, 0)
    records = run.records()
    keys = {(one["scenario_id"], one["label"], one["repeat"]) for one in records}
    assert keys == {(f"O8-8008-00{n}", "none", 0) for n in range(4)}
    first = records[0]
    assert first["choice"] == "skip"
    assert first["reply"] == SKIP
    assert first["cost_source"] == "endpoint"
    hashes = ("bank_sha256", "prompt_sha256", "settings_sha256")
    assert all(len(first[name]) == 64 for name in hashes)
    assert len(first["attempts"]) == 1


def test_a_second_session_asks_only_what_has_no_reply(tmp_path):
    run = Run(tmp_path)
    run.ask(answers(extra=PRICED), subset=2)
    tally = run.ask(answers(extra=PRICED))
    assert (tally.done_before, tally.asked, len(run.requests)) == (2, 2, 2)
    # two dollars in all, of which one was spent before
    assert tally.spent_usd == 2.0
    again = run.ask(answers())
    assert (again.done_before, again.asked, len(run.requests)) == (4, 0, 0)
    assert len(run.records()) == 4


def test_an_invalid_reply_is_done_and_a_failed_call_is_asked_again(tmp_path):
    run = Run(tmp_path)

    def script(number, _):
        busy = Reply(status=503, body=b"{}")
        return busy if 1 <= number <= 4 else Reply("I would rather not")

    tally = run.ask(script, Limits(concurrency=1))
    # one call takes all four attempts of the busy time
    assert tally.states == {"invalid": 3, "failed": 1}
    assert (tally.left, len(run.waits)) == (1, 3)
    tally = run.ask(answers())
    assert (tally.done_before, tally.asked, tally.left) == (3, 1, 0)
    # the failed record stays; the last one of a call counts
    assert len(run.records()) == 5


def test_nothing_begins_once_the_budget_is_spent(tmp_path):
    run = Run(tmp_path)
    limits = Limits(concurrency=3, max_usd=2.0)
    tally = run.ask(answers(extra=PRICED), limits, subset=40)
    # four calls of 50 cents reach it; the first runs alone, then three are in flight
    assert 4 <= len(run.requests) <= 4 + 2
    assert tally.stopped == "$2 spent"
    assert len(run.records()) == len(run.requests)
    again = run.ask(answers(extra=PRICED), limits, subset=40)
    # what an earlier session spent counts
    assert (again.asked, len(run.requests)) == (0, 0)


def test_a_budget_without_a_price_is_refused_after_one_call(tmp_path):
    run = Run(tmp_path)
    with pytest.raises(LoadError, match="nobody knows what m/x costs"):
        run.ask(answers(), Limits(max_usd=1.0))
    assert len(run.requests) == len(run.records()) == 1


def test_a_wrong_key_costs_one_call_and_no_record(tmp_path):
    run = Run(tmp_path)
    with pytest.raises(SetupRefused):
        run.ask(answers(status=401, body=b'{"error": {"message": "bad key"}}'))
    assert (len(run.requests), run.records()) == (1, [])


def test_a_key_that_is_taken_back_midway_keeps_what_was_answered(tmp_path):
    run = Run(tmp_path)

    def script(number, _):
        gone = Reply(status=401, body=b'{"error": {"message": "expired"}}')
        return gone if number >= 2 else Reply(SKIP)

    with pytest.raises(SetupRefused, match="status 401"):
        run.ask(script, Limits(concurrency=2))
    assert len(run.records()) == 2


def test_calls_in_flight_never_exceed_the_concurrency(tmp_path):
    run, now, most = Run(tmp_path), [0], [0]

    def script(number, _):
        return Reply(SKIP)

    real = Model.ask

    async def ask(self, question):
        now[0] += 1
        most[0] = max(most[0], now[0])
        try:
            return await real(self, question)
        finally:
            now[0] -= 1

    Model.ask = ask
    try:
        run.ask(script, Limits(concurrency=3), subset=12)
    finally:
        Model.ask = real
    assert most[0] == 3


def test_a_pace_is_kept(tmp_path):
    run, begun = Run(tmp_path), []

    def script(*_):
        begun.append(time.monotonic())
        return Reply(SKIP)

    tally = run.ask(script, Limits(concurrency=4, per_minute=600.0), subset=6)
    assert tally.asked == 6
    # a tenth of a second apart: from the second call to the sixth 0.4 s, of which a
    # late arrival of the second may take some
    assert begun[-1] - begun[1] > 0.3


def test_the_journal_of_other_settings_is_refused(tmp_path):
    run = Run(tmp_path)
    run.ask(answers())
    with pytest.raises(LoadError, match="journal of another run"):
        run.ask(answers(), settings=purchase_settings("m/x", reasoning="high"))


def test_a_plan_asks_label_by_label_in_the_published_order():
    plan = plan_purchase(purchase_settings("m/x"))
    # 48 scenarios x 4 labels x 3 repeats
    assert len(plan.calls) == 576
    keys = [tuple(call.key.values()) for call in plan.calls]
    assert keys[:4] == [
        ("O8-8008-000", "none", 0),
        ("O8-8008-000", "none", 1),
        ("O8-8008-000", "none", 2),
        ("O8-8008-001", "none", 0),
    ]
    assert [key[1] for key in keys[::144]] == ["none", "A", "D", "B"]
    assert plan.run_id.startswith("collected/m/x/")
    assert len(plan_pilot(purchase_settings("m/x")).calls) == 16


def test_everything_that_decides_an_answer_makes_another_run():
    base = plan_purchase(purchase_settings("m/x"), subset=1)
    others = [
        {"temperature": 0.0},
        {"reasoning": "high"},
        {"max_tokens": 100},
        {"route": "cheapest"},
        {"api_base": "http://127.0.0.1:1/v1"},
        {"seed": 1},
    ]
    ids = {plan_purchase(purchase_settings("m/x", **one)).run_id for one in others}
    assert len(ids | {base.run_id}) == len(others) + 1
    scripted = plan_purchase(purchase_settings("simulated/rational"), subset=1)
    assert scripted.source == "simulated"
    assert scripted.run_id.startswith("simulated/rational/")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"labels": ["C"]}, "label: no 'C'"),
        ({"repeats": 0}, "repeats: 0"),
        ({"subset": 49}, "subset: 49; the bank has 48"),
        ({"subset": 0}, "subset: 0"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(given, reason):
    with pytest.raises(LoadError, match=reason):
        plan_purchase(purchase_settings("m/x"), **given)


def test_open_calls_are_those_without_a_reply(tmp_path):
    plan = plan_purchase(purchase_settings("m/x"), labels=["none"], subset=3, repeats=1)
    done = {**plan.calls[0].key, "reply_state": "json"}
    failed = {**plan.calls[1].key, "reply_state": "failed"}
    text = [{"schema": "pricebench/journal/1", **plan.header}, done, failed]
    path = tmp_path / "j.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in text))
    with open_journal(path, plan.header) as journal:
        left = open_calls(plan.calls, journal, plan.names)
    assert [call.key for call in left] == [plan.calls[1].key, plan.calls[2].key]


def test_repeats_of_a_question_share_its_text():
    plan = plan_purchase(purchase_settings("m/x"), subset=2, repeats=5)
    # 2 scenarios under 4 labels, 5 times each
    assert len(plan.calls) == 40
    assert len({id(call.question) for call in plan.calls}) == 8
