"""What a load of any instrument gathers, writes and tells about itself."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from ingest.accounts import FileAccount, QuarantinedRow
from ingest.parsed_file import ParsedFile
from ingest.source import Source
from ingest.warehouse import FileKey, write_into


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What one load did; nothing that stood in the source is left out of it.

    Attributes
    ----------
    source
        The source as messages name it.
    files
        One account per file and table loaded now.
    skipped
        Names of files whose content stands in the warehouse already.
    ignored
        Names of files that are none of the instrument's, and of what is no file, with
        what it is.
    errors
        One line per file that could not be loaded; the command fails if there is one.
    notes
        One line per thing worth knowing that stopped nothing.
    quarantined_rows
        Rows set aside, with file, line, field and reason.
    rows
        Rows written to raw tables.
    superseded
        Rows that left the raw tables because their file was replaced.
    """

    source: str
    files: tuple[FileAccount, ...]
    skipped: tuple[str, ...]
    ignored: tuple[str, ...]
    errors: tuple[str, ...]
    notes: tuple[str, ...]
    quarantined_rows: tuple[QuarantinedRow, ...]
    rows: int
    superseded: int

    @property
    def quarantined(self) -> int:
        """Return how many rows were set aside."""
        return len(self.quarantined_rows)


@dataclass(kw_only=True)
class Gathered:
    """What a load has read of its source; none of it is written yet.

    Attributes
    ----------
    parsed
        Files read, each with its rows, account and rows set aside.
    superseded
        Files in the warehouse whose rows leave it.
    skipped, errors, notes
        As in `LoadReport`.
    """

    parsed: list[ParsedFile] = field(default_factory=list)
    superseded: list[FileKey] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def write_gathered(
    load: Gathered, instrument: str, copy: Path, opened: Source, used: Collection[str]
) -> LoadReport:
    """Write what a load has gathered into a working copy of the warehouse.

    Parameters
    ----------
    load
        What was read.
    instrument
        Instrument of the raw tables.
    copy
        The working copy, which nobody has open.
    opened
        The source.
    used
        Names of its files that are the instrument's; the others count as ignored.

    Returns
    -------
    LoadReport
        What the load did.
    """
    tables: dict[str, list[pa.Table]] = {}
    for parsed in load.parsed:
        tables.setdefault(parsed.table_name, []).append(parsed.table)
    aside = [row for parsed in load.parsed for row in parsed.quarantined]
    written = write_into(
        copy,
        instrument,
        {name: pa.concat_tables(parts) for name, parts in tables.items()},
        [parsed.account for parsed in load.parsed],
        aside,
        load.superseded,
    )
    ignored = [name for name in opened.names if name not in used]
    ignored += [f"{name} ({what})" for name, what in opened.unread.items()]
    return LoadReport(
        source=opened.label,
        files=written.written,
        skipped=tuple(sorted(load.skipped)),
        ignored=tuple(sorted(ignored)),
        errors=tuple(load.errors),
        notes=tuple(load.notes),
        quarantined_rows=tuple(aside),
        rows=written.rows,
        superseded=written.superseded,
    )
