"""What a hotel run asks, what tells runs apart, and how a journal is read back."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from ingest.errors import LoadError
from ingest.hotel.asked_bank import drawn_bank, kind_of_file, read_bank
from ingest.hotel.collect import (
    hotel_settings,
    plan_hotel,
    plan_pilot,
    read_choice,
    read_hotel,
    spread,
)
from ingest.hotel.prompt import make_prompt
from ingest.hotel.read_answers import BankTasks
from ingest.hotel.read_journal import journal_bank, read_journal_run
from ingest.journal import read_journal
from ingest.parsed_file import FileId

# 24 tasks: 3 pairs four times, then 2 triples six times
BANK = drawn_bank("conjoint", size=24)
TYPES = BankTasks(BANK.sha256, {one.task_id: one.task_type for one in BANK.tasks})
MODEL = "maker/x"


def plan(variant="base", bank=BANK, model=MODEL, given=None, **more):
    settings = hotel_settings(model, variant, **(given or {}))
    return plan_hotel(settings, bank, variant=variant, **more)


@pytest.mark.parametrize(
    ("variant", "wanted"),
    [
        # hotel.md 1.3, 1.6, 1.7
        ("base", (0.0, 1.0, 16, True)),
        ("json", (0.0, 1.0, 16, True)),
        ("temp07", (0.7, 0.95, 16, True)),
        ("cot", (0.0, 1.0, 512, False)),
        ("fiveopt", (0.0, 1.0, 16, True)),
    ],
)
def test_settings_are_those_of_the_protocol(variant, wanted):
    found = hotel_settings(MODEL, variant)
    sent = (found.temperature, found.top_p, found.max_tokens, found.logprobs)
    assert sent == wanted
    assert (found.reasoning, found.seed) == (None, None)


def test_what_is_given_takes_the_place_of_the_protocol():
    found = hotel_settings(MODEL, temperature=0.3, reasoning="low", max_tokens=None)
    assert (found.temperature, found.reasoning, found.max_tokens) == (0.3, "low", 16)
    assert hotel_settings(MODEL, temperature="default").temperature is None


def test_every_task_is_asked_in_both_orders():
    calls = plan().calls
    keys = [tuple(call.key.values()) for call in calls]
    assert keys[:3] == [(1, "original", 1), (1, "swapped", 1), (2, "original", 1)]
    assert len(set(keys)) == len(keys) == 2 * 24
    assert calls[1].question.user == make_prompt(BANK.tasks[0], "swapped")
    assert len(plan(repeats=3).calls) == 3 * 2 * 24


@pytest.mark.parametrize(
    ("variant", "subset", "tasks"),
    [
        ("base", None, 24),
        # the first, and the first two, of four draws of 3 pairs
        ("base", "r1", 3),
        ("base", "r2", 6),
        ("base", "10", 10),
        # published variants ask about pairs alone: 3 of them four times
        ("json", None, 12),
        ("temp07", "r1", 3),
        ("cot", "5", 5),
    ],
)
def test_a_variant_and_a_subset_say_which_tasks(variant, subset, tasks):
    asked = {call.key["task_id"] for call in plan(variant, subset=subset).calls}
    assert len(asked) == tasks


def test_r1_and_r2_go_by_the_draw_of_a_pair():
    asked = {call.key["task_id"] for call in plan(subset="r2").calls}
    # hotel.md 0.1: 1, 2, 5, 6, 9, 10 …
    assert asked == {1, 2, 5, 6, 9, 10}


def test_a_number_of_tasks_is_spread_over_all_of_them():
    # every third of nine
    assert spread("abcdefghi", 3) == ["a", "d", "g"]
    assert spread("abc", 3) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"subset": "0"}, "subset: 0; give r1 or r2, or a number of tasks from 1 to"),
        ({"subset": "25"}, "from 1 to 24"),
        ({"subset": "r3"}, "subset: r3"),
        ({"subset": "\u0663"}, "subset"),
        ({"repeats": 0}, "repeats: 0"),
        ({"variant": "haiku"}, "variant: no 'haiku'; one of base, json"),
        ({"variant": "fiveopt"}, "of kind fiveopt, not conjoint"),
    ],
)
def test_what_cannot_be_asked_is_refused(change, reason):
    with pytest.raises(LoadError, match=reason):
        plan(**change)


def test_five_options_have_a_bank_of_their_own():
    quintets = drawn_bank("fiveopt", size=5)
    asked = plan("fiveopt", quintets)
    assert len(asked.calls) == 10
    with pytest.raises(LoadError, match="of kind conjoint, not fiveopt"):
        plan(bank=quintets)
    with pytest.raises(LoadError, match="two options are wanted"):
        plan("fiveopt", quintets, subset="r1")


def test_what_decides_the_answers_tells_runs_apart():
    base = plan()
    assert base.bank_sha256 == hashlib.sha256(BANK.content).hexdigest()
    assert base.run_id.startswith("collected/maker/x/")
    # a part of it, or more of it, is the same run
    assert plan(subset="3").run_id == plan(repeats=2).run_id == base.run_id
    warm = plan(given={"temperature": 0.7})
    others = {one.run_id for one in (base, plan("json"), plan("temp07"), warm)}
    assert len(others) == 4
    # variants are compared within a study, so they share its prompt
    assert plan("json").prompt_sha256 == base.prompt_sha256
    assert plan("json").run_id.startswith("collected/maker/x/json/")


def test_a_model_called_simulated_is_a_script():
    script = plan(model="simulated/thrifty")
    assert script.source == script.header["protocol"] == "simulated"


def test_settings_other_than_the_protocols_are_another_protocol():
    assert plan().protocol == plan("temp07").protocol == "pricebench"
    warm = plan(given={"temperature": 0.7, "reasoning": "low"})
    assert warm.header["protocol"] == "pricebench, temperature 0.7, reasoning low"
    # what the provider sets is named as it is typed
    free = plan(given={"temperature": "default", "route": "cheapest"})
    assert free.protocol == "pricebench, temperature default"
    script = plan(model="simulated/thrifty", given={"temperature": 1.0})
    assert script.protocol == "simulated, temperature 1.0"


def test_a_pilot_is_a_small_part_of_the_run():
    whole = plan(repeats=2)
    pilot = plan_pilot(whole)
    keys = [tuple(call.key.values()) for call in pilot.calls]
    assert pilot.run_id == whole.run_id
    assert len(keys) == 16
    assert all(call in whole.calls for call in pilot.calls)
    types = {TYPES.task_types[task_id] for task_id, _, _ in keys}
    assert types == {"binary", "ternary"}
    assert {repeat for _, _, repeat in keys} == {1}
    assert len(plan_pilot(plan(subset="3")).calls) == 6


def test_a_bank_that_was_written_is_read_as_it_was(tmp_path):
    path = tmp_path / "conjoint_tasks.csv"
    path.write_bytes(BANK.content)
    for given in (path, tmp_path):
        read = read_bank(given, "conjoint")
        assert (read.tasks, read.sha256) == (BANK.tasks, BANK.sha256)
        assert not read.is_drawn
    assert kind_of_file(BANK.content) == "conjoint"
    quintets = drawn_bank("fiveopt", size=3)
    (tmp_path / "five.csv").write_bytes(quintets.content)
    read = read_bank(tmp_path / "five.csv", "fiveopt")
    assert read.tasks == quintets.tasks


@pytest.mark.parametrize(
    ("change", "kind", "reason"),
    [
        (None, "conjoint", "cannot be read"),
        ((b"", b""), "fiveopt", "is of kind conjoint, and fiveopt is asked for"),
        ((b"binary", b"quaternary"), "conjoint", "line 2, task_type"),
        ((b",Free WiFi", b",9,Free WiFi"), "conjoint", "mend it"),
    ],
)
def test_a_bank_that_cannot_be_asked_about_is_refused(tmp_path, change, kind, reason):
    path = tmp_path / "tasks.csv"
    if change is not None:
        path.write_bytes(BANK.content.replace(*change, 1))
    with pytest.raises(LoadError, match=reason):
        read_bank(path, kind)


@pytest.mark.parametrize(
    ("text", "task_type", "ordering", "variant", "state", "choice", "published"),
    [
        ("A", "binary", "original", "base", "letter", "A", "A"),
        # the first card of the swapped order is option B, of three option C
        ("A", "binary", "swapped", "base", "letter", "B", "B"),
        ("A", "ternary", "swapped", "base", "letter", "C", "C"),
        ("b", "ternary", "swapped", "base", "letter", "B", "B"),
        ("A", "fiveopt", "swapped", "fiveopt", "letter", "E", "E"),
        # hotel.md 1.4: the leftmost letter, although the reply takes the other
        (
            *("Option A is cheaper, I take B", "binary", "original", "base"),
            *("invalid", None, "A"),
        ),
        (
            *("A is dear, B has stars.\nFinal answer: B", "binary", "swapped", "cot"),
            *("letter", "A", "A"),
        ),
        ("no", "binary", "original", "base", "invalid", None, None),
    ],
)
def test_a_reply_is_read_both_ways_as_an_option_of_its_task(
    text, task_type, ordering, variant, state, choice, published
):
    assert read_choice(text, task_type, ordering, variant) == {
        "reply_state": state,
        "choice": choice,
        "published_choice": published,
    }


FACTS = {
    "provider": "Host",
    "model_id_served": "maker/x-2",
    "prompt_tokens": 200,
    "completion_tokens": 1,
    "cost_usd": 0.0001,
    "latency_s": 0.5,
    "first_tokens": {"A": -0.1},
    "asked_at": "2026-11-30T10:00:00+00:00",
}


def record(task_id, ordering="original", reply="A", **more):
    asked = {"task_id": task_id, "ordering": ordering, "repeat": 1}
    return {**asked, "reply_state": "letter", "reply": reply, **FACTS, **more}


def journal(*lines, header=None):
    first = {"schema": "pricebench/journal/1", **plan().header, **(header or {})}
    texts = [one if isinstance(one, str) else json.dumps(one) for one in lines]
    data = "\n".join([json.dumps(first), *texts, ""]).encode()
    text = read_journal(data, "j")
    return read_journal_run(FileId("j", "0" * 64, BANK.sha256), text, TYPES)


def test_a_journal_gives_answers_numbered_as_a_release_numbers_them():
    read = journal(record(1), record(1, "swapped", "Option A is cheaper, I take B"))
    first, second = read.answers.table.to_pylist()
    assert (first["task_id"], first["id_offset"], first["bank_task_id"]) == (1, 0, 1)
    assert (second["task_id"], second["id_offset"]) == (10_001, 10_000)
    assert (first["choice"], first["published_choice"]) == ("A", "A")
    assert (second["choice"], second["published_choice"]) == (None, "B")
    assert [first["reply_state"], second["reply_state"]] == ["letter", "invalid"]
    assert first["cost_usd"] == Decimal("0.0001")
    assert (first["provider"], first["secs"]) == ("Host", 0.5)
    assert json.loads(first["first_tokens"]) == {"A": -0.1}
    assert [first["_source_row"], second["_source_row"]] == [2, 3]


def test_a_failed_call_has_no_choice_whatever_stands_in_it():
    failed = record(1, reply=None, reply_state="failed", error="timeout")
    read = journal(failed | {"error_kind": "timeout"}, record(2))
    row, _ = read.answers.table.to_pylist()
    assert (row["reply_state"], row["error"]) == ("failed", "timeout")
    assert (row["choice"], row["published_choice"], row["raw_output"]) == (None,) * 3
    (note,) = read.answers.notes
    assert note.startswith("j: 1 of 2 calls failed (1 timeout); run the same command")


def test_a_run_says_what_the_endpoint_did_not_accept():
    read = journal(record(1, not_accepted=["temperature"]), record(2))
    (row,) = read.run.table.to_pylist()
    settings = json.loads(row["settings"])
    assert settings["not_accepted"] == ["temperature"]
    assert settings["temperature"] == 0.0
    assert (row["model_tag"], row["variant"]) == (MODEL, "base")
    assert (row["source"], row["run_date"]) == ("collected", date(2026, 11, 30))
    assert row["prompt_sha256"] == plan().prompt_sha256


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        (record(25), "task_id", "no task 25 in bank"),
        (record("1"), "task_id", "is not a whole number"),
        (record(1, "sideways"), "ordering", "is not one of original, swapped"),
        (record(1, repeat=0), "repeat", "0 is not in [1"),
        (record(1, reply=7), "reply", "is no text"),
        (record(1, cost_usd=-1), "cost_usd", "is not a finite number"),
        (record(1, first_tokens=["A"]), "first_tokens", "is no JSON object"),
        (record([1]), "task_id", "is not a whole number"),
        ('{"task_id": 1, "ord', "*", "cut off while it was written"),
    ],
)
def test_a_record_that_breaks_the_contract_is_set_aside_with_its_line(
    line, field, reason
):
    read = journal(record(2), line, record(3)).answers
    (bad,) = read.quarantined
    assert (bad.source_row, bad.field) == (3, field)
    assert reason in bad.reason
    assert (read.account.rows_read, read.account.rows_accepted) == (3, 2)


def test_a_reply_that_was_cut_inside_an_emoji_is_read():
    # sixteen tokens may end in half a character
    read = journal(
        '{"task_id": 1, "ordering": "original", "repeat": 1, '
        '"reply": "Option A \\ud83d"}'
    )
    (row,) = read.answers.table.to_pylist()
    assert (row["choice"], row["raw_output"]) == ("A", "Option A \ufffd")


def test_a_bank_is_drawn_again_or_named():
    text = read_journal(
        json.dumps({"schema": "pricebench/journal/1", **plan().header}).encode(), "j"
    )
    assert journal_bank(text, "j").content == BANK.content
    changes = {
        "neither in the source nor in the warehouse": {"bank": {"kind": "conjoint"}},
        "it was asked by another version": {"bank_sha256": "0" * 64},
        "line 1, kind": {"bank": {"kind": "odd", "seed": 1, "size": 24}},
        "line 1, bank: missing": {"bank": None},
    }
    for reason, change in changes.items():
        altered = replace(text, header={**text.header, **change})
        with pytest.raises(LoadError, match=reason):
            journal_bank(altered, "j")


def test_a_whole_run_is_planned_and_read_back_without_a_wait():
    began = time.process_time()
    bank = drawn_bank("conjoint")
    asked = plan(bank=bank)
    planned = time.process_time() - began
    assert len(asked.calls) == 7_200
    read = read_hotel(bank, "base")
    lines = [
        json.dumps({**call.key, **FACTS, **read(call, "B"), "reply": "B"})
        for call in asked.calls
    ]
    header = json.dumps({"schema": "pricebench/journal/1", **asked.header})
    data = "\n".join([header, *lines, ""]).encode()
    types = BankTasks(bank.sha256, {one.task_id: one.task_type for one in bank.tasks})
    began = time.process_time()
    text = read_journal(data, "j")
    rows = read_journal_run(FileId("j", "0" * 64, bank.sha256), text, types).answers
    took = time.process_time() - began
    assert rows.table.num_rows == 7_200
    # about 0.8 and 0.6 seconds on an idle core
    assert planned < 4
    assert took < 4
