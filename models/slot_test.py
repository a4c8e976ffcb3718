"""Whether a model picks all shown slots equally often, format by format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from models.inference import holm, uniform_test
from models.tables import Row, build_table

SLOT_COLUMNS = tuple(f"slot{place}_count" for place in range(1, 6))
SLOT_TEST_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("model_id", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("input_fingerprint", pa.string(), nullable=False),
        pa.field("format", pa.string(), nullable=False),
        pa.field("p_uniform", pa.float64()),
        pa.field("p_uniform_holm", pa.float64()),
    ]
)
_KEYS = ("study_id", "model_id", "variant", "format")


def slot_test_table(columns: pa.Table | Mapping[str, npt.ArrayLike]) -> pa.Table:
    """Test every format of every model for equal slot shares.

    Exact binomial for two slots, chi-square for more; Holm's adjustment over the
    formats of one model in one study and variant.

    Parameters
    ----------
    columns
        Arrow table, or arrays by name: ``study_id``, ``model_id``, ``variant``,
        ``input_fingerprint``, ``format`` and ``slot1_count`` ... ``slot5_count``, whole
        numbers of at least 0, null beyond the size of the format. One row for each
        format; a format that pools sizes has no slots to compare and must not be
        passed.

    Returns
    -------
    pyarrow.Table
        ``SLOT_TEST_SCHEMA``, in ascending order of the keys. Both p-values are null for
        a format without picks, which is then no member of the family. An empty input
        gives an empty table.

    Raises
    ------
    ValueError
        A missing column, a format that stands twice, or counts with a gap or fewer than
        two slots; the message names the row.
    """
    names = [*SLOT_TEST_SCHEMA.names[:5], *SLOT_COLUMNS]
    absent = [name for name in names if name not in _names(columns)]
    if absent:
        raise ValueError(f"slot counts: no column {absent[0]!r}; add it to the input")
    table = (
        columns.select(names)
        if isinstance(columns, pa.Table)
        else pa.table({n: pa.array(columns[n], from_pandas=True) for n in names})
    )
    rows = sorted(table.to_pylist(), key=lambda row: [row[key] for key in _KEYS])
    for row, after in pairwise(rows):
        if all(row[key] == after[key] for key in _KEYS):
            raise ValueError(f"slot counts: {_name(row)} stands twice")
    return build_table(_tested(rows), SLOT_TEST_SCHEMA)


def _names(columns: pa.Table | Mapping[str, npt.ArrayLike]) -> list[str]:
    return columns.column_names if isinstance(columns, pa.Table) else list(columns)


def _tested(rows: list[Row]) -> list[Row]:
    families: dict[tuple[str, ...], list[int]] = defaultdict(list)
    p_values = np.full(len(rows), np.nan)
    for index, row in enumerate(rows):
        families[row["study_id"], row["model_id"], row["variant"]].append(index)
        p_values[index] = uniform_test(_counts(row))
    adjusted = np.full(len(rows), np.nan)
    for members in families.values():
        adjusted[members] = holm(p_values[members])
    return [
        {
            **{name: row[name] for name in SLOT_TEST_SCHEMA.names[:5]},
            "p_uniform": p,
            "p_uniform_holm": p_holm,
        }
        for row, p, p_holm in zip(rows, p_values, adjusted, strict=True)
    ]


def _counts(row: Row) -> list[int]:
    counts = [row[name] for name in SLOT_COLUMNS if row[name] is not None]
    first = [row[name] for name in SLOT_COLUMNS[: len(counts)]]
    if len(counts) < 2 or None in first:
        raise ValueError(
            f"slot counts: {_name(row)}: give slot1_count up to the size of the format "
            "(at least 2) and null beyond it"
        )
    return counts


def _name(row: Row) -> str:
    return " ".join(str(row[key]) for key in _KEYS)
