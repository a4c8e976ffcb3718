"""What became of a rule, and the rows that break it in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from expectations.rules import FILE_COLUMNS, ROW_COLUMNS, Rule

if TYPE_CHECKING:
    import pandas as pd

# Rows named in a result; the count beside them is complete.
SAMPLE_ROWS = 5

_HASH = re.compile("[0-9a-f]{64}")

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one rule.

    Attributes
    ----------
    table, expectation, column, severity
        Which rule; ``column`` is null for a rule on whole rows.
    status
        ``ok``, ``failed`` (rows break it) or ``error`` (it could not be checked).
    element_count, unexpected_count
        Rows of the table and rows that break the rule; null after an error.
    sample
        The first offenders, by key, file and row, or the error's text; null where the
        rule holds.
    source_files
        Files that the sampled offenders came from; null where none is known.
    """

    table: str
    expectation: str
    column: str | None
    severity: str
    status: str
    element_count: int | None = None
    unexpected_count: int | None = None
    sample: str | None = None
    source_files: str | None = None


def counted(
    rule: Rule, holds: bool, rows: int, broken: int, offenders: pd.DataFrame, keys: Keys
) -> Outcome:
    """Return the outcome of a rule that was checked.

    Parameters
    ----------
    rule
        The rule.
    holds
        What the check said.
    rows, broken
        Rows of the table and rows that break the rule.
    offenders
        The rows to name, at most ``SAMPLE_ROWS``; read only where the rule is broken.
    keys
        Columns that name a row of the table in a message; a rule without columns of
        its own shows all that the offenders have.

    Returns
    -------
    Outcome
        ``ok`` or ``failed``, with the offenders in words and the files they came from.
    """
    outcome = Outcome(
        table=rule.table,
        expectation=rule.name,
        column=_column(rule),
        severity=rule.severity,
        status="ok" if holds else "failed",
        element_count=rows,
        unexpected_count=broken,
    )
    if holds:
        return outcome
    shown = (*keys, *rule.columns) if rule.columns else tuple(offenders.columns)
    known = offenders.astype(object).where(offenders.notna(), None)
    named = known.to_dict("records")
    files = [str(row[name]) for row in named for name in FILE_COLUMNS if row.get(name)]
    return replace(
        outcome,
        sample="; ".join(_describe(row, shown) for row in named),
        source_files=", ".join(dict.fromkeys(files)) or None,
    )


def errored(rule: Rule, error: Exception | str) -> Outcome:
    """Return the outcome of a rule that could not be checked.

    Parameters
    ----------
    rule
        The rule.
    error
        What was raised, or its text.

    Returns
    -------
    Outcome
        ``error``, with the text on one line.
    """
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return Outcome(
        table=rule.table,
        expectation=rule.name,
        column=_column(rule),
        severity=rule.severity,
        status="error",
        sample=" ".join(text.split()),
    )


def _column(rule: Rule) -> str | None:
    return ", ".join(rule.columns) or None


def _describe(row: Mapping[str, Any], shown: tuple[str, ...]) -> str:
    """Return ``key=value, ... (file row n)`` for one offender."""
    places = (*FILE_COLUMNS, *ROW_COLUMNS)
    named = ", ".join(
        f"{column}={_shorten(row[column])}"
        for column in dict.fromkeys(shown)
        if column in row and column not in places
    )
    file = next((row[name] for name in FILE_COLUMNS if row.get(name)), None)
    number = next((row[name] for name in ROW_COLUMNS if row.get(name)), None)
    if file is None:
        return named
    return f"{named} ({file}" + (")" if number is None else f" row {number})")


def _shorten(value: Any) -> str:
    """Return a value as text, a hash by its first digits."""
    if value is None:
        return "null"
    text = str(value)
    return f"{text[:12]}…" if _HASH.fullmatch(text) else text
