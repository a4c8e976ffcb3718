"""Rows of runs files and bank files, one by one."""

from __future__ import annotations

import json
import re

import pytest
from purchase_data import decision, write_runs

from ingest.errors import LoadError
from ingest.json_rows import read_json_rows
from ingest.parsed_file import FileId
from ingest.purchase.bank import bank_json, bank_sha256, make_bank
from ingest.purchase.read_bank import Bank, read_bank
from ingest.purchase.read_runs import read_runs
from ingest.purchase.scenario import to_json


@pytest.fixture(scope="module")
def bank():
    return make_bank(8, 8001)


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"sid": "O8-8001-900"}, "sid", "no scenario O8-8001-900 in bank"),
        ({"sid": 7}, "sid", "7 is not a text"),
        ({"label": "C"}, "label", '"C" is not one of none, A, D, B'),
        ({"choice": "buy"}, "choice", '"buy" is not one of skip,'),
        ({"choice": "NO_CHOICE"}, "choice", "does not go with parse json"),
        ({"parse": "api_error"}, "choice", "does not go with parse api_error"),
        ({"parse": "guess"}, "parse", '"guess" is not one of json,'),
        ({"rep": -1}, "rep", "-1 is not in [0"),
        ({"rep": True}, "rep", "true is not a whole number"),
        ({"model": ""}, "model", '"" is not a text'),
        ({"usage": {"cost": -1}}, "cost", "-1 is not a finite number of 0.0 or more"),
        ({"usage": {"cost": float("nan")}}, "cost", "nan is not a finite"),
        ({"usage": {"pt": 1.5}}, "pt", "1.5 is not a whole number"),
        ({"usage": [1]}, "usage", "is no JSON object"),
        ({"regret_share_V": "0"}, "regret_share_V", '"0" is not a number'),
        ({"bought": 1}, "bought", "1 is not a flag"),
        ({"reason": "cut in an emoji \ud83d"}, "*", "half a character"),
    ],
)
def test_a_row_that_breaks_the_contract_is_set_aside_with_its_reason(
    bank, tmp_path, change, field, reason
):
    rows = [decision(bank[0]), decision(bank[1]) | change, decision(bank[2])]
    data = write_runs(tmp_path / "a.jsonl", rows).read_bytes()
    pool = Bank.of(bank)
    file = FileId("a.jsonl", "0" * 64, pool.sha256)
    read = read_runs(file, read_json_rows(data), pool).decisions
    (bad,) = read.quarantined
    assert (bad.source_file, bad.source_row, bad.field) == ("a.jsonl", 2, field)
    assert reason in bad.reason
    assert bad.row_text == json.dumps(rows[1])
    account = read.account
    assert (account.rows_read, account.rows_accepted) == (3, 2)


@pytest.mark.parametrize(
    ("text", "replaced", "twice"),
    [
        ('"choice": ', '"choice": "skip", "choice": ', "choice"),
        ('"pt": 400', '"pt": 400, "cost": 0.1', "cost"),
    ],
)
def test_a_key_that_stands_twice_sets_its_row_aside(bank, text, replaced, twice):
    line = json.dumps(decision(bank[0]))
    pool = Bank.of(bank)
    data = f"{line}\n{line.replace(text, replaced)}\n".encode()
    file = FileId("a.jsonl", "0" * 64, pool.sha256)
    (bad,) = read_runs(file, read_json_rows(data), pool).decisions.quarantined
    assert (bad.source_row, bad.field) == (2, "*")
    assert bad.reason == f"key {twice!r} stands twice in one object"


def test_a_bank_with_a_key_twice_is_refused(bank):
    text = bank_json(bank).replace('"V": ', '"V": 1.0, "V": ', 1)
    with pytest.raises(LoadError, match=r"key 'V' stands twice in one object"):
        read_bank("bank_8001.json", text.encode())


def _broken(bank, **changes):
    items = [to_json(scenario) for scenario in bank]
    items[1] |= changes
    return json.dumps(items)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"P": 1.0}, "scenario 2, P: 1.0 is not "),
        ({"q": 0.99}, "scenario 2, q: 0.99 is not "),
        ({"b_k": 10**6}, "scenario 2, b_k: "),
        ({"optimal": "buy_one"}, "scenario 2, optimal: buy_one is not the best option"),
        ({"V": 0}, "scenario 2, V: 0.0 is not above 0"),
        ({"topic": 6}, "scenario 2, topic: 6 is not below 6"),
        ({"doc_unit": {"unit": "per_word"}}, 'scenario 2, unit: "per_word" is not'),
        ({"cert_unit": None}, "scenario 2, cert_unit: the price in the seller's unit"),
        ({"extra": 1}, "scenario 2, extra: the key is unknown or missing"),
        ({"sid": "O8-8001-000"}, "names a scenario twice"),
    ],
)
def test_a_bank_that_contradicts_itself_is_refused(bank, changes, says):
    with pytest.raises(LoadError, match=re.escape(says)):
        read_bank("bank_8001.json", _broken(bank, **changes).encode())


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1]", "[" * 50_000])
def test_a_bank_file_that_is_no_bank_is_one_line(text):
    with pytest.raises(LoadError) as caught:
        read_bank("bank_1.json", text.encode())
    assert str(caught.value).startswith("bank_1.json")
    assert "\n" not in str(caught.value)


def test_a_bank_read_is_the_bank_made(bank):
    read = read_bank("bank.json", bank_json(bank).encode())
    assert (tuple(read.scenarios.values()), read.sha256) == (bank, bank_sha256(bank))


def _read(bank, rows, tmp_path):
    data = write_runs(tmp_path / "a.jsonl", rows).read_bytes()
    pool = Bank.of(bank)
    file = FileId("a.jsonl", "0" * 64, pool.sha256)
    read = read_runs(file, read_json_rows(data), pool)
    assert read.decisions.quarantined == ()
    return read


def test_trap_counts_of_providers_are_taken_as_they_come(bank, tmp_path):
    # more reasoning than reply tokens, a free call that ended in an error, and costs
    # that the file writes with an exponent or with the noise of a double
    usages = [
        {"pt": 460, "ct": 8000, "rt": 8207, "cost": 0.00406132, "secs": 117.57},
        {"pt": 0, "ct": 0, "rt": None, "cost": 0, "secs": 0.31},
        {"cost": 9.35e-05, "secs": 3.1200000000000001},
        {"cost": 0.00048230000000000003},
    ]
    rows = [decision(bank[0], rep=n, usage=usage) for n, usage in enumerate(usages)]
    read = _read(bank, rows, tmp_path).decisions.table.to_pylist()
    assert [row["reasoning_tokens"] for row in read] == [8207, None, None, None]
    assert [f"{row['cost_usd']:.12f}" for row in read] == [
        *("0.004061320000", "0.000000000000", "0.000093500000", "0.000482300000"),
    ]


def test_trap_a_failed_call_has_no_provider_at_all(bank, tmp_path):
    failed = decision(bank[0], choice="FAILED")
    assert "provider" not in failed
    (row,) = _read(bank, [failed], tmp_path).decisions.table.to_pylist()
    empty = ("provider", "model_id_served", "finish", "prompt_tokens", "cost_usd")
    assert {row[name] for name in empty} == {None}
    assert (row["reply_state"], row["choice"], row["error"]) == (
        *("failed", None, "HTTP 403"),
    )


def test_trap_prompt_tokens_identify_no_prompt(bank, tmp_path):
    # two providers count the same question differently: still one run
    rows = [
        decision(bank[0], rep=n, provider=name, usage={"pt": tokens})
        for n, (name, tokens) in enumerate([("Modal", 455), ("Morph", 449)])
    ]
    read = _read(bank, rows, tmp_path)
    assert len(read.run_ids) == 1
    assert read.decisions.notes == ()
