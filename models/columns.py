"""Columns in, checked rows out: what every second-stage table does with its input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import TypeAlias

import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from models.tables import Row

Columns: TypeAlias = pa.Table | Mapping[str, npt.ArrayLike]


def read_rows(
    columns: Columns, schema: pa.Schema, keys: Sequence[str], *, what: str
) -> list[Row]:
    """Check a table and return its rows in ascending order of the keys.

    Parameters
    ----------
    columns
        Arrow table, or arrays by name; columns outside the schema are ignored.
    schema
        Names, types and which of them may be null.
    keys
        Names of the columns that tell rows apart.
    what
        What the rows are, to open every message.

    Returns
    -------
    list of dict
        One mapping for each row, undefined numbers (null, NaN, infinite) as None. Empty
        for an empty table.

    Raises
    ------
    ValueError
        A missing column, a value of another type, a null where none may be, or a key
        that stands twice; the message names the column or the row.
    """
    names = columns.column_names if isinstance(columns, pa.Table) else list(columns)
    for name in schema.names:
        if name not in names:
            raise ValueError(f"{what}: no column {name!r}; add it to the input")
    arrays = [_typed(columns[field.name], field, what) for field in schema]
    rows: list[Row] = pa.Table.from_arrays(arrays, names=schema.names).to_pylist()
    rows.sort(key=lambda row: tuple(row[key] for key in keys))
    for row, after in pairwise(rows):
        if all(row[key] == after[key] for key in keys):
            found = " ".join(str(row[key]) for key in keys)
            raise ValueError(f"{what}: {found} stands twice; give each key one row")
    return rows


def families(rows: Sequence[Row], keys: Sequence[str]) -> Iterator[list[Row]]:
    """Yield runs of rows that agree in some keys.

    Parameters
    ----------
    rows
        In ascending order of the keys.
    keys
        Names to group by.

    Yields
    ------
    list of dict
        At least one row each; nothing without rows.
    """
    for _, members in groupby(rows, key=lambda row: [row[key] for key in keys]):
        yield list(members)


def _typed(
    values: pa.ChunkedArray | npt.ArrayLike, field: pa.Field, what: str
) -> pa.Array:
    try:
        column = (
            values
            if isinstance(values, pa.ChunkedArray | pa.Array)
            else pa.array(values, from_pandas=True)
        )
        column = column.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(
            f"{what}: column {field.name!r} must hold {field.type}: {reason}"
        ) from None
    if pa.types.is_floating(field.type):
        column = pc.if_else(pc.is_finite(column), column, None)
    if column.null_count and not field.nullable:
        row = pc.index(pc.is_null(column), True).as_py()
        raise ValueError(f"{what}: row {row}: {field.name} is missing")
    return column
