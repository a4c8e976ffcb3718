"""Read-only SQL on the warehouse."""

from __future__ import annotations

from pathlib import Path

from pricebench.errors import CommandError, one_line
from pricebench.reader import Grid, fetch, open_reader


def read_statement(sql: str | None, file: Path | None) -> str:
    """Return the SQL to run, from the command line or from a file.

    Parameters
    ----------
    sql : str or None
        The statement as typed.
    file : Path or None
        A file that holds it.

    Returns
    -------
    str
        The statement.

    Raises
    ------
    CommandError
        If neither or both are given, the file cannot be read, or nothing is in it.
    """
    if (sql is None) == (file is None):
        raise CommandError(
            "query needs SQL or --file, one of them: pricebench query "
            "'select * from marts.model'"
        )
    where = "the command line" if file is None else str(file)
    try:
        text = sql if file is None else file.read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(
            f"cannot read {where} ({error.strerror}): name a file that holds SQL"
        ) from error
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{where} is not UTF-8 text: name a file that holds SQL"
        ) from error
    if not (text or "").strip():
        raise CommandError(f"no SQL in {where}: give a statement")
    return text or ""


def run_query(warehouse: Path, sql: str) -> Grid:
    """Run SQL on the warehouse without any power to change it.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse.
    sql : str
        One or more statements; the last one's result is returned.

    Returns
    -------
    Grid
        The result.

    Raises
    ------
    CommandError
        If the warehouse cannot be opened or DuckDB refuses the statement.
    """
    import duckdb

    with open_reader(warehouse) as connection:
        try:
            return fetch(connection, sql)
        except duckdb.Error as error:
            raise CommandError(_explain(error)) from error


def _explain(error: Exception) -> str:
    # DuckDB repeats the statement with a caret below; the first part says it all.
    text = one_line(Exception(str(error).split("\nLINE ")[0]))
    if "read-only" in text or "disabled by configuration" in text:
        return (
            f"{text.rstrip('!.')}: query only reads the warehouse; save a result with "
            "`pricebench query --format csv … > FILE`"
        )
    return f"{text.rstrip('!.')}: mend the statement"
