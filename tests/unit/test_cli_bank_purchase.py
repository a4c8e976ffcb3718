"""`pricebench bank purchase` as a person meets it."""

from __future__ import annotations

import hashlib

import pytest

from ingest.purchase.bank import make_bank
from ingest.purchase.prompt import make_prompt
from pricebench.cli import main

PUBLISHED = "593c83171420839092447467ea42be7d32e2cb90f99499e9b98dd483c74edc8b"


def test_the_hash_stands_alone_and_is_that_of_the_file(tmp_path, capsys):
    out = tmp_path / "bank.json"
    typed = ["bank", "purchase", "--seed", "8008", "--size", "48", "--out", str(out)]
    assert main(typed) == 0
    assert capsys.readouterr().out == f"{PUBLISHED}\n"
    assert hashlib.sha256(out.read_bytes()).hexdigest() == PUBLISHED


def test_seed_and_size_are_those_of_the_published_bank(capsys):
    assert main(["bank", "purchase"]) == 0
    assert capsys.readouterr().out == f"{PUBLISHED}\n"


@pytest.mark.parametrize("wanted", ["O8-8008-000", "0", "000"])
def test_show_prints_the_exact_question_of_every_label(wanted, capsys):
    assert main(["bank", "purchase", "--show", wanted]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[0] == PUBLISHED
    for label in ("none", "A", "D", "B"):
        asked = make_prompt(make_bank()[0], label)
        assert f"== user, label {label}\n{asked.user}\n" in text
    assert f"== system\n{asked.system}\n" in text


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["--size", "0"], "a bank has 1 to 10,000 scenarios, not 0"),
        # without its sign it would be the bank of seed 1 under another name
        (["--seed", "-1"], "a seed is 0 to 999,999,999,999,999,999, not -1"),
        (["--seed", str(10**18)], "not 1,000,000,000,000,000,000"),
        (["--show", "48"], "no scenario '48' in this bank: it has O8-8008-000 to"),
        (["--show", ""], "no scenario ''"),
        (["--out", "no/such/folder/bank.json"], "cannot write no/such/folder/bank"),
    ],
)
def test_what_cannot_be_made_is_one_line(typed, says, capsys):
    assert main(["bank", "purchase", *typed]) == 1
    captured = capsys.readouterr()
    assert says in captured.err.splitlines()[-1]
    assert captured.out == ""
