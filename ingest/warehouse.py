"""The warehouse as loaders see it: make it, write one load into it, account for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa

from ingest.accounts import (
    FileAccount,
    FileKey,
    QuarantinedRow,
    check_accounts,
    file_of,
    rows_of_files,
)
from ingest.errors import WarehouseError
from ingest.raw_tables import (
    changing,
    ensure_tables,
    open_database,
    raw_schema,
    write_raw,
)
from ingest.schemas import RAW
from ingest.working_copy import check_writable, locked, working_copy

__all__ = [
    "FileAccount",
    "FileKey",
    "QuarantinedRow",
    "WarehouseError",
    "WriteReport",
    "changing",
    "check_writable",
    "ensure_tables",
    "init",
    "locked",
    "open_database",
    "standing_files",
    "working_copy",
    "write_into",
    "write_load",
    "write_raw",
]

MAX_ROW_TEXT = 4_000


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What ``write_load`` did.

    Attributes
    ----------
    written, skipped
        Files loaded now, and files that stood in the warehouse already.
    rows
        Rows written to raw tables.
    superseded
        Rows removed because their file was replaced.
    """

    written: tuple[FileAccount, ...]
    skipped: tuple[FileAccount, ...]
    rows: int
    superseded: int


def init(warehouse: Path) -> Path:
    """Make a warehouse with every raw table empty; mend one that lacks some.

    Parameters
    ----------
    warehouse
        The file; one that exists keeps its rows.

    Returns
    -------
    Path
        The warehouse, absolute.

    Raises
    ------
    WarehouseError
        Where it cannot be made, or another process is writing to it.
    """
    with working_copy(warehouse) as copy:
        ensure_tables(copy, refresh=True)
    return Path(warehouse).expanduser().resolve()


def write_load(
    warehouse: Path,
    instrument: str,
    tables: Mapping[str, pa.Table],
    accounts: Sequence[FileAccount],
    quarantined: Sequence[QuarantinedRow] = (),
) -> WriteReport:
    """Write one load: all of it or nothing.

    Parameters
    ----------
    warehouse
        The file; made if absent.
    instrument
        Whose raw tables are written.
    tables
        Raw table name -> rows in the columns of ``ingest.schemas``. Every row's
        ``_source_file`` and ``_source_sha256`` (and ``bank_sha256``, where the table
        has one) are those of an account.
    accounts
        One per file and table. A file that is accounted for already is skipped with
        its rows, so that loading twice changes nothing.
    quarantined
        Rows of these files that broke the contract.

    Returns
    -------
    WriteReport
        Counts. Empty tables and no accounts: nothing happens.

    Raises
    ------
    ValueError
        Where rows and accounts do not agree.
    WarehouseError
        Where the warehouse cannot be written.
    """
    with working_copy(warehouse) as copy:
        return write_into(copy, instrument, tables, accounts, quarantined)


def write_into(
    copy: Path,
    instrument: str,
    tables: Mapping[str, pa.Table],
    accounts: Sequence[FileAccount],
    quarantined: Sequence[QuarantinedRow] = (),
    superseded: Sequence[FileKey] = (),
) -> WriteReport:
    """Write one load into a working copy; see ``write_load`` for the parameters.

    Parameters
    ----------
    copy
        What ``working_copy`` yields.
    instrument, tables, accounts, quarantined
        As in ``write_load``.
    superseded
        Files whose rows leave the raw tables because ``accounts`` replaces them; they
        stay in the accounting, their accepted rows counted as superseded. One that is
        among ``accounts`` too is written anew.

    Returns
    -------
    WriteReport
        Counts.

    Raises
    ------
    ValueError
        Where rows and accounts do not agree.
    WarehouseError
        Where the copy cannot be written.
    """
    check_accounts(instrument, tables, accounts, quarantined)
    standing = standing_files(copy, instrument).difference(superseded)
    skipped = tuple(one for one in accounts if _stands(instrument, one.key, standing))
    written = tuple(one for one in accounts if one not in skipped)
    if not written and not superseded:
        return WriteReport((), skipped, 0, 0)
    new = {one.key for one in written}
    fresh = {
        name: rows_of_files(instrument, name, table, new)
        for name, table in tables.items()
    }
    fresh = {name: table for name, table in fresh.items() if table.num_rows}
    removed = 0
    if superseded:
        # first, or what is written anew would leave with what it replaces
        with changing(copy) as connection:
            removed = _supersede(connection, instrument, superseded)
    write_raw(copy, instrument, fresh)
    files = {file_of(key) for key in new}
    kept = [row for row in quarantined if file_of(row) in files]
    with changing(copy) as connection:
        _store(connection, instrument, written, kept)
    rows = sum(table.num_rows for table in fresh.values())
    return WriteReport(written, skipped, rows, removed)


def _stands(instrument: str, key: FileKey, standing: set[FileKey]) -> bool:
    """Return whether a file is loaded; a bank also where it came under another name.

    Rows that belong to a run are its own, also where another run has the same bank.
    """
    of_run = "run_id" in RAW[raw_schema(instrument)][key.table_name].names
    if of_run or key.source_sha256 != key.bank_sha256:
        return key in standing
    banks = {(one.table_name, one.source_sha256, one.bank_sha256) for one in standing}
    return (key.table_name, key.source_sha256, key.bank_sha256) in banks


def standing_files(warehouse: Path, instrument: str) -> set[FileKey]:
    """Return the files whose rows a warehouse holds now.

    Parameters
    ----------
    warehouse
        A complete warehouse or working copy.
    instrument
        Whose files.

    Returns
    -------
    set of FileKey
        Every account but those of files that were replaced; files of one name from
        several sources all stand. Empty for a warehouse without loads.
    """
    with open_database(warehouse, read_only=True) as connection:
        rows = connection.execute(
            """
            select distinct table_name, source_file, source_sha256, bank_sha256
            from quality.row_accounting
            where instrument = ? and not is_superseded
            """,
            [instrument],
        ).fetchall()
    return {FileKey(*row) for row in rows}


def _supersede(
    connection: duckdb.DuckDBPyConnection, instrument: str, keys: Iterable[FileKey]
) -> int:
    removed = 0
    for key in keys:
        bank = [key.bank_sha256] if key.bank_sha256 else []
        where = "_source_file = ? and _source_sha256 = ?" + (
            " and bank_sha256 = ?" if bank else ""
        )
        file = [key.source_file, key.source_sha256, *bank]
        target = f"{raw_schema(instrument)}.{key.table_name}"
        gone = connection.execute(f"delete from {target} where {where}", file)
        removed += gone.fetchall()[0][0]
        connection.execute(
            f"""
            update quality.row_accounting
            set rows_superseded = rows_superseded + rows_accepted, rows_accepted = 0,
                is_superseded = true
            where instrument = ? and table_name = ?
                and {where.replace("_source", "source")}
            """,
            [instrument, key.table_name, *file],
        )
    return removed


def _store(
    connection: duckdb.DuckDBPyConnection,
    instrument: str,
    accounts: Iterable[FileAccount],
    quarantined: Iterable[QuarantinedRow],
) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    booked = [
        (
            *(instrument, one.table_name, *file_of(one)),
            *(one.rows_read, one.rows_accepted, one.rows_quarantined, 0, now, False),
        )
        for one in accounts
    ]
    kept = [
        (
            *(instrument, *file_of(row), row.source_row, row.field, row.reason),
            *(_clip(row.row_text), now),
        )
        for row in quarantined
    ]
    for table, rows in (("row_accounting", booked), ("quarantine", kept)):
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(
                f"insert into quality.{table} values ({marks})", rows
            )


def _clip(text: str | None) -> str | None:
    if text is None or len(text) <= MAX_ROW_TEXT:
        return text
    return f"{text[:MAX_ROW_TEXT]} [{len(text) - MAX_ROW_TEXT:,} characters more]"
