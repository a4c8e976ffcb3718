"""Reading everything of a run folder into rows, in the order that references need."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ingest.errors import LoadError
from ingest.parsed_file import FileId, ParsedFile
from ingest.search.artifact import POLICY_FILE, Artifact
from ingest.search.read_answers import read_answers
from ingest.search.read_bank import (
    read_cells,
    read_header,
    read_log,
    read_run,
    read_tasks,
)
from ingest.search.read_files import is_evidence, read_evidence, read_policy
from ingest.search.read_panel import read_candidates, read_grades
from ingest.search.read_rulings import read_audit, read_labels, read_ref_labels
from ingest.search.run_folder import RunFolder
from ingest.search.schemas import TRACKS
from ingest.source import Source


@dataclass
class RunRows:
    """The rows of a run.

    Attributes
    ----------
    run_id
        The run.
    parsed
        Rows and accounts, one per file and table.
    files
        Name within the run folder -> what identifies the file.
    errors
        One line per file that could not be read.
    """

    run_id: str
    parsed: list[ParsedFile] = field(default_factory=list)
    files: dict[str, FileId] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def values(self, table: str, column: str, track: str | None = None) -> list[Any]:
        """Return a column of the rows read so far, of one track where one is given."""
        found: list[Any] = []
        for one in self.parsed:
            if one.table_name != table:
                continue
            values = one.table[column].to_pylist()
            if track is None:
                found += values
            else:
                tracks = one.table["track"].to_pylist()
                pairs = zip(values, tracks, strict=True)
                found += [value for value, of in pairs if of == track]
        return found

    def rows(self, table: str) -> int:
        """Return how many rows of a table were read so far."""
        return sum(one.table.num_rows for one in self.parsed if one.table_name == table)


def read_run_rows(run: RunFolder, opened: Source) -> RunRows:
    """Read a run folder whose artifacts agree.

    Parameters
    ----------
    run
        With its artifacts.
    opened
        The source.

    Returns
    -------
    RunRows
        Records that break the contract, or refer to what is not there, are set aside.

    Raises
    ------
    LoadError
        Where artifacts are of several runs or sources, or no product can be used.
    """
    rows = RunRows(run.run_id())
    bank, source = run.tasks.sha256, run.source()

    def file_of(name: str, sha256: str) -> FileId:
        file = FileId(f"{rows.run_id}/{name}", sha256, bank)
        rows.files[name] = file
        return file

    for artifact in run.artifacts.values():
        file = file_of(artifact.name, artifact.sha256)
        rows.parsed.append(read_header(artifact, file, rows.run_id))
    file = rows.files[run.tasks.name]
    rows.parsed.append(read_run(run.tasks, file, rows.run_id, source))
    if not rows.rows("run"):
        raise LoadError(_first_reason(run.tasks.name, rows.parsed[-1]))
    rows.parsed.append(read_tasks(run.tasks, file, rows.run_id))
    if run.tasks.body["tasks"] and not rows.rows("task"):
        raise LoadError(_first_reason(run.tasks.name, rows.parsed[-1]))
    _read_bank(run, rows)
    for track in TRACKS:
        _read_track(run, rows, track)
    tasks = set(rows.values("task", "task_id"))
    for one in run.of_kind("verify_labels_refs"):
        rows.parsed += read_ref_labels(one, rows.files[one.name], rows.run_id, tasks)
    _read_other_files(run, rows, opened, file_of)
    return rows


def _first_reason(name: str, parsed: ParsedFile) -> str:
    first = parsed.quarantined[0]
    return (
        f"not loaded: {name}: none of its {len(parsed.quarantined)} records can be "
        f"used ({first.field}: {first.reason})"
    )


def _read_bank(run: RunFolder, rows: RunRows) -> None:
    for one in run.of_kind("cells"):
        rows.parsed.append(read_cells(one, rows.files[one.name], rows.run_id))
    for one in run.of_kind("sourcing_log"):
        if _has(run, rows, one, "cells.json"):
            cells = set(rows.values("cell", "cell_id"))
            rows.parsed += read_log(one, rows.files[one.name], rows.run_id, cells)


def _read_track(run: RunFolder, rows: RunRows, track: str) -> None:
    tasks = set(rows.values("task", "task_id"))
    for one in _of_track(run, "raw", track):
        rows.parsed += read_answers(one, rows.files[one.name], rows.run_id, tasks)
    ids, of = (rows.values("listing", key, track) for key in ("listing_id", "task_id"))
    listings = dict(zip(ids, of, strict=True))
    for one in _of_track(run, "candidates", track):
        file = rows.files[one.name]
        rows.parsed += read_candidates(one, file, rows.run_id, tasks, listings)
    candidates = set(rows.values("candidate", "candidate_id", track))
    readers: dict[str, Callable[..., list[ParsedFile]]] = {
        **{"grades": read_grades, "audit": read_audit, "verify_labels": read_labels},
    }
    for kind, read in readers.items():
        for one in _of_track(run, kind, track):
            if _has(run, rows, one, f"candidates_{track}.json"):
                file = rows.files[one.name]
                rows.parsed += read(one, file, rows.run_id, candidates)


def _of_track(run: RunFolder, kind: str, track: str) -> Iterable[Artifact]:
    return (one for one in run.of_kind(kind) if one.kind.track == track)


def _has(run: RunFolder, rows: RunRows, artifact: Artifact, wanted: str) -> bool:
    """Return whether what an artifact refers to is there; leave it out if not."""
    if wanted in run.artifacts:
        return True
    unread = "could not be read" if wanted in run.files else "is not there"
    rows.errors.append(
        f"not loaded: {rows.run_id}/{artifact.name} refers to {wanted}, which {unread}"
    )
    name = rows.files.pop(artifact.name).name
    rows.parsed = [one for one in rows.parsed if one.account.source_file != name]
    return False


def _read_other_files(
    run: RunFolder, rows: RunRows, opened: Source, file_of: Callable[..., FileId]
) -> None:
    for inner, name in sorted(run.files.items()):
        try:
            if inner != POLICY_FILE and not is_evidence(inner):
                continue
            data = opened.read(name)
            file = file_of(inner, hashlib.sha256(data).hexdigest())
            if inner == POLICY_FILE:
                rows.parsed.append(read_policy(file, rows.run_id, data))
            else:
                rows.parsed.append(read_evidence(file, rows.run_id, inner, data))
        except LoadError as error:
            rows.files.pop(inner, None)
            rows.errors.append(f"not loaded: {error}")
