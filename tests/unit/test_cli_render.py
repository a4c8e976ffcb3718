"""Results printed as text, csv, json and markdown."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from pricebench.errors import CommandError
from pricebench.reader import Grid
from pricebench.render import Format, plain, render

MIXED = Grid(
    ("name", "share", "price", "when", "flag", "list"),
    (
        ("a|b", 0.1, Decimal("1.50"), date(2026, 1, 2), True, [1, None]),
        (None, None, None, None, None, None),
    ),
)


def test_csv_keeps_every_digit_and_leaves_nulls_empty():
    third = 1 / 3
    grid = Grid(("x", "y"), ((third, None), (Decimal("12.340"), 'say "hi", you')))
    lines = render(grid, Format.csv).split("\n")
    assert lines == ["x,y", f"{third!r},", '12.340,"say ""hi"", you"', ""]
    assert float(lines[1].rstrip(",")) == third


def test_json_keeps_types_and_nulls():
    assert json.loads(render(MIXED, Format.json)) == [
        {
            "name": "a|b",
            "share": 0.1,
            "price": 1.5,
            "when": "2026-01-02",
            "flag": True,
            "list": [1, None],
        },
        dict.fromkeys(MIXED.columns),
    ]


def test_json_has_no_word_for_a_number_that_is_not_finite():
    grid = Grid(("a", "b", "c"), ((math.nan, math.inf, [math.nan]),))
    assert json.loads(render(grid, Format.json)) == [
        {"a": None, "b": None, "c": [None]}
    ]


def test_json_refuses_two_columns_of_one_name_where_one_would_be_lost():
    grid = Grid(("n", "n"), ((1, 2),))
    with pytest.raises(CommandError, match=r"two columns named n: .*alias"):
        render(grid, Format.json)
    assert render(grid, Format.csv) == "n,n\n1,2\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # 0.1 has the shortest double text 0.1, so nothing is lost
        (Decimal("0.1"), 0.1),
        # 20 digits are more than a double's 17: text keeps them
        (Decimal("12345678901.234567891"), "12345678901.234567891"),
        (datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "2026-01-02T03:04:00+00:00"),
        (b"\x00\xff", "00ff"),
        ({"a": [Decimal("2.5")]}, {"a": [2.5]}),
        (2**80, 2**80),
    ],
)
def test_plain_values_lose_no_digit(value, expected):
    assert plain(value) == expected


def test_markdown_escapes_what_would_break_the_table():
    lines = render(MIXED, Format.md).split("\n")
    assert lines[1] == "| --- | --- | --- | --- | --- | --- |"
    assert lines[2] == r"| a\|b | 0.1 | 1.50 | 2026-01-02 | true | [1, null] |"
    assert lines[3] == "| – | – | – | – | – | – |"
    grid = Grid(("x",), (("two\nlines",),))
    assert render(grid, Format.md).split("\n")[2] == "| two<br>lines |"


def test_a_table_is_plain_where_standard_output_is_no_terminal():
    wide = "w" * 300
    text = render(Grid(("word", "n"), ((wide, 1), ("[red]x[/red]", 22))), Format.table)
    assert "\x1b" not in text
    assert wide in text
    assert "[red]x[/red]" in text
    # numbers stand at the right of their column: " 1" and "22" end in one place
    ends = {len(line) for line in text.split("\n") if line.endswith(("1", "22"))}
    assert len(ends) == 1


@pytest.mark.parametrize(
    ("form", "expected"),
    [(Format.csv, "a\n"), (Format.json, "[]"), (Format.md, "| a |\n| --- |")],
)
def test_a_result_without_rows_is_a_header(form, expected):
    assert render(Grid(("a",), ()), form) == expected


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1 / 3, "0.333333"),
        (-2 / 3, "-0.666667"),
        (1.0, "1.0"),
        (0.0, "0.0"),
        (123456.789, "123457.0"),
        # a whole part is kept; no exponent
        (12345678.9, "12345679"),
        (0.000123456789, "0.000123457"),
        # a p-value this small is no ordinary size
        (1.23456789e-9, "1.23457e-09"),
        (math.inf, "inf"),
        (Decimal("0.12345678901"), "0.12345678901"),
        (123456789012, "123456789012"),
    ],
)
def test_doubles_are_short_to_read_and_exact_for_a_program(value, shown):
    grid = Grid(("x",), ((value,),))
    assert render(grid, Format.table).split("\n")[-1].strip() == shown
    assert render(grid, Format.md).split("\n")[-1] == f"| {shown} |"
    exact = repr(value) if isinstance(value, float) else str(value)
    assert render(grid, Format.csv) == f"x\n{exact}\n"


def test_long_text_is_cut_in_a_table_only_and_only_where_asked():
    grid = Grid(("x",), (("a" * 61,), ("b" * 60,)))
    cut = render(grid, Format.table, clip=60).split("\n")
    assert [line.strip() for line in cut[-2:]] == ["a" * 59 + "…", "b" * 60]
    assert "a" * 61 in render(grid, Format.table)
    for form in (Format.md, Format.csv, Format.json):
        assert "a" * 61 in render(grid, form, clip=60)
