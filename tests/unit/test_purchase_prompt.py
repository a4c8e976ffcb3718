"""Questions and replies of the purchase instrument."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.purchase import prompt as prompt_module
from ingest.purchase.bank import make_bank
from ingest.purchase.prompt import (
    ANSWER_SCHEMA,
    LABEL_TEXTS,
    PROMPT_VERSION,
    TOPICS,
    dollars,
    make_prompt,
    prompt_sha256,
)
from ingest.purchase.reply import Reply, read_reply
from ingest.purchase.scenario import LABELS, OPTIONS


@pytest.fixture(scope="module")
def bank():
    return make_bank()


def test_wording_and_its_version_move_together():
    # a new wording is a new study: raise PROMPT_VERSION and write its hash here
    assert (PROMPT_VERSION, prompt_sha256()) == (
        "purchase-1",
        "104a40869f54f30a8fc14f4150cffe824d05de117f59ae34b321b4f1af7c5f85",
    )


@pytest.mark.parametrize("name", ["SYSTEM", "TOPICS", "LABEL_TEXTS", "_MENU"])
def test_no_change_of_words_goes_unseen(name, monkeypatch):
    words = getattr(prompt_module, name)
    if isinstance(words, str):
        changed = words + " "
    elif isinstance(words, tuple):
        changed = (*words[:-1], words[-1] + " ")
    else:
        changed = {key: f"{text} " for key, text in words.items()}
    monkeypatch.setattr(prompt_module, name, changed)
    assert prompt_sha256.__wrapped__() != prompt_sha256()


def test_every_number_that_decides_is_told_and_no_dollar_price(bank):
    for scenario in bank:
        text = make_prompt(scenario, "none").user
        terms = scenario.terms
        for record in (terms.free, terms.document, terms.teaser, terms.certificate):
            assert f"{record.right} of {record.cases} past cases" in text
        assert dollars(terms.value) in text
        for spec in (scenario.document_unit, scenario.certificate_unit):
            for key, value in spec.items():
                if key in ("rate", "usd_per_100"):
                    assert dollars(value) in text
                elif key != "unit":
                    assert f"{value:,}" in text
        assert TOPICS[scenario.topic] in text


def test_options_stand_in_the_order_of_the_scenario_under_every_label(bank):
    for scenario in bank[:8]:
        for label in LABELS:
            text = make_prompt(scenario, label).user
            listed = re.findall(r"^- (\w+):", text, re.MULTILINE)
            assert tuple(listed) == scenario.shown_order


def test_labels_differ_by_their_own_text_alone(bank):
    plain = make_prompt(bank[0], "none").user
    for label in LABELS[1:]:
        text = make_prompt(bank[0], label).user
        assert text.replace(f" {LABEL_TEXTS[label]}", "") == plain != text
    assert set(LABEL_TEXTS) == set(LABELS)


def test_no_record_or_menu_line_gives_the_answer_away(bank):
    for scenario in bank:
        menu = make_prompt(scenario, "none").user.partition("Your options:")[2]
        assert not re.search(r"\d", menu)


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        *[(25.2, "$25.20"), (3.0, "$3"), (0.000045, "$0.000045"), (999.5, "$999.50")],
        *[(83000.0, "$83,000"), (1250.5, "$1,250.50"), (1000.0, "$1,000")],
        *[(0.125, "$0.125"), (100, "$100"), (0.0, "$0")],
    ],
)
def test_amounts_as_shown(amount, shown):
    assert dollars(amount) == shown


def test_the_answer_form_is_strict():
    assert ANSWER_SCHEMA["required"] == ["choice", "reason"]
    assert ANSWER_SCHEMA["properties"]["choice"]["enum"] == list(OPTIONS)
    assert ANSWER_SCHEMA["additionalProperties"] is False


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ('{"choice": "skip", "reason": "dear"}', Reply("skip", "json", "dear")),
        ('```json\n{"choice":"buy_all"}\n```', Reply("buy_all", "json")),
        ('```\n{"choice":"teaser"}```', Reply("teaser", "json")),
        (
            'I take {"choice": "teaser", "reason": 3} now',
            Reply("teaser", "json_embedded"),
        ),
        (
            '{"choice": "certificate", "reason": "cut of',
            Reply("certificate", "salvaged"),
        ),
        ("so 'choice': 'buy_one' it is", Reply("buy_one", "salvaged")),
        ('{"choice": "Skip"}', Reply(None, "invalid")),
        ('{"choice": ["skip"]}', Reply(None, "invalid")),
        ('{"choice": "buy"} or "buy_one"', Reply(None, "invalid")),
        ('["choice", "skip"]', Reply(None, "invalid")),
        *[(text, Reply(None, "invalid")) for text in (None, "", "  ", "skip", "null")],
        ("[" * 100_000, Reply(None, "invalid")),
    ],
)
def test_replies_are_read_in_the_published_order(text, reply):
    assert read_reply(text) == reply


def test_a_long_reason_is_cut():
    text = json.dumps({"choice": "skip", "reason": "x" * 1000})
    assert read_reply(text).reason == "x" * 400


@given(st.text())
def test_no_reply_breaks_the_reader(text):
    reply = read_reply(text)
    assert (reply.choice is None) == (reply.state == "invalid")
