"""What a bank of hotel tasks can teach about a model with assumed tastes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from models import status
from models.design import (
    d_error,
    detectable_difference,
    difference_correlation,
    expected_covariance,
    expected_information,
    identified_terms,
    variance_inflation,
)
from models.hotel_terms import (
    ATTRIBUTES,
    CONTROLS,
    SLOT,
    SPECIFICATIONS,
    Specification,
)
from models.inference import ratio_std_error
from models.ordering import Bools, Floats, Ints
from models.tables import Row, build_table

# near the medians of the audited two-option fits to the published answers; a slot
# leaning costs precision, so one is assumed: first against last shown
ASSUMED_TASTES: Mapping[str, Mapping[str, float]] = {
    "log": {
        SLOT: 0.5,
        "stars": 0.8,
        "bed_rank": 0.15,
        "cancel": 1.8,
        "breakfast": 2.0,
        "review_score": 2.4,
        "review_count_100": 0.01,
        "log_price": -2.3,
    },
    "linear": {
        SLOT: 0.5,
        "stars": 0.4,
        "bed_rank": 0.15,
        "cancel": 1.9,
        "breakfast": 2.0,
        "review_score": 2.5,
        "review_count_100": 0.01,
        "price": -0.005,
    },
}

_KEYS = ("bank_sha256", "block")
_SET = (*_KEYS, "task_id", "ordering")
_NUMBERS = (*CONTROLS, "log_price", "price_usd")
DESIGN_INPUT_SCHEMA = pa.schema(
    [
        ("bank_sha256", pa.string()),
        ("block", pa.string()),
        ("task_id", pa.int64()),
        ("ordering", pa.string()),
        ("option", pa.string()),
        ("slot", pa.int64()),
        *((name, pa.float64()) for name in _NUMBERS),
    ]
)

_NUMBER = pa.float64()
DESIGN_SCHEMA = pa.schema(
    [
        pa.field("bank_sha256", pa.string(), nullable=False),
        pa.field("block", pa.string(), nullable=False),
        pa.field("specification", pa.string(), nullable=False),
        pa.field("term", pa.string(), nullable=False),
        pa.field("bank_tasks", pa.int64(), nullable=False),
        pa.field("tasks", pa.int64(), nullable=False),
        pa.field("answers", pa.int64(), nullable=False),
        pa.field("assumed_taste", pa.float64(), nullable=False),
        pa.field("expected_std_error", _NUMBER),
        pa.field("variance_inflation", _NUMBER),
        pa.field("largest_correlation", _NUMBER),
        pa.field("correlated_with", pa.string()),
        pa.field("wtp_usd", _NUMBER),
        pa.field("wtp_std_error", _NUMBER),
        pa.field("wtp_detectable_difference", _NUMBER),
        pa.field("d_error", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
CORRELATION_SCHEMA = pa.schema(
    [
        pa.field("bank_sha256", pa.string(), nullable=False),
        pa.field("block", pa.string(), nullable=False),
        pa.field("specification", pa.string(), nullable=False),
        pa.field("term", pa.string(), nullable=False),
        pa.field("other_term", pa.string(), nullable=False),
        pa.field("correlation", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)


def design_table(
    columns: pa.Table | Mapping[str, npt.ArrayLike],
    *,
    tasks: int | None = None,
    tastes: Mapping[str, Mapping[str, float]] = ASSUMED_TASTES,
) -> pa.Table:
    """Say how precisely a bank's tasks would measure every term.

    Audited terms: slots, six controls, price in both forms. The information of the
    conditional logit is scaled to the number of tasks asked for; answers count as
    independent, so errors clustered by group come out larger where tastes vary.
    Willingness to pay by the delta method, Hole (2007, Health Economics 16).

    Parameters
    ----------
    columns
        Arrow table, or arrays by name, with the columns of ``DESIGN_INPUT_SCHEMA``: one
        row for each option of each task in each ordering that is asked; ``slot`` is the
        place from 1 at which the ordering shows the option.
    tasks
        Number of tasks to plan for, at least 1; those of the bank by default.
    tastes
        By specification, assumed tastes by term; ``slot`` is the leaning towards the
        first shown against every other place. Missing terms are 0.

    Returns
    -------
    pyarrow.Table
        ``DESIGN_SCHEMA``, one row for each term, in ascending order of bank and block.
        ``wtp_detectable_difference`` is the smallest difference in dollars a night
        between two such models that is found 80 % of the time; willingness to pay is
        null for other terms than the attributes, and with status ``weak`` where the
        price taste is 0. ``correlated_with`` is null where nothing moves with the term.
        A term without variation is ``no_variation``, and the other figures are those
        without it. ``d_error`` is that of the whole design. An empty input gives an
        empty table.

    Raises
    ------
    ValueError
        A missing column or value, sets that differ in size or show two options in one
        slot, an unknown term, or fewer than 1 task; the message names it.
    """
    if tasks is not None and tasks < 1:
        raise ValueError(f"tasks: {tasks}; plan for 1 or more")
    rows: list[Row] = []
    for bank in _banks(columns):
        planned = bank.tasks if tasks is None else tasks
        for specification in SPECIFICATIONS:
            assumed = tastes.get(specification.name, {})
            rows += _design_rows(bank, specification, assumed, planned)
    return build_table(rows, DESIGN_SCHEMA)


def correlation_table(columns: pa.Table | Mapping[str, npt.ArrayLike]) -> pa.Table:
    """List how strongly the terms of a bank move together between options.

    Parameters
    ----------
    columns
        As for ``design_table``.

    Returns
    -------
    pyarrow.Table
        ``CORRELATION_SCHEMA``, one row for each two terms, see
        ``difference_correlation``; null with ``no_variation`` where one never varies.
        An empty input gives an empty table.

    Raises
    ------
    ValueError
        As for ``design_table``.
    """
    rows: list[Row] = []
    for bank in _banks(columns):
        for specification in SPECIFICATIONS:
            names, x = _terms(bank, specification)
            matrix = difference_correlation(x)
            for one, other in zip(*np.triu_indices(len(names), k=1), strict=True):
                value = float(matrix[one, other])
                known = status.OK if np.isfinite(value) else status.NO_VARIATION
                rows.append(
                    {
                        "bank_sha256": bank.bank_sha256,
                        "block": bank.block,
                        "specification": specification.name,
                        "term": names[one],
                        "other_term": names[other],
                        "correlation": value,
                        "status": known,
                    }
                )
    return build_table(rows, CORRELATION_SCHEMA)


class _Bank(NamedTuple):
    """One block of a bank: slots (s, j) from 1, and numbers (s, j) by name."""

    bank_sha256: str
    block: str
    tasks: int
    slot: Ints
    numbers: Mapping[str, Floats]


def _banks(columns: pa.Table | Mapping[str, npt.ArrayLike]) -> Iterator[_Bank]:
    table = _typed(columns)
    order = [(name, "ascending") for name in (*_SET, "option")]
    table = table.take(pc.sort_indices(table, sort_keys=order)).combine_chunks()
    keys = list(zip(*(table[name].to_pylist() for name in _SET), strict=True))
    start = 0
    for name, run in groupby(keys, key=lambda key: key[:2]):
        members = list(run)
        stop = start + len(members)
        yield _bank(name, members, table.slice(start, stop - start))
        start = stop


def _typed(columns: pa.Table | Mapping[str, npt.ArrayLike]) -> pa.Table:
    names = columns.column_names if isinstance(columns, pa.Table) else list(columns)
    arrays = []
    for field in DESIGN_INPUT_SCHEMA:
        if field.name not in names:
            raise ValueError(f"design: no column {field.name!r}; add it to the input")
        column = columns[field.name]
        if not isinstance(column, pa.ChunkedArray | pa.Array):
            column = pa.array(column, from_pandas=True)
        column = column.cast(field.type)
        if column.null_count:
            row = pc.index(pc.is_null(column), True).as_py()
            raise ValueError(f"design: row {row} has no {field.name}; fill it")
        arrays.append(column)
    return pa.Table.from_arrays(arrays, schema=DESIGN_INPUT_SCHEMA)


def _bank(
    name: tuple[str, str], members: list[tuple[object, ...]], rows: pa.Table
) -> _Bank:
    sets = {key: len(list(run)) for key, run in groupby(members)}
    sizes = sorted(set(sets.values()))
    if len(sizes) > 1 or sizes[0] < 2:
        raise ValueError(
            f"design: block {name[1]!r} has sets of {sizes} options; give each block "
            "sets of one size, 2 or more"
        )
    slot = rows["slot"].to_numpy().reshape(-1, sizes[0])
    wrong = (np.sort(slot, axis=1) != np.arange(1, sizes[0] + 1)).any(axis=1)
    if wrong.any():
        odd = list(sets)[int(np.flatnonzero(wrong)[0])]
        raise ValueError(
            f"design: task {odd[2]} {odd[3]}: slots must be 1 to {sizes[0]}, each once"
        )
    numbers = {one: rows[one].to_numpy().reshape(slot.shape) for one in _NUMBERS}
    return _Bank(*name, len({key[2] for key in sets}), slot, numbers)


def _terms(bank: _Bank, specification: Specification) -> tuple[list[str], Floats]:
    """Return the names of the audited terms and what each option has of them."""
    j = bank.slot.shape[1]
    if j == 2:
        slots = {SLOT: np.where(bank.slot == 1, 1.0, -1.0) * [1.0, 0.0]}
    else:
        slots = {f"{SLOT}{k}": (bank.slot == k) * 1.0 for k in range(1, j)}
    others = {name: bank.numbers[name] for name in CONTROLS}
    price = {specification.price_term: bank.numbers[specification.price_column]}
    columns = {**slots, **others, **price}
    return list(columns), np.stack(list(columns.values()), axis=2)


def _design_rows(
    bank: _Bank,
    specification: Specification,
    tastes: Mapping[str, float],
    planned: int,
) -> list[Row]:
    names, x = _terms(bank, specification)
    assumed = _assumed(names, specification, tastes)
    varies = identified_terms(x)
    information = expected_information(x, assumed)[np.ix_(varies, varies)]
    information *= planned / bank.tasks
    covariance = np.full((len(names), len(names)), np.nan)
    covariance[np.ix_(varies, varies)] = expected_covariance(information)
    orderings = len(x) / bank.tasks
    shared = {
        "bank_sha256": bank.bank_sha256,
        "block": bank.block,
        "specification": specification.name,
        "bank_tasks": bank.tasks,
        "tasks": planned,
        "answers": round(planned * orderings),
        "d_error": d_error(information),
    }
    together = _together(names, x, varies)
    return [
        {
            **shared,
            "term": name,
            "assumed_taste": float(assumed[place]),
            "expected_std_error": float(np.sqrt(covariance[place, place])),
            **together[place],
            **_worth(names, place, assumed, covariance, specification),
        }
        for place, name in enumerate(names)
    ]


def _assumed(
    names: list[str], specification: Specification, tastes: Mapping[str, float]
) -> Floats:
    unknown = sorted(set(tastes) - {SLOT, *names})
    if unknown:
        raise ValueError(
            f"tastes, {specification.name}: unknown term {unknown[0]!r}; use {names}"
        )
    leaning = {names[0]: tastes.get(SLOT, 0.0)}
    return np.array([{**leaning, **tastes}.get(name, 0.0) for name in names])


def _together(names: list[str], x: Floats, varies: Bools) -> list[Row]:
    """Return inflation and strongest companion of each term."""
    matrix = difference_correlation(x)
    factors = np.full(len(names), np.nan)
    factors[varies] = variance_inflation(matrix[np.ix_(varies, varies)])
    size = np.abs(np.where(np.isfinite(matrix), matrix, 0.0))
    np.fill_diagonal(size, 0.0)
    found = []
    for place in range(len(names)):
        other = int(size[place].argmax())
        alone = not size[place, other] > 0
        known = bool(np.isfinite(matrix[place, place]))
        strongest = 0.0 if alone else float(matrix[place, other])
        found.append(
            {
                "variance_inflation": float(factors[place]),
                "largest_correlation": strongest if known else np.nan,
                "correlated_with": None if alone else names[other],
            }
        )
    return found


def _worth(
    names: list[str],
    place: int,
    assumed: Floats,
    covariance: Floats,
    specification: Specification,
) -> Row:
    """Return willingness to pay, its error, what can be told apart, and the status."""
    worth = error = float(np.nan)
    label = status.OK if np.isfinite(covariance[place, place]) else status.NO_VARIATION
    if names[place] in ATTRIBUTES:
        price = names.index(specification.price_term)
        scale = specification.reference_price_usd or 1.0
        a, b = float(assumed[place]), float(assumed[price])
        if b == 0:
            label = status.worst((label, status.WEAK))
        else:
            both = covariance[np.ix_([place, price], [place, price])]
            worth, error = -a / b * scale, ratio_std_error(a, b, both, scale=scale)
    return {
        "wtp_usd": worth,
        "wtp_std_error": error,
        "wtp_detectable_difference": detectable_difference(error, error),
        "status": label,
    }
