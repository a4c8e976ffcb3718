"""The long table of two-option answers, checked and laid out for fitting.

Axes: n situations (answers), two options.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from models.hotel_terms import CONTROLS
from models.ordering import Bools, Floats, Ints

GROUP_KEYS = ("study_id", "model_id", "variant")
OPTIONS = ("A", "B")
CHOSEN_COLUMNS = ("chosen_as_published", "chosen_audited")
NUMBERS = ("slot_sign", *CONTROLS, "log_price", "price_usd")

INPUT_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in GROUP_KEYS),
        ("input_fingerprint", pa.string()),
        ("answer_key", pa.string()),
        ("option", pa.string()),
        ("group_id", pa.int64()),
        ("hotel_id", pa.int64()),
        *((name, pa.float64()) for name in NUMBERS),
        *((name, pa.bool_()) for name in CHOSEN_COLUMNS),
    ]
)
_NULLABLE = frozenset(CHOSEN_COLUMNS)


@dataclass(frozen=True, slots=True)
class HotelChoices:
    """All two-option answers of one model in one study and variant.

    Attributes
    ----------
    study_id, model_id, variant, input_fingerprint
        Keys, and the fingerprint of the input that they came with.
    group_ids
        Shape (n,), the pair of hotels.
    hotel_ids
        Shape (n, 2), the hotels behind options A and B.
    numbers
        Shape (n, 2) for each name in ``NUMBERS``.
    chosen
        Shape (n,) for each name in ``CHOSEN_COLUMNS``: 0 for option A, 1 for B, -1
        where the answer does not belong to the reading.
    """

    study_id: str
    model_id: str
    variant: str
    input_fingerprint: str
    group_ids: Ints
    hotel_ids: Ints
    numbers: Mapping[str, Floats]
    chosen: Mapping[str, Ints]


def read_choices(
    columns: pa.Table | Mapping[str, npt.ArrayLike],
) -> Iterator[HotelChoices]:
    """Check the long table of answers and yield it model by model.

    Parameters
    ----------
    columns
        Arrow table, or arrays by name, with the columns of ``INPUT_SCHEMA`` (others are
        ignored): one row for each option of each answer, in any order. Numbers are
        those of the option itself; ``slot_sign`` is +1 on option A's row when A was
        shown first, -1 when second, and 0 on option B's row. The chosen columns are
        null on both rows where the answer does not belong to the reading.

    Yields
    ------
    HotelChoices
        In ascending order of study, model and variant; answers in ascending order of
        ``answer_key``. Nothing for an empty table.

    Raises
    ------
    ValueError
        A missing column; a value that is missing or not finite; an answer that has not
        exactly the options A and B, that mixes two groups, or in which not exactly one
        option is chosen; the message names the first answer at fault.
    """
    table = _ordered(_typed(columns))
    if table.num_rows == 0:
        return
    keys = _Keys(table)
    _check_options(table, keys)
    chosen = {name: _chosen(table, name, keys) for name in CHOSEN_COLUMNS}
    group_ids = table["group_id"].to_numpy()
    keys.refuse(group_ids[0::2] != group_ids[1::2], "its options differ in group_id")
    numbers = {name: table[name].to_numpy().reshape(-1, 2) for name in NUMBERS}
    for name, values in numbers.items():
        keys.refuse(~np.isfinite(values).all(axis=1), f"{name} is not finite")
    hotel_ids = table["hotel_id"].to_numpy().reshape(-1, 2)
    for start, stop in keys.blocks():
        part = slice(start, stop)
        yield HotelChoices(
            *keys.of_block(start, stop),
            group_ids=group_ids[0::2][part],
            hotel_ids=hotel_ids[part],
            numbers={name: values[part] for name, values in numbers.items()},
            chosen={name: values[part] for name, values in chosen.items()},
        )


def _typed(columns: pa.Table | Mapping[str, npt.ArrayLike]) -> pa.Table:
    names = columns.column_names if isinstance(columns, pa.Table) else list(columns)
    absent = [name for name in INPUT_SCHEMA.names if name not in names]
    if absent:
        raise ValueError(f"hotel answers: no column {absent[0]!r}; add it to the input")
    arrays = []
    for field in INPUT_SCHEMA:
        column = columns[field.name]
        if not isinstance(column, pa.ChunkedArray | pa.Array):
            column = pa.array(column, from_pandas=True)
        arrays.append(column.cast(field.type))
    return pa.Table.from_arrays(arrays, schema=INPUT_SCHEMA)


def _ordered(table: pa.Table) -> pa.Table:
    for name in table.column_names:
        if name not in _NULLABLE and table[name].null_count:
            row = pc.index(pc.is_null(table[name]), True).as_py()
            key = table["answer_key"][row].as_py()
            raise ValueError(f"hotel answers: {name} is missing in answer {key!r}")
    order = [(name, "ascending") for name in (*GROUP_KEYS, "answer_key", "option")]
    return table.take(pc.sort_indices(table, sort_keys=order)).combine_chunks()


class _Keys:
    """Keys of an ordered table, and messages that name them."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        codes = [self.codes(name) for name in GROUP_KEYS]
        changes = np.zeros(table.num_rows, dtype=bool)
        for code in codes:
            changes[1:] |= code[1:] != code[:-1]
        self.block_of_row = np.cumsum(changes)

    def codes(self, name: str) -> Ints:
        """Return a code for each row, equal where the column is equal."""
        encoded = self._table[name].combine_chunks().dictionary_encode()
        codes: Ints = encoded.indices.to_numpy().astype(np.int64)
        return codes

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield first and last-plus-one answer of each model."""
        block = self.block_of_row[0::2]
        edges = np.flatnonzero(np.diff(block)) + 1
        bounds = [0, *edges.tolist(), len(block)]
        yield from pairwise(bounds)

    def of_block(self, start: int, stop: int) -> tuple[str, str, str, str]:
        """Return the keys and the one fingerprint of a model's answers."""
        row = self._table.slice(2 * start, 2 * (stop - start))
        prints = pc.unique(row["input_fingerprint"]).to_pylist()
        names = [row[name][0].as_py() for name in GROUP_KEYS]
        if len(prints) > 1:
            raise ValueError(
                f"hotel answers: {names} came with {len(prints)} values of "
                "input_fingerprint; give all its rows one"
            )
        return names[0], names[1], names[2], prints[0]

    def refuse(self, bad: Bools, what: str) -> None:
        """Raise for the first answer marked."""
        if bad.any():
            self.refuse_row(2 * int(np.flatnonzero(bad)[0]), what)

    def refuse_row(self, row: int, what: str) -> None:
        """Raise for the answer in one row."""
        table = self._table
        answer = table["answer_key"][row].as_py()
        owner = [table[name][row].as_py() for name in GROUP_KEYS]
        raise ValueError(f"hotel answers: answer {answer!r} of {owner}: {what}")


def _check_options(table: pa.Table, keys: _Keys) -> None:
    options = table["option"].to_numpy()
    answers = keys.codes("answer_key")
    # the sort puts each answer's options together, so a full table alternates A, B
    expected = np.where(np.arange(table.num_rows) % 2 == 0, *OPTIONS)
    bad = options != expected
    even = table.num_rows - table.num_rows % 2
    apart = (answers[0:even:2] != answers[1:even:2]) | (
        keys.block_of_row[0:even:2] != keys.block_of_row[1:even:2]
    )
    bad[0:even:2] |= apart
    if len(bad) > even:
        bad[-1] = True
    if bad.any():
        keys.refuse_row(
            int(np.flatnonzero(bad)[0]), "needs one row for option A and one for B"
        )


def _chosen(table: pa.Table, name: str, keys: _Keys) -> Ints:
    flags = pc.fill_null(table[name].cast(pa.int8()), -1).to_numpy().reshape(-1, 2)
    outside = (flags == -1).all(axis=1)
    keys.refuse(
        ~outside & ((flags == -1).any(axis=1) | (flags.sum(axis=1) != 1)),
        f"{name} must mark exactly one option, or be null on both",
    )
    return np.where(outside, -1, 1 - flags[:, 0]).astype(np.int64)
