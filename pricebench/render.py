"""Printing a result as text, csv, json or markdown."""

from __future__ import annotations

import csv
import io
import json
import math
from datetime import date, datetime, time
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pricebench.console import in_colour, on_terminal
from pricebench.errors import CommandError
from pricebench.reader import Grid

NOTHING = "–"


class Format(StrEnum):
    """How a result is printed."""

    table = "table"
    csv = "csv"
    json = "json"
    md = "md"


def render(grid: Grid, form: Format, clip: int | None = None) -> str:
    """Print a grid in one of four formats.

    Parameters
    ----------
    grid : Grid
        The result; no rows give a header alone (``[]`` in json).
    form : Format
        ``table`` for a reader, ``md`` for a page, ``csv`` and ``json`` for a program:
        these two carry every digit.
    clip : int, optional
        In ``table``, cut text after this many characters, the last of them ``…``.

    Returns
    -------
    str
        The text. In ``table`` and ``md`` a double has 6 significant digits, or all of
        its whole part. A null is ``–`` there, an empty field in ``csv`` and ``null`` in
        ``json``; so is a number that is not finite in ``json``, which has no name for
        it.

    Raises
    ------
    CommandError
        If two columns share a name in ``json``, where one would hide the other.
    """
    if form is Format.table:
        return to_table(grid, clip)
    writers = {
        Format.csv: to_csv,
        Format.json: to_json,
        Format.md: to_markdown,
    }
    return writers[form](grid)


def to_csv(grid: Grid) -> str:
    """Print a grid as comma-separated values with a header and bare line feeds."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(grid.columns)
    writer.writerows([_csv_cell(value) for value in row] for row in grid.rows)
    return out.getvalue()


def to_json(grid: Grid) -> str:
    """Print a grid as a JSON list of objects, one per row."""
    twice = sorted({c for c in grid.columns if grid.columns.count(c) > 1})
    if twice:
        raise CommandError(
            f"json cannot hold two columns named {', '.join(twice)}: give each an "
            "alias with AS, or use --format csv"
        )
    return dump_json(grid.records())


def dump_json(value: Any) -> str:
    """Print nested lists and dictionaries of database values as JSON."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def to_markdown(grid: Grid) -> str:
    """Print a grid as a markdown table."""
    lines = [grid.columns, tuple("---" for _ in grid.columns)]
    lines += [tuple(_words(value) for value in row) for row in grid.rows]
    return "\n".join(
        "| " + " | ".join(_markdown_cell(cell) for cell in line) + " |"
        for line in lines
    )


def to_table(grid: Grid, clip: int | None = None) -> str:
    """Print a grid as aligned columns: colour and folding on a terminal only."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    for at, name in enumerate(grid.columns):
        numbers = all(_is_number(row[at]) for row in grid.rows)
        table.add_column(
            Text(name),
            justify="right" if grid.rows and numbers else "left",
            overflow="fold",
        )
    for row in grid.rows:
        table.add_row(*(Text(_clipped(_words(value), clip)) for value in row))
    return _print_rich(table)


def _print_rich(renderable: Any) -> str:
    """Turn a rich object into text, escape codes and folding for a terminal only."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out,
        force_terminal=in_colour(),
        width=None if on_terminal() else 100_000,
        highlight=False,
    )
    console.print(renderable)
    lines = (line.rstrip() for line in out.getvalue().split("\n"))
    return "\n".join(lines).strip("\n")


def plain(value: Any) -> Any:
    """Turn a database value into one that JSON can hold, without loss of digits.

    Parameters
    ----------
    value : object
        Whatever a column of the warehouse can hold, nested or not.

    Returns
    -------
    object
        Numbers stay numbers; a decimal that no double holds exactly becomes text; a
        number that is not finite becomes null; dates and times become ISO text.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return float(value) if Decimal(repr(float(value))) == value else str(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    return str(value)


def _is_number(value: Any) -> bool:
    return value is None or (
        isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    )


def _words(value: Any) -> str:
    if value is None:
        return NOTHING
    return _rounded(value) if isinstance(value, float) else _flat(value)


def _rounded(value: float) -> str:
    # A whole part is never rounded away: 12345700.0 would look exact.
    if 1e6 <= abs(value) < 1e15:
        return f"{value:.0f}"
    return repr(float(f"{value:.6g}"))


def _clipped(text: str, length: int | None) -> str:
    if length is None or len(text) <= length:
        return text
    return text[: length - 1] + "…"


def _csv_cell(value: Any) -> Any:
    return "" if value is None else _flat(value)


def _flat(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(plain(value), ensure_ascii=False)
    if isinstance(value, (date, datetime, time, bytes, bytearray)):
        return str(plain(value))
    return str(value)


def _markdown_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\r\n", " ").replace("\n", "<br>")
