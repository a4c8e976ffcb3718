"""Read-only SQL on the warehouse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

from pricebench.errors import CommandError, one_line
from pricebench.gates import first_refusals, read_gates
from pricebench.reader import Grid, fetch, open_reader

# Longer text, such as a hash, would push the other columns out of sight.
TEXT_SHOWN = 60

_REFERENCE = re.compile(
    r"""\{\{\s*ref\(\s*(?P<quote>['"])(?P<name>[^'"]+)(?P=quote)\s*\)\s*\}\}"""
)
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_MARTS = re.compile(r"""\bmarts"?\s*\.""", re.IGNORECASE)

# PIVOT is a CREATE and a SELECT to DuckDB, which itself refuses to create or set what
# would outlast the query.
_ANSWERS = ("SELECT", "EXPLAIN")
_KINDS = (*_ANSWERS, "CREATE", "SET")
# Table functions that write whatever the settings say (a refused path then ends the
# process), and two that run a text nobody has looked at.
_ACTING = (
    "enable_logging",
    "enable_profiling",
    "query",
    "json_execute_serialized_sql",
)
# The one SET that changes nothing for the statements after it but a value of their own.
_VARIABLE = re.compile(r"\s*set\s+variable\b", re.IGNORECASE)
_WORD = re.compile(r"""\s*"?(\w+)""")
_ALLOWED = (
    "query only reads the warehouse (SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW, "
    "SUMMARIZE, PIVOT, EXPLAIN; before them CREATE TEMP or SET VARIABLE); save a "
    "result with `pricebench query --format csv … > FILE`"
)


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


def run_query(warehouse: Path, sql: str) -> tuple[Grid, tuple[str, ...]]:
    """Run SQL on the warehouse without any power to change it.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse.
    sql : str
        One statement with a result, after any that prepare it. ``{{ ref('name') }}``
        stands for the table of that name.

    Returns
    -------
    Grid
        The result.
    tuple of str
        One line per instrument whose figures may be old, if the marts are asked.

    Raises
    ------
    CommandError
        If the warehouse cannot be opened, a reference is unknown or DuckDB refuses the
        statement.
    """
    import duckdb

    with open_reader(warehouse) as connection:
        tables = list_tables(connection) if "{{" in sql else {}
        statement = resolve_references(sql, tables)
        try:
            refuse_acts(connection, statement)
            grid = _fetch_until_interrupted(connection, statement)
            return grid, stale_notes(connection, statement)
        except duckdb.Error as error:
            raise CommandError(_explain(error)) from error


def refuse_acts(connection: Any, sql: str) -> None:
    """Raise unless SQL consists of statements that only read.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        Parses the SQL; nothing is run.
    sql : str
        SQL without references.

    Raises
    ------
    CommandError
        If there is no statement, one of another kind or with a function that acts, or
        more than one with a result, of which all but the last would go unseen.
    duckdb.Error
        If the SQL cannot be parsed.
    """
    statements = connection.extract_statements(sql)
    if not statements:
        raise CommandError(
            "no statement in the SQL: give one, such as 'select * from marts.model'"
        )
    for statement in statements:
        is_setting = statement.type.name == "SET" and not _VARIABLE.match(
            statement.query
        )
        if statement.type.name not in _KINDS or is_setting:
            word = _WORD.match(statement.query)
            kind = word[1].upper() if word else statement.type.name
            raise CommandError(f"{kind} refused: {_ALLOWED}")
    called = sorted(_functions(sql) & set(_ACTING))
    if called:
        raise CommandError(f"{called[0]}() refused: {_ALLOWED}")
    if any(statement.type.name in _ANSWERS for statement in statements[:-1]):
        raise CommandError(
            "two statements with a result: ask one at a time, or give each a file of "
            "its own"
        )


def _functions(sql: str) -> set[str]:
    """Return the names before an opening bracket, strings and comments left out."""
    import duckdb

    tokens = duckdb.tokenize(sql)
    ends = [start for start, _ in tokens[1:]] + [len(sql)]
    words = [
        (kind, sql[start:end]) for (start, kind), end in zip(tokens, ends, strict=True)
    ]
    names = (
        _WORD.match(text)
        for (kind, text), (_, after) in pairwise(words)
        if kind != duckdb.token_type.string_const and after.startswith("(")
    )
    return {name[1].lower() for name in names if name}


def _fetch_until_interrupted(connection: Any, sql: str) -> Grid:
    # DuckDB looks for ctrl-C between its tasks only, and one can take minutes.
    with ThreadPoolExecutor(max_workers=1) as worker:
        result = worker.submit(fetch, connection, sql)
        try:
            return result.result()
        except KeyboardInterrupt:
            connection.interrupt()
            raise


def list_tables(connection: Any) -> dict[str, str]:
    """List what ``ref`` may name.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        An open warehouse.

    Returns
    -------
    dict
        Schema by table or view; of one name in two schemas, that in ``marts``. As in
        dbt, raw and quality tables are no references.
    """
    rows = fetch(
        connection,
        "select table_name, table_schema from information_schema.tables "
        "where table_schema <> 'quality' and not starts_with(table_schema, 'raw_') "
        "order by table_schema = 'marts', table_schema desc",
    ).rows
    return {str(name): str(schema) for name, schema in rows}


def resolve_references(sql: str, tables: Mapping[str, str]) -> str:
    """Put tables in the place of dbt references.

    Parameters
    ----------
    sql : str
        SQL, with ``{{ ref('name') }}`` in any spacing and either quotes, or without.
    tables : mapping
        Schema by table.

    Returns
    -------
    str
        The SQL that DuckDB can run.

    Raises
    ------
    CommandError
        If a reference is unknown or other Jinja is left.
    """

    def resolve(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in tables:
            raise CommandError(
                f"{match[0]} names no table of the warehouse: {_advice(name, tables)}"
            )
        return f'"{tables[name]}"."{name}"'

    resolved = _REFERENCE.sub(resolve, sql)
    other = _JINJA.search(resolved)
    if other is not None:
        raise CommandError(
            f"query cannot resolve {one_line(Exception(other[0]))}, only "
            "{{ ref('name') }}: compile it with `dbt compile` from dbt_project/"
        )
    return resolved


def _advice(name: str, tables: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, sorted(tables), n=3, cutoff=0.5)
    if close:
        return "did you mean " + " or ".join(close) + "?"
    return "`pricebench query 'show all tables'` lists those that are there"


def stale_notes(connection: Any, sql: str) -> tuple[str, ...]:
    """Say which figures of the marts may be old.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        An open database, a warehouse or not.
    sql : str
        The statement.

    Returns
    -------
    tuple of str
        One line per instrument with a gate that is red or out of date; none where the
        statement does not name the marts or the database has no gates.
    """
    import duckdb

    if not _MARTS.search(sql):
        return ()
    try:
        refusals = first_refusals(read_gates(connection))
    except duckdb.Error:
        return ()
    return tuple(
        f"note: {refusal}; figures of {instrument} may be old"
        for instrument, refusal in refusals.items()
    )


def _explain(error: Exception) -> str:
    # DuckDB repeats the statement with a caret below; the first part says it all.
    text = one_line(Exception(str(error).split("\nLINE ")[0]))
    if "read-only" in text or "disabled by configuration" in text:
        return f"{text.rstrip('!.')}: {_ALLOWED}"
    return text
