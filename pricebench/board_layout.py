"""What the boards of all instruments look like: words, columns, the shape of a look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pricebench.board import ModelLine, Study
from pricebench.reader import Grid
from pricebench.render import NOTHING

WIDTH = 100
LABELS = {"as_published": "published", "audited": "audited", "difference": "difference"}
SHARED_WORDS = {"run_date": "run date", "settings_label": "settings"}


@dataclass(frozen=True, slots=True)
class Look:
    """How the board of one instrument reads.

    Attributes
    ----------
    title
        What the instrument measures.
    simulated
        Stands in the title of a study that no real model answered.
    no_table
        Names studies whose answers the board does not show.
    legend
        Lines that explain the figures, below all tables.
    table
        A study as a table of at most `WIDTH` columns.
    grid
        A study as a markdown table, a row per model.
    detectable
        The smallest detectable difference in words.
    scope_titles
        Scope -> what it measures, where a study has more than one.
    """

    title: str
    simulated: str
    no_table: str
    legend: tuple[str, ...]
    table: Callable[[Study], str]
    grid: Callable[[Study], Grid]
    detectable: Callable[[float], str]
    scope_titles: Mapping[str, str] = field(default_factory=dict)


def text(value: Any) -> str:
    """Return a value as text; one that is missing or empty as a dash."""
    return NOTHING if value is None or value == "" else str(value)


def with_status(shown: str, status: str | None) -> str:
    """Return a figure with its status beside it, unless that is ``ok``."""
    return shown if status in (None, "ok") else f"{shown} {status}"


def count(number: int | None) -> str:
    """Return a count as text."""
    return NOTHING if number is None else f"{number:,}"


def percent(value: float, sign: str = "") -> str:
    """Show three digits of a percentage, as many as below a hundred."""
    digits = 0 if abs(value) >= 99.95 else 1
    # z: what rounds to nothing has no sign.
    return f"{value:{sign}z.{digits}f}"


def three_digits(value: float | None, form: str = "", most: int = 2) -> str:
    """Show three digits that count, of a fraction ``most``; csv and json carry all."""
    if value is None:
        return NOTHING
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else most
    return f"{value:{form}.{digits}f}"


def dollars(value: float | None) -> str:
    """Show dollars, a fraction of one in tenths of cents."""
    return NOTHING if value is None else f"${three_digits(value, ',', 3)}"


def interval(row: Mapping[str, Any], show: Callable[[float | None], str]) -> str:
    """Return the headline with its interval, where it has one."""
    shown = show(row.get("value"))
    if row.get("ci_lo") is not None and row.get("ci_hi") is not None:
        shown += f" [{show(row['ci_lo'])}, {show(row['ci_hi'])}]"
    return shown


def model_name(model: ModelLine) -> str:
    """Return the display name, or the id of a model that has none."""
    return text(model.shared["display_name"] or model.shared["model_id"])


def is_common(study: Study, column: str) -> bool:
    """Return whether all models of a study share a value."""
    return len({model.shared[column] for model in study.models}) == 1


def fact(study: Study, name: str) -> str:
    """Return a fact of a study as text; of a hash the first 12 digits."""
    value = text(study.facts[name])
    return value[:12] if name.endswith("sha256") else value


def total(widths: Sequence[int], gap: int) -> int:
    """Return how wide columns are with what stands between them."""
    return sum(widths) + gap * (len(widths) - 1)


def measure(rows: Sequence[Sequence[str]]) -> tuple[list[int], int]:
    """Return the columns' widths and what stands between them: 2, or 1 if crowded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return widths, 2 if total(widths, 2) <= WIDTH else 1


def align(
    row: Sequence[str], widths: Sequence[int], gap: int, right: Sequence[int] = ()
) -> str:
    """Return a row as a line.

    Parameters
    ----------
    row : sequence of str
        Its cells.
    widths : sequence of int
        As many widths.
    gap : int
        Blanks between two columns.
    right : sequence of int
        Places of the columns that end, and do not start, in one line.

    Returns
    -------
    str
        Without blanks at its end.
    """
    cells = (
        cell.rjust(width) if at in right else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return (" " * gap).join(cells).rstrip()
