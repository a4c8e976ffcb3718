"""Opening a warehouse to read it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pricebench.errors import CommandError, one_line

# An extension that is not built in would be fetched from the network.
_OFFLINE = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@dataclass(frozen=True, slots=True)
class Grid:
    """A result: column names, and rows of as many Python values each."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries keyed by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@contextmanager
def open_reader(warehouse: Path) -> Iterator[Any]:
    """Open a warehouse read-only, shut off from files and network.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse.

    Yields
    ------
    duckdb.DuckDBPyConnection
        A connection that can change nothing on disk: the database is read-only, and
        reading or writing any other file is refused for the life of the connection.

    Raises
    ------
    CommandError
        If the file is missing, held by a writer or not a warehouse.
    """
    import duckdb

    if not warehouse.exists():
        raise CommandError(
            f"no warehouse at {warehouse}: make one with `pricebench init`, or name "
            "another with --warehouse"
        )
    try:
        connection = duckdb.connect(str(warehouse), read_only=True, config=_OFFLINE)
    except duckdb.Error as error:
        raise CommandError(_why_not(warehouse, error)) from error
    try:
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        yield connection
    finally:
        connection.close()


def _why_not(warehouse: Path, error: Exception) -> str:
    text = one_line(error)
    if "lock" in text:
        holder = text[text.find("PID") :].split(")")[0] if "PID" in text else "unknown"
        return (
            f"warehouse {warehouse} is open for writing in another process "
            f"({holder}): close that process and try again"
        )
    return (
        f"warehouse {warehouse} cannot be opened ({text}): name a warehouse that "
        "pricebench made, or move this file away and run `pricebench init`"
    )


def fetch(connection: Any, sql: str, parameters: Sequence[Any] = ()) -> Grid:
    """Run SQL and return every row.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        An open connection.
    sql : str
        One or more statements; the last one's result is returned.
    parameters : Sequence
        Values of the statement's ``?`` marks.

    Returns
    -------
    Grid
        The result; no columns and no rows for a statement without a result.
    """
    cursor = connection.execute(sql, list(parameters)) if parameters else None
    cursor = cursor or connection.execute(sql)
    description = cursor.description or []
    rows = tuple(tuple(row) for row in cursor.fetchall()) if description else ()
    return Grid(tuple(column[0] for column in description), rows)
