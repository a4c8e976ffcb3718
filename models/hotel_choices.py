"""The long table of answers to one format, checked and laid out for fitting.

Axes: n situations (answers), j options.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from models.hotel_terms import CONTROLS, FORMAT_OPTIONS
from models.ordering import Bools, Floats, Ints, Texts

GROUP_KEYS = ("study_id", "model_id", "variant")
OPTIONS = FORMAT_OPTIONS["binary"]
CHOSEN_COLUMNS = ("chosen_as_published", "chosen_audited")
NUMBERS = ("slot_sign", *CONTROLS, "log_price", "price_usd")


@dataclass(frozen=True, slots=True)
class Layout:
    """What is read from the long table.

    Attributes
    ----------
    options
        Options of the format, in order.
    numbers
        Number columns, none of them empty.
    labels
        Text columns; an empty value is read as ``""``.
    chosen
        Columns that say which option was chosen.
    """

    options: tuple[str, ...] = OPTIONS
    numbers: tuple[str, ...] = NUMBERS
    labels: tuple[str, ...] = ()
    chosen: tuple[str, ...] = CHOSEN_COLUMNS

    @property
    def schema(self) -> pa.Schema:
        """Columns that the long table must have."""
        return pa.schema(
            [
                *((name, pa.string()) for name in GROUP_KEYS),
                ("input_fingerprint", pa.string()),
                ("answer_key", pa.string()),
                ("option", pa.string()),
                ("group_id", pa.int64()),
                ("hotel_id", pa.int64()),
                *((name, pa.float64()) for name in self.numbers),
                *((name, pa.string()) for name in self.labels),
                *((name, pa.bool_()) for name in self.chosen),
            ]
        )


TWO_OPTIONS = Layout()
INPUT_SCHEMA = TWO_OPTIONS.schema


@dataclass(frozen=True, slots=True)
class HotelChoices:
    """All answers to one format of one model in one study and variant.

    Attributes
    ----------
    study_id, model_id, variant, input_fingerprint
        Keys, and the fingerprint of the input that they came with.
    group_ids
        Shape (n,), the pair, triple or quintet of hotels.
    hotel_ids
        Shape (n, j), the hotels behind the options.
    numbers
        Shape (n, j) for each number column of the layout.
    chosen
        Shape (n,) for each chosen column of the layout: position of the option, 0 for
        A, -1 where the answer does not belong to the reading.
    labels
        Shape (n, j) for each text column of the layout.
    """

    study_id: str
    model_id: str
    variant: str
    input_fingerprint: str
    group_ids: Ints
    hotel_ids: Ints
    numbers: Mapping[str, Floats]
    chosen: Mapping[str, Ints]
    labels: Mapping[str, Texts] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str]:
        """Study, model and variant."""
        return self.study_id, self.model_id, self.variant


def read_choices(
    columns: pa.Table | Mapping[str, npt.ArrayLike], layout: Layout = TWO_OPTIONS
) -> Iterator[HotelChoices]:
    """Check the long table of answers and yield it model by model.

    Parameters
    ----------
    columns
        Arrow table, or arrays by name, with the columns of the layout's schema (others
        are ignored): one row for each option of each answer, in any order. Numbers are
        those of the option itself; ``slot_sign`` is +1 on option A's row when A was
        shown first, -1 when second, and 0 on option B's row. The chosen columns are
        null on all rows where the answer does not belong to the reading.
    layout
        Format and columns; by default the terms of the two-option price forms.

    Yields
    ------
    HotelChoices
        In ascending order of study, model and variant; answers in ascending order of
        ``answer_key``. Nothing for an empty table.

    Raises
    ------
    ValueError
        A missing column; a value that is missing or not finite; an answer that has not
        exactly the options of the format, that mixes two groups, or in which not
        exactly one option is chosen; the message names the first answer at fault.
    """
    table = _ordered(_typed(columns, layout), layout)
    if table.num_rows == 0:
        return
    keys = _Keys(table, len(layout.options))
    _check_options(table, keys, layout.options)
    chosen = {name: _chosen(table, name, keys) for name in layout.chosen}
    group_ids = keys.by_answer("group_id")
    keys.refuse(
        (group_ids != group_ids[:, :1]).any(axis=1), "its options differ in group_id"
    )
    numbers = {name: keys.by_answer(name) for name in layout.numbers}
    for name, values in numbers.items():
        keys.refuse(~np.isfinite(values).all(axis=1), f"{name} is not finite")
    labels = {name: keys.by_answer(name) for name in layout.labels}
    hotel_ids = keys.by_answer("hotel_id")
    for start, stop in keys.blocks():
        part = slice(start, stop)
        yield HotelChoices(
            *keys.of_block(start, stop),
            group_ids=group_ids[part, 0],
            hotel_ids=hotel_ids[part],
            numbers={name: values[part] for name, values in numbers.items()},
            chosen={name: values[part] for name, values in chosen.items()},
            labels={name: values[part] for name, values in labels.items()},
        )


def _typed(columns: pa.Table | Mapping[str, npt.ArrayLike], layout: Layout) -> pa.Table:
    names = columns.column_names if isinstance(columns, pa.Table) else list(columns)
    schema = layout.schema
    absent = [name for name in schema.names if name not in names]
    if absent:
        raise ValueError(f"hotel answers: no column {absent[0]!r}; add it to the input")
    arrays = []
    for wanted in schema:
        column = columns[wanted.name]
        if not isinstance(column, pa.ChunkedArray | pa.Array):
            column = pa.array(column, from_pandas=True)
        column = column.cast(wanted.type)
        is_label = wanted.name in layout.labels
        arrays.append(pc.fill_null(column, "") if is_label else column)
    return pa.Table.from_arrays(arrays, schema=schema)


def _ordered(table: pa.Table, layout: Layout) -> pa.Table:
    for name in table.column_names:
        if name not in layout.chosen and table[name].null_count:
            row = pc.index(pc.is_null(table[name]), True).as_py()
            key = table["answer_key"][row].as_py()
            raise ValueError(f"hotel answers: {name} is missing in answer {key!r}")
    order = [(name, "ascending") for name in (*GROUP_KEYS, "answer_key", "option")]
    return table.take(pc.sort_indices(table, sort_keys=order)).combine_chunks()


class _Keys:
    """Keys of an ordered table, and messages that name them."""

    def __init__(self, table: pa.Table, options: int) -> None:
        self._table = table
        self.options = options
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

    def by_answer(self, name: str) -> npt.NDArray[Any]:
        """Return a column with a row for each answer and a place for each option."""
        values: npt.NDArray[Any] = self._table[name].to_numpy()
        return values.reshape(-1, self.options)

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield first and last-plus-one answer of each model."""
        block = self.block_of_row[0 :: self.options]
        edges = np.flatnonzero(np.diff(block)) + 1
        bounds = [0, *edges.tolist(), len(block)]
        yield from pairwise(bounds)

    def of_block(self, start: int, stop: int) -> tuple[str, str, str, str]:
        """Return the keys and the one fingerprint of a model's answers."""
        row = self._table.slice(self.options * start, self.options * (stop - start))
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
            self.refuse_row(self.options * int(np.flatnonzero(bad)[0]), what)

    def refuse_row(self, row: int, what: str) -> None:
        """Raise for the answer in one row."""
        table = self._table
        answer = table["answer_key"][row].as_py()
        owner = [table[name][row].as_py() for name in GROUP_KEYS]
        raise ValueError(f"hotel answers: answer {answer!r} of {owner}: {what}")


def _check_options(table: pa.Table, keys: _Keys, options: Sequence[str]) -> None:
    rows, size = table.num_rows, len(options)
    answers = keys.codes("answer_key")
    # the sort puts each answer's options together, so a full table repeats A, B, ...
    expected = np.resize(np.array(options, dtype=object), rows)
    bad = table["option"].to_numpy() != expected
    apart = np.zeros(rows, dtype=bool)
    apart[1:] = (answers[1:] != answers[:-1]) | (
        keys.block_of_row[1:] != keys.block_of_row[:-1]
    )
    apart[0::size] = False
    bad[np.flatnonzero(apart) // size * size] = True
    if rows % size:
        bad[-1] = True
    if bad.any():
        wanted = " and one for ".join(options)
        keys.refuse_row(
            int(np.flatnonzero(bad)[0]), f"needs one row for option {wanted}"
        )


def _chosen(table: pa.Table, name: str, keys: _Keys) -> Ints:
    flags = pc.fill_null(table[name].cast(pa.int8()), -1).to_numpy()
    flags = flags.reshape(-1, keys.options)
    outside = (flags == -1).all(axis=1)
    keys.refuse(
        ~outside & ((flags == -1).any(axis=1) | (flags.sum(axis=1) != 1)),
        f"{name} must mark exactly one option, or be null on all",
    )
    return np.where(outside, -1, flags.argmax(axis=1)).astype(np.int64)
