"""Slot tests as a table: exact p-values, families, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.slot_test import SLOT_TEST_SCHEMA, slot_test_table

Columns = dict[str, list[Any]]


def counted(*rows: tuple[str, str, list[int | None]]) -> Columns:
    """Columns from (model, format, slot counts)."""
    columns: Columns = {
        "study_id": ["s"] * len(rows),
        "model_id": [row[0] for row in rows],
        "variant": ["base"] * len(rows),
        "input_fingerprint": ["f"] * len(rows),
        "format": [row[1] for row in rows],
    }
    for place in range(5):
        columns[f"slot{place + 1}_count"] = [
            (row[2] + [None] * 5)[place] for row in rows
        ]
    return columns


def test_p_values_by_hand() -> None:
    table = slot_test_table(
        counted(
            ("m", "binary", [1, 4]),
            ("m", "ternary", [20, 30, 40]),
            ("other", "binary", [3, 3]),
        )
    ).to_pylist()
    by_key = {(row["model_id"], row["format"]): row for row in table}
    # binomial: 2 x (1 + 5) / 32; chi-square 6.667 on 2 degrees: exp(-3.333) = 0.0357
    binary, ternary = by_key["m", "binary"], by_key["m", "ternary"]
    assert binary["p_uniform"] == pytest.approx(0.375, rel=1e-14)
    assert ternary["p_uniform"] == pytest.approx(np.exp(-10 / 3), rel=1e-13)
    # Holm over the model's two formats: the smaller doubles, the larger stands
    assert ternary["p_uniform_holm"] == pytest.approx(2 * np.exp(-10 / 3), rel=1e-13)
    assert binary["p_uniform_holm"] == pytest.approx(0.375, rel=1e-14)
    # another model is another family
    assert by_key["other", "binary"]["p_uniform_holm"] == 1.0


def test_format_without_picks_is_no_member_of_the_family() -> None:
    table = slot_test_table(
        counted(("m", "binary", [1, 4]), ("m", "fiveopt", [0, 0, 0, 0, 0]))
    ).to_pylist()
    assert table[0]["p_uniform_holm"] == pytest.approx(0.375, rel=1e-14)
    assert (table[1]["p_uniform"], table[1]["p_uniform_holm"]) == (None, None)


def test_row_order_changes_nothing() -> None:
    rows = [("m", "binary", [10, 30]), ("m", "ternary", [9, 8, 1]), ("a", "x", [1, 2])]
    forward, backward = counted(*rows), counted(*rows[::-1])
    assert slot_test_table(forward).equals(slot_test_table(backward))


def test_arrow_input_with_other_columns() -> None:
    columns = counted(("m", "binary", [1, 4]))
    table = pa.table({**columns, "reading": ["audited"]})
    assert slot_test_table(table).equals(slot_test_table(columns))


def test_empty_input_gives_an_empty_table() -> None:
    empty = slot_test_table(counted())
    assert (empty.schema, empty.num_rows) == (SLOT_TEST_SCHEMA, 0)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([5], "s m base binary"),
        ([5, None, 5], "s m base binary"),
        ([], "s m base binary"),
        ([-1, 5], "whole numbers"),
    ],
)
def test_counts_with_a_gap_are_refused(counts: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        slot_test_table(counted(("m", "binary", counts)))


def test_format_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="s m base binary stands twice"):
        slot_test_table(counted(("m", "binary", [1, 2]), ("m", "binary", [2, 2])))


def test_missing_column_is_named() -> None:
    columns = counted(("m", "binary", [1, 2]))
    del columns["slot4_count"]
    with pytest.raises(ValueError, match="slot4_count"):
        slot_test_table(columns)
