"""What a warehouse holds of a search run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingest.accounts import FileKey
from ingest.warehouse import open_database


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run as it is loaded.

    Attributes
    ----------
    bank_sha256
        Its bank; None where the run is not loaded.
    accounts
        File and table -> rows accepted and rows quarantined, of what stands.
    written
        File -> version (of a label file) and the time it was last written.
    """

    bank_sha256: str | None
    accounts: Mapping[FileKey, tuple[int, int]]
    written: Mapping[str, tuple[int | None, datetime]]

    @property
    def contents(self) -> dict[str, str]:
        """Return the hash of every file that stands, by its name."""
        return {key.source_file: key.source_sha256 for key in self.accounts}


def stored_run(copy: Path, run_id: str) -> StoredRun:
    """Return what a warehouse holds of a run.

    Parameters
    ----------
    copy
        A complete warehouse or working copy.
    run_id
        The run.

    Returns
    -------
    StoredRun
        Empty where nothing of it is loaded.
    """
    with open_database(copy, read_only=True) as connection:
        banks = connection.execute(
            "select bank_sha256 from raw_search.run where run_id = ?", [run_id]
        ).fetchall()
        bank = banks[0][0] if banks else None
        accounts = connection.execute(
            """
            select table_name, source_file, source_sha256, bank_sha256,
                rows_accepted, rows_quarantined
            from quality.row_accounting
            where instrument = 'search' and bank_sha256 = ?
                and starts_with(source_file, ?)
            qualify row_number() over (
                partition by table_name, source_file order by loaded_at desc, rowid desc
            ) = 1
            """,
            [bank, f"{run_id}/"],
        ).fetchall()
        written = connection.execute(
            "select _source_file, version, updated_at from raw_search.artifact "
            "where run_id = ?",
            [run_id],
        ).fetchall()
    return StoredRun(
        bank,
        {FileKey(*row[:4]): (row[4], row[5]) for row in accounts},
        {file: (version, at) for file, version, at in written},
    )
