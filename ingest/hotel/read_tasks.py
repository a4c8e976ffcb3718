"""Reading a file of choice tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ingest.csv_rows import Row, read_csv
from ingest.errors import LoadError
from ingest.fields import filled, number, one_of, price, whole
from ingest.hotel.shapes import BANK_TYPES
from ingest.parsed_file import FileId, ParsedFile, RowError, parse_csv, parse_fields
from ingest.schemas import OPTION_COUNT, OPTION_FIELDS, OPTION_LETTERS, RAW_HOTEL

HEAD = ("task_id", "task_type", "group_id", "rep")

_flag = whole(0, 1)
OPTION_PARSERS: dict[str, Callable[[str], Any]] = {
    "hotel_id": whole(1),
    "name": filled,
    "stars": number(0, 5),
    "neighborhood": filled,
    "review_score": number(0, 10),
    "review_count": whole(0),
    "room_type": filled,
    "cancellation_free": _flag,
    "breakfast_included": _flag,
    "amenities": str,  # a hotel may list none
    "price": price,
}


def option_columns(letter: str) -> tuple[str, ...]:
    """Return the columns of one option, as ``a_hotel_id`` … ``a_price``."""
    return tuple(f"{letter.lower()}_{field}" for field, _ in OPTION_FIELDS)


def task_columns(kind: str) -> tuple[str, ...]:
    """Return the columns of a task file.

    Parameters
    ----------
    kind
        ``conjoint`` (two or three options, columns for three) or ``fiveopt``.

    Returns
    -------
    tuple of str
        In the order of the published file.
    """
    letters = OPTION_LETTERS[: max(OPTION_COUNT[one] for one in BANK_TYPES[kind])]
    return HEAD + tuple(name for letter in letters for name in option_columns(letter))


def read_tasks(file: FileId, data: bytes, kind: str) -> ParsedFile:
    """Read a bank: one row per task, the options it has filled, the others null.

    Parameters
    ----------
    file
        With ``bank_sha256`` = ``sha256``: a bank is named by its file's hash.
    data
        The file's bytes.
    kind
        ``conjoint`` or ``fiveopt``; task types must be those of the kind.

    Returns
    -------
    ParsedFile
        For ``raw_hotel.task``. Of two rows with one ``task_id`` the second is set
        aside.

    Raises
    ------
    LoadError
        Where the file cannot be read as a whole, or no row of it is a task.
    """
    columns = task_columns(kind)
    content = read_csv(file.name, data, columns)
    first_line: dict[int, int] = {}

    def parse(row: Row) -> dict[str, Any]:
        values = _task(row.fields, columns, kind)
        seen = first_line.setdefault(values["task_id"], row.line)
        if seen != row.line:
            raise RowError(
                "task_id", f"task {values['task_id']} stands in line {seen} already"
            )
        return {"bank_sha256": file.sha256, **values}

    parsed = parse_csv(file, "task", RAW_HOTEL["task"], content, parse)
    if not parsed.table.num_rows:
        why = (
            f"line {parsed.quarantined[0].source_row}, {parsed.quarantined[0].field}: "
            f"{parsed.quarantined[0].reason}"
            if parsed.quarantined
            else "it has a header alone"
        )
        raise LoadError(f"{file.name} holds no readable task ({why}); fetch it again")
    return parsed


_HEAD_PARSERS = {
    kind: (whole(1), one_of(types), whole(1), whole(1))
    for kind, types in BANK_TYPES.items()
}


def _task(
    texts: tuple[str, ...], columns: tuple[str, ...], kind: str
) -> dict[str, Any]:
    head = len(HEAD)
    values = parse_fields(HEAD, _HEAD_PARSERS[kind], texts[:head])
    options = OPTION_COUNT[values["task_type"]]
    used = head + options * len(OPTION_FIELDS)
    parsers = list(OPTION_PARSERS.values()) * options
    values.update(parse_fields(columns[head:used], parsers, texts[head:used]))
    for name, text in zip(columns[used:], texts[used:], strict=True):
        if text:
            raise RowError(
                name,
                f"{text!r} where a {values['task_type']} task has no option "
                f"{name[0].upper()}",
            )
    return values
