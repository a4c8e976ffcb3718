"""Accounts of loaded files: what identifies a file, and what its rows came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ingest.raw_tables import raw_schema
from ingest.schemas import RAW

FILE_COLUMNS = ("_source_file", "_source_sha256", "bank_sha256")

File = tuple[str, str, str | None]


@dataclass(frozen=True, slots=True)
class FileKey:
    """What identifies a loaded file: the table it feeds, its name, content and bank.

    Attributes
    ----------
    table_name
        Raw table without schema.
    source_file
        Name relative to the source.
    source_sha256
        SHA-256 of the file's bytes, 64 hex digits.
    bank_sha256
        Bank its rows belong to; None for a table that has none.
    """

    table_name: str
    source_file: str
    source_sha256: str
    bank_sha256: str | None


@dataclass(frozen=True, slots=True)
class FileAccount:
    """Rows of one file, counted: read = accepted + quarantined.

    Attributes
    ----------
    table_name, source_file, source_sha256, bank_sha256
        As in ``FileKey``.
    rows_read, rows_accepted, rows_quarantined
        Counts, 0 or more.
    """

    table_name: str
    source_file: str
    source_sha256: str
    bank_sha256: str | None
    rows_read: int
    rows_accepted: int
    rows_quarantined: int = 0

    @property
    def key(self) -> FileKey:
        """Return what identifies the file."""
        return FileKey(
            self.table_name, self.source_file, self.source_sha256, self.bank_sha256
        )


@dataclass(frozen=True, slots=True)
class QuarantinedRow:
    """One row that broke the contract, with where and why.

    Attributes
    ----------
    source_file, source_sha256, bank_sha256
        As in ``FileKey``.
    source_row
        Line where the row starts (the header is line 1); None for a whole file.
    field
        Column at fault; ``*`` where the row as a whole is.
    reason
        What is wrong with it.
    row_text
        The row as it stands in the file; cut after 4,000 characters, with a note.
    """

    source_file: str
    source_sha256: str
    bank_sha256: str | None
    source_row: int | None
    field: str
    reason: str
    row_text: str | None


def check_accounts(
    instrument: str,
    tables: Mapping[str, pa.Table],
    accounts: Sequence[FileAccount],
    quarantined: Sequence[QuarantinedRow],
) -> None:
    """Hold a load to the identity that ``row_accounting`` promises.

    Parameters
    ----------
    instrument
        Whose raw tables.
    tables
        Raw table name -> rows.
    accounts, quarantined
        What is claimed about them.

    Raises
    ------
    ValueError
        Unless read = accepted + quarantined in every account, accepted rows are those
        of the tables file by file, and quarantined rows those handed over.
    """
    claimed = {one.key: one.rows_accepted for one in accounts}
    if len(claimed) != len(accounts):
        raise ValueError("two accounts for one file and table")
    for one in accounts:
        if one.rows_read != one.rows_accepted + one.rows_quarantined:
            raise ValueError(f"read is not accepted + quarantined in {one}")
    held: Counter[FileKey] = Counter()
    for name, table in tables.items():
        held.update(_count_by_file(instrument, name, table))
    if held != {key: count for key, count in claimed.items() if count}:
        odd = set(held.items()) ^ set(claimed.items())
        raise ValueError(f"rows and accounts do not agree: {sorted(map(str, odd))}")
    given = Counter(file_of(row) for row in quarantined)
    counted: Counter[File] = Counter()
    for one in accounts:
        counted[file_of(one)] += one.rows_quarantined
    if +given != +counted:
        raise ValueError("quarantined rows and accounts do not agree")


def file_of(record: FileKey | FileAccount | QuarantinedRow) -> File:
    """Return name, hash and bank of the file that a record is about."""
    return record.source_file, record.source_sha256, record.bank_sha256


def _file_columns(instrument: str, table_name: str) -> list[str]:
    columns = ["_source_file", "_source_sha256"]
    if "bank_sha256" in RAW[raw_schema(instrument)][table_name].names:
        columns.append("bank_sha256")
    return columns


def _count_by_file(
    instrument: str, table_name: str, table: pa.Table
) -> dict[FileKey, int]:
    columns = _file_columns(instrument, table_name)
    counted = table.group_by(columns).aggregate([([], "count_all")]).to_pylist()
    return {
        FileKey(table_name, *[row.get(name) for name in FILE_COLUMNS]): row["count_all"]
        for row in counted
    }


def rows_of_files(
    instrument: str, table_name: str, table: pa.Table, keys: set[FileKey]
) -> pa.Table:
    """Return the rows of some files.

    Parameters
    ----------
    instrument, table_name
        What the rows are of.
    table
        Rows with their provenance columns.
    keys
        The files wanted.

    Returns
    -------
    pyarrow.Table
        In order of file and row; empty where no file is wanted.
    """
    columns = _file_columns(instrument, table_name)
    names = [table[column].to_pylist() for column in columns]
    if len(columns) < len(FILE_COLUMNS):
        names.append([None] * table.num_rows)
    mask = [FileKey(table_name, *row) in keys for row in zip(*names, strict=True)]
    order = [(column, "ascending") for column in ("_source_file", "_source_row")]
    return table.filter(pa.array(mask, pa.bool_())).sort_by(order)
