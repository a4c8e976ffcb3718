"""What a load of any instrument tells about itself."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.accounts import FileAccount, QuarantinedRow


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
