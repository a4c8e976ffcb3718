"""What reading one file gives: rows for a raw table, and rows set aside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from ingest.accounts import FileAccount, QuarantinedRow
from ingest.csv_rows import CsvFile, Row
from ingest.fields import FieldError

RowParser = Callable[[Row], dict[str, Any]]


class RowError(Exception):
    """A row that breaks the contract.

    Attributes
    ----------
    field
        Column at fault.
    reason
        What is wrong with it.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True)
class FileId:
    """A file being read: name within the source, hash, and the bank of its rows."""

    name: str
    sha256: str
    bank_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """One file taken apart for one raw table.

    Attributes
    ----------
    table_name
        Raw table without schema.
    table
        Accepted rows in the columns of the contract.
    account
        Counts; read = accepted + quarantined.
    quarantined
        Rows set aside, in file order.
    notes
        One line each that is worth saying about the file.
    """

    table_name: str
    table: pa.Table
    account: FileAccount
    quarantined: tuple[QuarantinedRow, ...]
    notes: tuple[str, ...] = ()


def parse_fields(
    names: Sequence[str], parsers: Sequence[Callable[[str], Any]], texts: Sequence[str]
) -> dict[str, Any]:
    """Return typed values by column name.

    Parameters
    ----------
    names, parsers, texts
        Of one length: column, its parser, its text.

    Returns
    -------
    dict
        Column -> value.

    Raises
    ------
    RowError
        For the first field that its parser refuses.
    """
    values = {}
    for name, parse, text in zip(names, parsers, texts, strict=True):
        try:
            values[name] = parse(text)
        except FieldError as error:
            raise RowError(name, str(error)) from error
    return values


def parse_csv(
    file: FileId, table_name: str, schema: pa.Schema, content: CsvFile, parse: RowParser
) -> ParsedFile:
    """Parse every row of a CSV file; set aside the rows that break the contract.

    Parameters
    ----------
    file
        What is being read.
    table_name, schema
        Raw table and its columns; provenance columns are filled in here.
    content
        The file taken apart.
    parse
        A row to its values by column; raises RowError for a row to be set aside.

    Returns
    -------
    ParsedFile
        Every row of ``content`` is accepted or quarantined.
    """
    accepted: list[dict[str, Any]] = []
    aside = [(row.line, "*", row.reason, row.text) for row in content.broken]
    for row in content.rows:
        try:
            accepted.append({**parse(row), "_source_row": row.line})
        except RowError as error:
            aside.append((row.line, error.field, error.reason, content.text(row)))
    parsed = collect(file, table_name, schema, accepted, sorted(aside))
    last = content.open_end
    if last is not None and accepted and accepted[-1]["_source_row"] == last.line:
        cut = (
            f"{file.name} line {last.line} ends the file without a line break: its "
            f"last field ({content.columns[-1]}) may be cut; the row is loaded as it "
            "stands, compare it with where the file comes from"
        )
        return replace(parsed, notes=(cut,))
    return parsed


def collect(
    file: FileId,
    table_name: str,
    schema: pa.Schema,
    accepted: Iterable[dict[str, Any]],
    aside: Iterable[tuple[int, str, str, str]],
) -> ParsedFile:
    """Put accepted rows and rows set aside together with their account.

    Parameters
    ----------
    file
        Where they come from.
    table_name, schema
        Raw table and its columns.
    accepted
        Values by column, ``_source_row`` among them; a column left out is null.
    aside
        Line, field, reason and text of each row set aside.

    Returns
    -------
    ParsedFile
        With counts that add up.
    """
    rows = [
        {**row, "_source_file": file.name, "_source_sha256": file.sha256}
        for row in accepted
    ]
    quarantined = tuple(
        QuarantinedRow(
            file.name, file.sha256, file.bank_sha256, line, field, reason, text
        )
        for line, field, reason, text in aside
    )
    account = FileAccount(
        table_name=table_name,
        source_file=file.name,
        source_sha256=file.sha256,
        bank_sha256=file.bank_sha256,
        rows_read=len(rows) + len(quarantined),
        rows_accepted=len(rows),
        rows_quarantined=len(quarantined),
    )
    table = pa.Table.from_pylist(rows, schema=schema)
    return ParsedFile(table_name, table, account, quarantined)
