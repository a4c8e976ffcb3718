"""From rows with NaN for undefined to Arrow tables with null for undefined."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

Row = dict[str, Any]


def build_table(rows: Iterable[Row], schema: pa.Schema) -> pa.Table:
    """Build a table of a declared schema, also without rows.

    Parameters
    ----------
    rows
        One mapping for each row, with exactly the names of the schema. Number lists are
        arrays; NaN and infinities stand for undefined.
    schema
        Text, whole number, number and boolean fields, and lists of text or numbers.

    Returns
    -------
    pyarrow.Table
        Rows in the order given, undefined numbers as null.

    Raises
    ------
    ValueError
        A row whose names are not those of the schema, or a null in a field that must
        not be null; the message names the field.
    """
    listed = list(rows)
    for row in listed:
        if row.keys() != set(schema.names):
            odd = sorted(row.keys() ^ set(schema.names))
            raise ValueError(f"table row: column {odd[0]!r} is missing or not declared")
    columns = [_column([row[field.name] for row in listed], field) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _column(values: list[Any], field: pa.Field) -> pa.Array:
    if pa.types.is_list(field.type):
        column = _list_column(values, field)
    elif pa.types.is_floating(field.type):
        column = _numbers([np.nan if value is None else value for value in values])
    else:
        column = pa.array(values, field.type)
    if column.null_count and not field.nullable:
        raise ValueError(f"table column {field.name!r}: null where none may be")
    return column


def _list_column(values: list[Any], field: pa.Field) -> pa.Array:
    offsets = np.concatenate([[0], np.cumsum([len(value) for value in values])])
    if pa.types.is_floating(field.type.value_type):
        flat = _numbers(np.concatenate([np.zeros(0), *values]))
    else:
        flat = pa.array([item for value in values for item in value], pa.string())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), flat)


def _numbers(values: Any) -> pa.Array:
    numbers = np.asarray(values, dtype=np.float64)
    return pa.array(numbers, pa.float64(), mask=~np.isfinite(numbers))
