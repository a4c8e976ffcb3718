"""Loading search runs: from run folders to rows in the warehouse."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from ingest.errors import LoadError
from ingest.load_report import Gathered, LoadReport, write_gathered
from ingest.parsed_file import ParsedFile
from ingest.search.artifact import Artifact
from ingest.search.missing import missing
from ingest.search.read_run import RunRows, read_run_rows
from ingest.search.run_folder import RunFolder, find_runs, read_artifacts
from ingest.search.stored import StoredRun, stored_run
from ingest.source import Progress, Source, open_source
from ingest.warehouse import check_writable, standing_files, working_copy

__all__ = ["LoadError", "LoadReport", "load_search"]

INSTRUMENT = "search"


@dataclass(kw_only=True)
class _Load(Gathered):
    """A load in the making."""

    replace: bool
    allow_mixed: bool
    say: Progress
    run_ids: set[str] = field(default_factory=set)


def load_search(
    source: str | os.PathLike[str],
    warehouse: Path,
    *,
    replace: bool = False,
    allow_mixed: bool = False,
    progress: Progress | None = None,
) -> LoadReport:
    """Load search runs, whatever stage they are at.

    Parameters
    ----------
    source
        Folder, ``.zip``, ``.tar.gz`` or https address of an archive. Every folder in it
        that holds a ``tasks.json`` is a run.
    warehouse
        The file; made if absent.
    replace
        Let a file take the place of a newer one of the same run, and a run the place of
        one with another bank.
    allow_mixed
        Load artifacts of other rules or of another bank all the same; the run is
        marked.
    progress
        Called with one line of text per stage.

    Returns
    -------
    LoadReport
        What is missing is in ``notes``; records that broke the contract are in it and
        in ``quality.quarantine``; files that could not be read and runs that were
        refused are in ``errors``, the others are loaded. A newer artifact takes the
        place of its older version. Loading the same source twice changes nothing.

    Raises
    ------
    LoadError
        Where nothing can be loaded: no such source, no run in it.
    WarehouseError
        Where the warehouse cannot be written; it is as it was.
    """
    say = progress or (lambda _: None)
    check_writable(warehouse)
    with open_source(source, say) as opened:
        runs = find_runs(opened)
        if not runs:
            raise LoadError(
                f"{opened.label} holds no search run (files seen: "
                f"{len(opened.names)}); expected a folder with a tasks.json"
            )
        load = _Load(replace=replace, allow_mixed=allow_mixed, say=say)
        with working_copy(warehouse) as copy:
            for run in runs:
                try:
                    _load_run(load, copy, opened, run)
                except LoadError as error:
                    load.errors.append(str(error))
            # a file is written anew where what it refers to has changed
            again = {one.account.key for one in load.parsed}
            again &= standing_files(copy, INSTRUMENT)
            load.superseded = list(dict.fromkeys([*load.superseded, *again]))
            used = {name for run in runs for name in run.files.values()}
            return write_gathered(load, INSTRUMENT, copy, opened, used)


def _load_run(load: _Load, copy: Path, opened: Source, run: RunFolder) -> None:
    read_artifacts(run, opened)
    run_id = run.run_id()
    if run_id in load.run_ids:
        raise LoadError(
            f"not loaded: {run.label} is run {run_id}, which stands in the same "
            "source twice; keep one"
        )
    load.run_ids.add(run_id)
    mixed = run.differences()
    if mixed and not load.allow_mixed:
        more = f" (and {len(mixed) - 1} more)" if len(mixed) > 1 else ""
        raise LoadError(
            f"not loaded: {run_id}: {mixed[0]}{more}; --allow-mixed loads it all the "
            "same and marks the run"
        )
    rows = read_run_rows(run, opened)
    stored = stored_run(copy, run_id)
    _take(load, run, rows, stored)
    load.errors += [*run.errors, *rows.errors]
    hashes = {name: file.sha256 for name, file in rows.files.items()}
    load.notes += [f"{run_id}: {line}" for line in [*mixed, *run.stale(hashes)]]
    load.notes += [note for one in rows.parsed for note in one.notes]
    load.notes += missing(run, rows)
    load.say(f"{run_id}: {rows.rows('call'):,} answers to {rows.rows('task'):,} tasks")


def _take(load: _Load, run: RunFolder, rows: RunRows, stored: StoredRun) -> None:
    """Take in what is new of a run, and put aside what it replaces."""
    bank = run.tasks.sha256
    if stored.bank_sha256 not in (None, bank):
        if not load.replace:
            raise LoadError(
                f"not loaded: run {rows.run_id} is loaded with another tasks.json "
                f"(sha256 {(stored.bank_sha256 or '')[:12]}); give this run another "
                "run_id, or put it in its place with --replace"
            )
        load.superseded += stored.accounts
        stored = StoredRun(None, {}, {})
    standing = stored.contents
    changed = {
        name: file.name
        for name, file in rows.files.items()
        if standing.get(file.name, file.sha256) != file.sha256
    }
    if not load.replace:
        for name, loaded in changed.items():
            _require_newer(run.artifacts.get(name), name, loaded, stored)
    replaced = set(changed.values())
    load.superseded += [key for key in stored.accounts if key.source_file in replaced]
    load.notes += [f"{one} takes the place of an older one" for one in sorted(replaced)]
    fresh = [one for one in rows.parsed if not _stands(one, stored)]
    load.parsed += fresh
    touched = {one.account.source_file for one in fresh}
    load.skipped += [
        file.name for file in rows.files.values() if file.name not in touched
    ]
    gone = set(standing) - {file.name for file in rows.files.values()}
    load.notes += [
        f"{name} was loaded before and stays: it is not in the folder now"
        for name in sorted(gone)
    ]


def _stands(parsed: ParsedFile, stored: StoredRun) -> bool:
    account = parsed.account
    counts = (account.rows_accepted, account.rows_quarantined)
    return stored.accounts.get(account.key) == counts


def _require_newer(
    artifact: Artifact | None, name: str, loaded: str, stored: StoredRun
) -> None:
    if artifact is None or loaded not in stored.written:
        raise LoadError(
            f"not loaded: {loaded} is loaded with other content, and {name} says no "
            "time; --replace puts this one in its place"
        )
    version, at = stored.written[loaded]
    if artifact.version is not None and version is not None:
        newer = artifact.version > version
        ours, theirs = f"version {artifact.version}", f"version {version}"
    else:
        newer = artifact.updated_at > at
        ours, theirs = f"{artifact.updated_at}", f"{at}"
    if not newer:
        raise LoadError(
            f"not loaded: {loaded} is of {ours} and the one loaded of {theirs}; "
            "--replace puts it in its place all the same"
        )
