"""Replies are kept by what decides them, and a kept one is not asked again."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import sqlite3
from contextlib import nullcontext
from dataclasses import replace

import pytest
from llm_server import Reply, serve

from ingest.calls import Answer, Attempt, Question, Settings
from ingest.errors import LoadError
from ingest.journal import open_journal, read_journal
from ingest.llm import Model
from ingest.purchase.collect import plan_purchase, purchase_settings, read_purchase
from ingest.response_cache import cache_key, open_cache
from ingest.run_calls import Limits, run_calls

SETTINGS = Settings(model="acme/x")
QUESTION = Question(
    user="which?", system="choose", schema=("choice", {"type": "object"})
)
ANSWER = Answer(
    text='{"choice": "A"}',
    finish="stop",
    provider="there",
    model_served="x-1",
    prompt_tokens=10,
    completion_tokens=2,
    cost_usd=0.25,
    cost_source="endpoint",
    first_tokens={"A": -0.25},
    latency_s=1.5,
    attempts=(Attempt(0.5, "reset"), Attempt(1.5)),
    not_accepted=("seed",),
)

# one change each of everything that decides an answer
OTHER_SETTINGS = [
    {"model": "acme/y"},
    {"api_base": "http://localhost:1/v1"},
    {"temperature": 0.0},
    {"top_p": 1.0},
    {"seed": 0},
    {"max_tokens": 17},
    {"reasoning": "low"},
    {"route": "cheapest"},
    {"logprobs": True},
]
OTHER_QUESTIONS = [
    {"user": "which? "},
    {"system": None},
    {"schema": None},
    {"schema": ("choice", {"type": "string"})},
]


@pytest.mark.parametrize("change", OTHER_SETTINGS, ids=lambda one: next(iter(one)))
def test_other_settings_are_another_key(change):
    assert set(change) <= set(SETTINGS.as_json())
    other = replace(SETTINGS, **change)
    assert cache_key(other, QUESTION, 0) != cache_key(SETTINGS, QUESTION, 0)


def test_no_setting_is_left_out_of_the_list_above():
    assert {next(iter(one)) for one in OTHER_SETTINGS} == set(SETTINGS.as_json())


@pytest.mark.parametrize("change", OTHER_QUESTIONS)
def test_another_question_is_another_key(change):
    other = replace(QUESTION, **change)
    assert cache_key(SETTINGS, other, 0) != cache_key(SETTINGS, QUESTION, 0)


def test_another_repeat_is_another_key():
    keys = {cache_key(SETTINGS, QUESTION, repeat) for repeat in range(3)}
    assert len(keys) == 3


def test_a_kept_reply_comes_back_as_it_was_but_for_its_attempts(tmp_path):
    with open_cache(tmp_path / "c.sqlite") as cache:
        assert cache.find("k") is None
        cache.keep("k", ANSWER)
    with open_cache(tmp_path / "c.sqlite") as cache:
        assert cache.find("k") == replace(ANSWER, attempts=(), cached=True)


def test_a_failed_call_is_not_kept(tmp_path):
    with open_cache(tmp_path / "c.sqlite") as cache:
        cache.keep("k", Answer(None, error="reset"))
        assert cache.find("k") is None


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b"\x00" * 5000])
def test_a_file_that_is_no_cache_is_an_error_of_one_line(tmp_path, damage):
    path = tmp_path / "c.sqlite"
    path.write_bytes(damage)
    said = r"c\.sqlite cannot be used .*--no-cache"
    with pytest.raises(LoadError, match=said), open_cache(path) as cache:
        cache.find("k")


def test_a_reply_that_another_version_kept_is_an_error_of_one_line(tmp_path):
    path = tmp_path / "c.sqlite"
    with open_cache(path):
        pass
    with sqlite3.connect(path) as connection:
        connection.execute("insert into reply values ('k', '{\"words\": 1}')")
    with open_cache(path) as cache, pytest.raises(LoadError, match="delete it"):
        cache.find("k")


def _keep_hundred(path, first):
    with open_cache(path) as cache:
        for number in range(first, first + 100):
            cache.keep(str(number), ANSWER)


def test_two_processes_may_share_a_cache(tmp_path):
    path = tmp_path / "c.sqlite"
    work = multiprocessing.get_context("fork")
    both = [work.Process(target=_keep_hundred, args=(path, n)) for n in (0, 100)]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
    assert [one.exitcode for one in both] == [0, 0]
    with open_cache(path) as cache:
        assert all(cache.find(str(number)) for number in range(200))


class Runs:
    """Runs of four purchase questions at one endpoint, a journal for each."""

    def __init__(self, folder, server):
        self.folder, self.server = folder, server

    def ask(self, name, *, repeats=1, cached=True, limits=None):
        """Return the tally, the records and how many requests came."""
        before = len(self.server.requests)
        settings = purchase_settings("m/x", api_base=self.server.address)
        plan = plan_purchase(settings, labels=["none"], repeats=repeats, subset=4)
        path = self.folder / f"{name}.jsonl"
        opened = open_cache(self.folder / "c.sqlite") if cached else nullcontext()
        with open_journal(path, plan.header) as journal, opened as cache:
            tally = asyncio.run(
                run_calls(
                    Model(settings),
                    plan.calls,
                    journal,
                    read_purchase,
                    names=plan.names,
                    facts=plan.facts,
                    limits=limits or Limits(),
                    cache=cache,
                )
            )
        records = [one for _, one in read_journal(path.read_bytes(), name).records]
        return tally, records, len(self.server.requests) - before


def numbered(number, _):
    """Reply with a text of its own to each request, at half a dollar."""
    text = json.dumps({"choice": "skip", "reason": f"reply {number}"})
    return Reply(text, extra={"usage": {"cost": 0.5}})


def test_a_second_run_of_the_same_questions_sends_nothing(tmp_path):
    with serve(numbered) as server:
        runs = Runs(tmp_path, server)
        first, said, sent = runs.ask("first")
        assert (first.cached, first.spent_usd, sent) == (0, 2.0, 4)
        second, again, sent = runs.ask("second")
    assert (second.asked, second.cached, second.left, sent) == (4, 4, 0, 0)
    # what it cost once is known of every reply; this run spent nothing
    assert [one["cost_usd"] for one in again] == [0.5] * 4
    assert second.spent_usd == 0.0
    replies = {one["scenario_id"]: one["reply"] for one in said}
    assert {one["scenario_id"]: one["reply"] for one in again} == replies
    assert {one["cached"] for one in said} == {False}
    assert {one["cached"] for one in again} == {True}
    assert {len(one["attempts"]) for one in again} == {0}


def test_more_repeats_ask_only_the_new_ones(tmp_path):
    with serve(numbered) as server:
        runs = Runs(tmp_path, server)
        runs.ask("one")
        tally, records, sent = runs.ask("three", repeats=3)
    # 4 scenarios x 3 repeats, of which the first repeat was paid for
    assert (tally.asked, tally.cached, sent) == (12, 4, 8)
    assert len({one["reply"] for one in records}) == 12


def test_without_the_cache_everything_is_asked(tmp_path):
    with serve(numbered) as server:
        runs = Runs(tmp_path, server)
        runs.ask("first")
        tally, _, sent = runs.ask("second", cached=False)
    assert (tally.cached, sent) == (0, 4)


def test_a_resumed_run_counts_no_cached_reply_as_spent(tmp_path):
    with serve(numbered) as server:
        runs = Runs(tmp_path, server)
        runs.ask("first")
        runs.ask("second")
        tally, _, sent = runs.ask("second")
    assert (tally.done_before, tally.spent_usd, sent) == (4, 0.0, 0)


def test_a_budget_that_is_spent_begins_no_call_and_cached_ones_cost_nothing(tmp_path):
    with serve(numbered) as server:
        runs = Runs(tmp_path, server)
        runs.ask("one")
        # each scenario's first repeat is free and its second $0.50: $1.00 ends it
        # after two scenarios
        limits = Limits(concurrency=1, max_usd=1.0)
        tally, records, sent = runs.ask("two", repeats=2, limits=limits)
    assert (tally.cached, tally.spent_usd, sent) == (2, 1.0, 2)
    assert len(records) == 4
    assert tally.stopped == "$1 spent"


def test_a_failed_call_is_asked_again_and_its_reply_then_kept(tmp_path):
    with serve(
        lambda number, body: (
            Reply("no", status=418) if number < 4 else numbered(number, body)
        )
    ) as server:
        runs = Runs(tmp_path, server)
        failed, _, _ = runs.ask("first")
        assert (failed.failed, failed.left) == (4, 4)
        mended, _, sent = runs.ask("second")
        assert (mended.failed, mended.cached, sent) == (0, 0, 4)
        again, _, sent = runs.ask("third")
    assert (again.cached, sent) == (4, 0)
