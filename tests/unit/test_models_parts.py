"""The small parts that the estimators share: statuses, order, rank, tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.ordering import canonical_order
from models.rank import determined_coordinates, independent_columns
from models.status import STATUSES, worst
from models.tables import build_table

SCHEMA = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),
        pa.field("number", pa.float64()),
        pa.field("list", pa.list_(pa.float64()), nullable=False),
        pa.field("words", pa.list_(pa.string()), nullable=False),
    ]
)


def test_worst_status() -> None:
    assert worst([]) == "ok"
    assert worst(["ok", "weak", "ok"]) == "weak"
    assert worst(["too_few", "separated", "weak"]) == "separated"
    assert worst(STATUSES) == "failed"


def test_unknown_status_is_named() -> None:
    with pytest.raises(ValueError, match="'fine'"):
        worst(["ok", "fine"])


def test_canonical_order_is_that_of_the_content() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(-2, 3, (50, 3)).astype(float)
    moved = rng.permutation(50)
    shuffled = rows[moved]
    np.testing.assert_array_equal(
        rows[canonical_order(rows)], shuffled[canonical_order(shuffled)]
    )


def test_negative_zero_is_zero() -> None:
    one, other = np.array([[0.0], [1.0]]), np.array([[-0.0], [1.0]])
    np.testing.assert_array_equal(canonical_order(one), canonical_order(other))


def test_canonical_order_of_nothing() -> None:
    assert canonical_order(np.zeros((0, 2))).tolist() == []
    assert canonical_order(np.zeros((2, 0))).tolist() == [0, 1]


def test_independent_columns_by_hand() -> None:
    a, b = np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0])
    columns = np.column_stack([a, np.zeros(3), b, 2 * a - b, np.ones(3)])
    assert independent_columns(columns).tolist() == [True, False, True, False, True]
    assert independent_columns(np.zeros((0, 2))).tolist() == [False, False]


def test_scale_of_a_column_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(100, 3)) * [1e-9, 1.0, 1e9]
    assert independent_columns(columns).all()
    doubled = np.column_stack([columns, columns[:, 0] * 1e15])
    assert independent_columns(doubled).tolist() == [True, True, True, False]


def test_determined_coordinates_by_hand() -> None:
    # x + y = c and z = d fix z alone
    rows = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    assert determined_coordinates(rows).tolist() == [False, False, True]
    assert determined_coordinates(np.eye(2)).tolist() == [True, True]
    assert determined_coordinates(np.zeros((0, 2))).tolist() == [False, False]


def row(**changes: Any) -> dict[str, Any]:
    plain = {"name": "a", "number": 1.0, "list": np.array([1.0]), "words": ["x"]}
    return {**plain, **changes}


def test_undefined_numbers_become_null() -> None:
    rows = [
        row(number=np.nan, list=np.array([1.0, np.nan])),
        row(number=np.inf, list=np.zeros(0), words=[]),
        row(number=None),
    ]
    table = build_table(rows, SCHEMA).to_pylist()
    assert [found["number"] for found in table] == [None, None, None]
    assert [found["list"] for found in table] == [[1.0, None], [], [1.0]]
    assert [found["words"] for found in table] == [["x"], [], ["x"]]


def test_table_without_rows_has_the_schema() -> None:
    table = build_table([], SCHEMA)
    assert (table.schema, table.num_rows) == (SCHEMA, 0)


def test_row_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="'extra'"):
        build_table([row(extra=1)], SCHEMA)
    with pytest.raises(ValueError, match="'name': null"):
        build_table([row(name=None)], SCHEMA)
