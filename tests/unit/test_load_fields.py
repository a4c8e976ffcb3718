"""Reading one field: what is taken, what is refused and with which words."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from ingest.fields import (
    FieldError,
    Parser,
    filled,
    number,
    one_of,
    optional,
    price,
    whole,
)


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (whole(), "173", 173),
        (whole(), "173.0", 173),
        (whole(), "173.", 173),
        (whole(), "-5", -5),
        (whole(0, 1), "1.0", 1),
        (number(), "8.25", 8.25),
        (number(), "1e2", 100.0),
        (number(0, 10), "10", 10.0),
        (price, "89", Decimal("89.00")),
        (price, "89.0", Decimal("89.00")),
        (price, "89.990", Decimal("89.99")),
        (price, "0.01", Decimal("0.01")),
        (filled, "x", "x"),
        (optional(number()), "", None),
        (optional(number()), "3", 3.0),
        (one_of(("A", "B")), "B", "B"),
    ],
)
def test_taken(parse: Parser, text: str, value: Any) -> None:
    assert parse(text) == value
    assert type(parse(text)) is type(value)


@pytest.mark.parametrize(
    ("parse", "text", "words"),
    [
        (whole(), "", "missing"),
        (whole(), "173.5", "not a whole number"),
        (whole(), "1_000", "not a whole number"),
        (whole(), "١", "not a whole number"),
        (whole(), " 1", "not a whole number"),
        (whole(), "1" * 19, "not a whole number"),
        (whole(), "1\n", "not a whole number"),
        (whole(0, 1), "2", "above 1"),
        (whole(1), "0", "below 1"),
        (number(), "nan", "not a number"),
        (number(), "inf", "not a number"),
        (number(), "1e999", "not a finite number"),
        (number(), "8,5", "not a number"),
        (number(0, 10), "10.1", "above 10"),
        (number(0, 10), "-0.1", "below 0"),
        (price, "", "missing"),
        (price, "0", "not above 0"),
        (price, "-5", "not a price"),
        (price, "89.999", "more than two decimals"),
        (price, "0.001", "more than two decimals"),
        (price, "$89", "not a price"),
        (price, "nan", "not a price"),
        (price, "1" * 11, "not a price"),
        (filled, "  ", "missing"),
        (one_of(("A", "B")), "C", "not one of A, B"),
        (one_of(("A", "B")), "", "missing"),
    ],
)
def test_refused(parse: Parser, text: str, words: str) -> None:
    with pytest.raises(FieldError, match=words):
        parse(text)


def test_a_long_text_is_not_repeated_in_full() -> None:
    with pytest.raises(FieldError) as caught:
        whole()("x" * 5000)
    assert len(str(caught.value)) < 100
