"""The long table of answers: what is read from it and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from models.hotel_choices import INPUT_SCHEMA, NUMBERS, read_choices

Table = dict[str, Any]


def answers(count: int = 8) -> Table:
    """Answers of one model: number i is to pair i // 2, original order when even."""
    rows = 2 * count
    answer = np.repeat(np.arange(count), 2)
    is_a = np.arange(rows) % 2 == 0
    picked = (answer % 3 == 0) == is_a
    table: Table = {
        "study_id": np.full(rows, "s", dtype=object),
        "model_id": np.full(rows, "m/m", dtype=object),
        "variant": np.full(rows, "base", dtype=object),
        "input_fingerprint": np.full(rows, "f", dtype=object),
        "answer_key": np.array([f"key{i}" for i in answer], dtype=object),
        "option": np.where(is_a, "A", "B").astype(object),
        "group_id": answer // 2,
        "hotel_id": np.where(is_a, answer // 2, 100 + answer // 2),
        "slot_sign": np.where(is_a, np.where(answer % 2 == 0, 1.0, -1.0), 0.0),
        "chosen_as_published": picked.astype(object),
        "chosen_audited": picked.astype(object),
    }
    for place, name in enumerate(NUMBERS[1:]):
        table[name] = np.arange(rows) + 100.0 * place
    return table


def test_answers_are_read_in_the_order_of_their_keys() -> None:
    table = answers()
    moved = np.random.default_rng(0).permutation(16)
    (choices,) = read_choices({name: column[moved] for name, column in table.items()})
    assert (choices.study_id, choices.model_id) == ("s", "m/m")
    assert (choices.variant, choices.input_fingerprint) == ("base", "f")
    assert choices.group_ids.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert choices.hotel_ids[2].tolist() == [1, 101]
    assert choices.numbers["stars"][:2].tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert choices.numbers["slot_sign"][:2].tolist() == [[1.0, 0.0], [-1.0, 0.0]]
    # answers 0, 3 and 6 chose A
    assert choices.chosen["chosen_audited"].tolist() == [0, 1, 1, 0, 1, 1, 0, 1]


def test_answer_outside_a_reading_is_kept_for_the_other() -> None:
    table = answers()
    table["chosen_audited"][table["answer_key"] == "key3"] = None
    (choices,) = read_choices(table)
    assert choices.chosen["chosen_audited"].tolist() == [0, 1, 1, -1, 1, 1, 0, 1]
    assert choices.chosen["chosen_as_published"][3] == 0


def test_models_come_one_by_one_in_ascending_order() -> None:
    table = {name: np.tile(column, 3) for name, column in answers().items()}
    table["model_id"] = np.repeat(["z/1", "b/2", "b/2"], 16).astype(object)
    table["variant"][32:] = "cot"
    found = [(c.model_id, c.variant, len(c.group_ids)) for c in read_choices(table)]
    assert found == [("b/2", "base", 8), ("b/2", "cot", 8), ("z/1", "base", 8)]


def test_no_answers_no_models() -> None:
    assert list(read_choices(INPUT_SCHEMA.empty_table())) == []


Change = Callable[[Table], object]


def set_at(name: str, row: int, value: object) -> Change:
    def change(table: Table) -> None:
        column = np.array(table[name], dtype=object)
        column[row] = value
        table[name] = column

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.pop("stars"), "no column 'stars'"),
        (set_at("group_id", 0, None), "group_id is missing in answer 'key0'"),
        (set_at("stars", 3, None), "stars is missing in answer 'key1'"),
        (set_at("log_price", 5, -np.inf), "'key2'.*log_price is not finite"),
        (set_at("option", 3, "C"), "'key1'.*one row for option A"),
        (set_at("option", 2, "B"), "'key1'.*one row for option A"),
        (set_at("answer_key", 15, "key0"), "'key0'.*one row for option A"),
        (set_at("answer_key", 3, "extra"), "one row for option A"),
        (set_at("model_id", 3, "other"), "one row for option A"),
        (set_at("chosen_audited", 4, None), "'key2'.*chosen_audited must"),
        (set_at("group_id", 4, 39), "'key2'.*differ in group_id"),
        (set_at("input_fingerprint", 4, "other"), "2 values of input_fingerprint"),
    ],
)
def test_input_outside_the_contract_is_refused_by_name(
    change: Change, message: str
) -> None:
    table = answers()
    change(table)
    with pytest.raises(ValueError, match=message):
        list(read_choices(table))


@pytest.mark.parametrize("picked", [True, False])
def test_two_options_or_none_chosen_is_refused(picked: bool) -> None:
    table = answers()
    table["chosen_as_published"][table["answer_key"] == "key7"] = picked
    with pytest.raises(ValueError, match=r"'key7'.*exactly one option"):
        list(read_choices(table))


def test_answer_that_stands_twice_is_refused() -> None:
    table = {name: np.concatenate([c, c[6:8]]) for name, c in answers().items()}
    with pytest.raises(ValueError, match=r"'key3'.*one row for option A"):
        list(read_choices(table))
