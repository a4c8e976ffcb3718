"""Reading a CSV file strictly: true line numbers, broken rows set aside, none lost."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.errors import LoadError

_OTHER_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
# the csv module's words for a quote that no later character closes
_OPEN_QUOTE = "unexpected end of data"
_POINT_NUMBER = re.compile(r"-?[0-9]+\.[0-9]+")


@dataclass(frozen=True, slots=True)
class Row:
    """One record: where it starts and ends, and its fields.

    Attributes
    ----------
    line
        Line where it starts; the header is line 1.
    end
        Its last line; larger than ``line`` where a quoted field has line breaks.
    fields
        Texts in the order of the columns that were asked for.
    """

    line: int
    end: int
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """One record that is no row of the table, with the reason."""

    line: int
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A file taken apart; every line is in ``rows``, in ``broken`` or blank.

    Attributes
    ----------
    rows, broken
        In file order.
    lines
        The file's lines with their ends, header included.
    ended
        Whether the last line has its line break.
    columns
        Columns in the order of the file.
    open_end
        The last row where it lacks its line break: with all its fields it is a row, and
        yet its last field may be cut. None where the row is broken or complete.
    """

    rows: tuple[Row, ...]
    broken: tuple[BrokenRow, ...]
    lines: tuple[str, ...]
    ended: bool
    columns: tuple[str, ...] = ()
    open_end: Row | None = None

    def text(self, row: Row) -> str:
        """Return a row as it stands in the file, without its last line break."""
        return _text(self.lines, row.line - 1, row.end)


def read_csv(name: str, data: bytes, columns: Sequence[str]) -> CsvFile:
    """Take a comma-separated file with a header apart.

    Parameters
    ----------
    name
        How messages name the file.
    data
        Its bytes: UTF-8, with or without a byte-order mark; any line ends.
    columns
        The columns it must have, in the order wanted; the file may have another.

    Returns
    -------
    CsvFile
        No rows for a file with a header alone. Blank lines are no rows. A last row
        without a line break is a row like any other, unless its last number lacks the
        decimals that its whole column has: then it is cut, and broken.

    Raises
    ------
    LoadError
        Where the file as a whole cannot be read: empty, binary, another encoding or
        delimiter, a header that repeats, lacks or adds a column.
    """
    lines = tuple(io.StringIO(_decode(name, data), newline=""))
    header = _header(name, lines, columns)
    order = [header.index(column) for column in columns]
    rows: list[Row] = []
    broken: list[BrokenRow] = []
    position = 1
    while position < len(lines):
        position = _read_run(lines, position, order, rows, broken)
    ended = lines[-1][-1] in "\r\n"
    open_end = None
    if not ended and rows and rows[-1].end == len(lines):
        last = columns.index(header[-1])
        reason = _cut_number(columns[last], [row.fields[last] for row in rows])
        if reason is None:
            open_end = rows[-1]
        else:
            row = rows.pop()
            text = _text(lines, row.line - 1, row.end)
            broken.append(BrokenRow(row.line, reason, text))
    return CsvFile(tuple(rows), tuple(broken), lines, ended, tuple(header), open_end)


def _cut_number(column: str, texts: Sequence[str]) -> str | None:
    """Return why the last text of a column must be cut, None where nothing tells."""
    *others, last = texts
    filled = [text for text in others if text]
    if not last or not filled or _POINT_NUMBER.fullmatch(last):
        return None
    if not all(_POINT_NUMBER.fullmatch(text) for text in filled):
        return None
    return (
        f"the file ends inside this row: {column} {last!r} lacks the decimals that "
        "every other row has"
    )


def _read_run(
    lines: tuple[str, ...],
    base: int,
    order: list[int],
    rows: list[Row],
    broken: list[BrokenRow],
) -> int:
    """Read up to the first broken row; return the index of the line to go on at."""
    width = len(order)
    reader = csv.reader(lines[base:], strict=True)
    while True:
        start = base + reader.line_num
        fault = None
        try:
            fields = next(reader, None)
        except csv.Error as error:
            fields, fault = [], str(error)
        if fields is None:
            return len(lines)
        end = base + reader.line_num
        if fault is None and len(fields) == width:
            rows.append(Row(start + 1, end, tuple(fields[i] for i in order)))
        elif fault is not None or fields:
            resume = end if end == start + 1 else _resume(lines, start + 1, width)
            reason = _reason(fault, len(fields), width, resume == len(lines), lines)
            broken.append(BrokenRow(start + 1, reason, _text(lines, start, resume)))
            return resume


def _resume(lines: tuple[str, ...], start: int, width: int) -> int:
    """Return the first line from ``start`` on that is a whole row by itself.

    A stray quote swallows the rows after it up to the next quote; without going back,
    one bad character would take good rows along.
    """
    for index in range(start, len(lines)):
        try:
            fields = next(csv.reader([lines[index]], strict=True), [])
        except csv.Error:
            continue
        if len(fields) == width:
            return index
    return len(lines)


def _reason(
    fault: str | None, found: int, width: int, last: bool, lines: tuple[str, ...]
) -> str:
    if fault == _OPEN_QUOTE:
        where = "the file ends inside this row: " if last else ""
        return f"{where}a quote is opened and never closed"
    if fault is not None:
        return f"not readable as CSV ({fault})"
    cut = last and found < width and lines[-1][-1] not in "\r\n"
    where = "the file ends inside this row: " if cut else ""
    return f"{where}{found} fields instead of {width}"


def _text(lines: tuple[str, ...], start: int, end: int) -> str:
    return "".join(lines[start:end]).rstrip("\r\n")


def _decode(name: str, data: bytes) -> str:
    if not data.strip():
        raise LoadError(f"{name} is empty; fetch it again or take it out")
    if data.startswith(_OTHER_ENCODINGS):
        raise LoadError(f"{name} is UTF-16 text; save it as UTF-8")
    nul = data.find(b"\0")
    if nul >= 0:
        raise LoadError(
            f"{name} is binary, not text (a NUL byte in line "
            f"{data.count(10, 0, nul) + 1}); fetch it again"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LoadError(
            f"{name} is not UTF-8 text (byte 0x{data[error.start]:02x} in line "
            f"{data.count(10, 0, error.start) + 1}); save it as UTF-8 or fetch it again"
        ) from error


def _header(name: str, lines: tuple[str, ...], columns: Sequence[str]) -> list[str]:
    try:
        header = next(csv.reader([lines[0]], strict=True), [])
    except csv.Error as error:
        raise LoadError(
            f"{name} line 1: the header is not readable as CSV ({error}); correct it"
        ) from error
    if len(header) < len(columns):
        for mark, word in _OTHER_DELIMITERS.items():
            if lines[0].count(mark) >= len(columns) - 1 > 0:
                raise LoadError(
                    f"{name} separates its fields by {word}; save it with commas"
                )
    counted = Counter(header)
    repeated = [column for column, count in counted.items() if count > 1]
    missing = [column for column in columns if column not in counted]
    unexpected = [column for column in counted if column not in columns]
    faults = [
        f"{word} {_list(found)}"
        for word, found in (
            ("repeats", repeated),
            ("lacks", missing),
            ("has the unknown", unexpected),
        )
        if found
    ]
    if faults:
        raise LoadError(
            f"{name} line 1: the header {' and '.join(faults)}; it must name "
            f"{_list(columns)} once each"
        )
    return header


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name)[1:-1] or "an empty name" for name in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "")
