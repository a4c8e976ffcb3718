"""Loading published purchase decisions: from a source to rows in the warehouse."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ingest.errors import LoadError
from ingest.journal import Record, first_line, read_journal
from ingest.json_rows import JsonRow, read_json_rows
from ingest.load_report import Gathered, LoadReport, write_gathered
from ingest.parsed_file import FileId
from ingest.purchase.banks import Banks, stored_banks
from ingest.purchase.read_bank import Bank, read_bank, scenario_rows
from ingest.purchase.read_journal import journal_bank, read_journal_run
from ingest.purchase.read_runs import RunsFile, read_runs, scenario_ids
from ingest.purchase.stored import Run, stored_runs
from ingest.source import Progress, Source, open_source
from ingest.warehouse import (
    FileKey,
    check_writable,
    standing_files,
    working_copy,
)

__all__ = [
    "LoadError",
    "LoadReport",
    "is_purchase_data",
    "load_opened",
    "load_purchase",
]

INSTRUMENT = "purchase"
BANK_FILES = "bank_*.json"
RUNS_FILES = "<model>.jsonl"


@dataclass(kw_only=True)
class _Load(Gathered):
    """A load in the making."""

    standing: set[FileKey]
    runs: dict[Run, FileKey]
    banks: Banks
    replace: bool
    say: Progress
    written: set[str] = field(default_factory=set)  # banks


def load_purchase(
    source: str | os.PathLike[str],
    warehouse: Path,
    *,
    size: int | None = None,
    replace: bool = False,
    progress: Progress | None = None,
) -> LoadReport:
    """Load the decisions of a source, and the banks that they belong to.

    Parameters
    ----------
    source
        Folder, file, ``.zip``, ``.tar.gz`` or https address of an archive. Every
        ``.jsonl`` whose lines name scenarios is a runs file.
    warehouse
        The file; made if absent.
    size
        Scenarios of the bank, where none stands beside the runs and it is drawn again
        from its seed; 48 by default.
    replace
        Let a file take the place of one that was loaded before for the same runs.
    progress
        Called with one line of text per stage.

    Returns
    -------
    LoadReport
        Rows that broke the contract are in it and in ``quality.quarantine``; files
        that could not be read as a whole are in ``errors``, the others are loaded.
        Loading the same source twice changes nothing.

    Raises
    ------
    LoadError
        Where nothing can be loaded: no such source, nothing of this kind in it.
    WarehouseError
        Where the warehouse cannot be written; it is as it was.
    """
    say = progress or (lambda _: None)
    check_writable(warehouse)
    with open_source(source, say) as opened, working_copy(warehouse) as copy:
        return load_opened(copy, opened, size=size, replace=replace, say=say)


def load_opened(
    copy: Path,
    opened: Source,
    *,
    size: int | None = None,
    replace: bool = False,
    say: Progress = lambda _: None,
) -> LoadReport:
    """Load an open source into a working copy; see ``load_purchase``.

    Parameters
    ----------
    copy
        What ``working_copy`` yields.
    opened
        What ``open_source`` yields.
    size, replace
        As in ``load_purchase``.
    say
        Called with one line of text per file.

    Returns
    -------
    LoadReport
        As in ``load_purchase``.

    Raises
    ------
    LoadError, WarehouseError
        As in ``load_purchase``.
    """
    banks = [name for name in opened.names if _is_bank(name)]
    lines = [name for name in opened.names if name.endswith(".jsonl")]
    load = _Load(
        standing=standing_files(copy, INSTRUMENT),
        runs=stored_runs(copy),
        banks=Banks(stored_banks(copy), size),
        replace=replace,
        say=say,
    )
    for name in banks:
        _load_bank(load, opened, name)
    used = {name for name in lines if _load_runs(load, opened, name)}
    if not used and not banks:
        raise LoadError(
            f"{opened.label} holds no purchase data (files seen: "
            f"{len(opened.names)}); expected {RUNS_FILES} with a scenario "
            f"(sid) on every line, and {BANK_FILES}"
        )
    return write_gathered(load, INSTRUMENT, copy, opened, used.union(banks))


def is_purchase_data(name: str) -> bool:
    """Return whether a file name is that of a bank or a runs file."""
    return _is_bank(name) or name.endswith(".jsonl")


def _is_bank(name: str) -> bool:
    return PurePosixPath(name).match(BANK_FILES)


def _load_bank(load: _Load, opened: Source, name: str) -> None:
    try:
        data = opened.read(name)
        bank = read_bank(name, data)
    except LoadError as error:
        load.errors.append(str(error))
        load.banks.offered[name] = None
        return
    load.banks.offered[name] = bank
    file = FileId(name, hashlib.sha256(data).hexdigest(), bank.sha256)
    if not _take_bank(load, bank, file):
        load.skipped.append(name)


def _take_bank(load: _Load, bank: Bank, file: FileId) -> bool:
    """Take a bank in unless it is loaded, under whatever name."""
    stored = {one.sha256 for one in load.banks.stored}
    if bank.sha256 in stored | load.written:
        return False
    load.parsed.append(scenario_rows(file, bank))
    load.written.add(bank.sha256)
    load.say(f"{file.name}: {len(bank.scenarios):,} scenarios")
    return True


def _load_runs(load: _Load, opened: Source, name: str) -> bool:
    """Load one file; False where it is none of this instrument."""
    try:
        data = opened.read(name)
        header = first_line(data)
        if header is not None:
            return _load_journal(load, name, data, header)
        rows = read_json_rows(data)
        if _is_foreign(rows):
            return False
        sha256 = hashlib.sha256(data).hexdigest()
        if _is_loaded(load, sha256):
            load.skipped.append(name)
        else:
            _load_runs_file(load, name, sha256, rows)
    except LoadError as error:
        load.errors.append(f"not loaded: {name}: {error}")
    return True


def _is_foreign(rows: list[JsonRow]) -> bool:
    """Return whether lines are whole, but no decisions; raise where nobody can tell."""
    if scenario_ids(rows):
        return False
    if not rows:
        raise LoadError("the file is empty; fetch it again, or take it out")
    odd = next((row for row in rows if row.value is None or "sid" in row.value), None)
    if odd is None:
        return True
    reason = odd.reason or "sid names no scenario"
    raise LoadError(
        f"no line names a scenario (line {odd.line}: {reason}); fetch the file again, "
        "or take it out"
    )


def _load_runs_file(load: _Load, name: str, sha256: str, rows: list[JsonRow]) -> None:
    bank = load.banks.choose(rows)
    file = FileId(name, sha256, bank.sha256)
    read = read_runs(file, rows, bank)
    replaced = _in_the_way(load, bank, read.run_ids)
    _take_drawn_bank(load, bank)
    _enter(load, name, bank, read, replaced)


def _load_journal(load: _Load, name: str, data: bytes, header: Record) -> bool:
    """Load a journal; a longer one takes the place of what it was before."""
    if header.get("instrument") != INSTRUMENT:
        return False
    sha256 = hashlib.sha256(data).hexdigest()
    if _is_loaded(load, sha256):
        load.skipped.append(name)
        return True
    text = read_journal(data, name)
    bank = journal_bank(text, name)
    read = read_journal_run(FileId(name, sha256, bank.sha256), text, bank)
    replaced = _in_the_way(load, bank, read.run_ids, grows=PurePosixPath(name).name)
    seed_and_size = "_".join(str(header["bank"][key]) for key in ("seed", "size"))
    drawn = FileId(f"bank_{seed_and_size}.json", bank.sha256, bank.sha256)
    _take_bank(load, bank, drawn)
    _enter(load, name, bank, read, replaced)
    return True


def _is_loaded(load: _Load, sha256: str) -> bool:
    return any(
        key.table_name == "response" and key.source_sha256 == sha256
        for key in load.standing
    )


def _enter(
    load: _Load, name: str, bank: Bank, read: RunsFile, replaced: Iterable[FileKey]
) -> None:
    for parsed in (read.decisions, read.runs):
        load.parsed.append(parsed)
        load.notes += parsed.notes
    for key in replaced:
        load.superseded += [key, FileKey("run", *_file(key))]
    for run_id in read.run_ids:
        load.runs[run_id, bank.sha256] = read.decisions.account.key
    load.say(f"{name}: {read.decisions.account.rows_accepted:,} decisions")


def _file(key: FileKey) -> tuple[str, str, str | None]:
    return key.source_file, key.source_sha256, key.bank_sha256


def _take_drawn_bank(load: _Load, bank: Bank) -> None:
    for seed, drawn in load.banks.drawn.items():
        if drawn is bank:
            size = len(bank.scenarios)
            name = f"bank_{seed}_{size}.json"
            if _take_bank(load, bank, FileId(name, bank.sha256, bank.sha256)):
                load.notes.append(
                    f"no {BANK_FILES} beside the runs: the bank of {size} scenarios "
                    f"was drawn again from seed {seed} and agrees with every row"
                )


def _in_the_way(
    load: _Load, bank: Bank, run_ids: Iterable[str], *, grows: str | None = None
) -> list[FileKey]:
    """Return the files that a runs file replaces; raise where it may not.

    A file that only grows replaces what was loaded under its name.
    """
    runs = [(run_id, bank.sha256) for run_id in run_ids]
    taken = {load.runs[run]: run[0] for run in runs if run in load.runs}
    for key, run_id in taken.items():
        if key not in load.standing:
            raise LoadError(
                f"run {run_id} stands in {key.source_file} of the same source too; "
                "keep one"
            )
        if not load.replace and PurePosixPath(key.source_file).name != grows:
            raise LoadError(
                f"run {run_id} is loaded from {key.source_file} with other content "
                f"(sha256 {key.source_sha256[:12]}); --replace puts this one in its "
                "place"
            )
        others = [run for run, at in load.runs.items() if at == key and run not in runs]
        if others:
            raise LoadError(
                f"{key.source_file}, which it would replace, holds run {others[0][0]} "
                "too; give a file that has all its runs"
            )
    return list(taken)
