"""Loading hotel data, published or collected: from a source to the warehouse."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from ingest.errors import LoadError
from ingest.hotel.asked_bank import is_kept_bank, kind_of_file
from ingest.hotel.banks import Banks, stored_banks
from ingest.hotel.read_answers import BankTasks, read_answers, run_row
from ingest.hotel.read_journal import journal_bank, read_journal_run
from ingest.hotel.read_reference import read_capability, read_pool
from ingest.hotel.read_tasks import read_tasks
from ingest.hotel.shapes import (
    ANSWERS,
    BANK_FILES,
    CAPABILITY,
    POOL,
    AnswerFile,
    answer_file,
    by_basename,
    is_hotel_data,
)
from ingest.journal import first_line, read_journal
from ingest.load_report import Gathered, LoadReport, write_gathered
from ingest.parsed_file import FileId, ParsedFile
from ingest.source import Progress, Source, open_source
from ingest.warehouse import (
    FileKey,
    check_writable,
    open_database,
    standing_files,
    working_copy,
)

__all__ = ["LoadError", "LoadReport", "load_hotel"]

INSTRUMENT = "hotel"
JOURNAL_ENDING = ".jsonl"

_Run = tuple[str, str]  # run_id, bank_sha256


@dataclass(kw_only=True)
class _Load(Gathered):
    """A load in the making."""

    standing: set[FileKey]
    runs: dict[_Run, FileKey]
    replace: bool
    say: Progress


@dataclass(frozen=True, slots=True)
class _File:
    """One file of the source, read."""

    name: str
    data: bytes
    sha256: str

    @property
    def base(self) -> str:
        """Return the name without folders."""
        return PurePosixPath(self.name).name


def load_hotel(
    source: str | os.PathLike[str],
    warehouse: Path,
    *,
    bank: str | None = None,
    replace: bool = False,
    progress: Progress | None = None,
) -> LoadReport:
    """Load tasks, answers, journals, pool and capability scores of a source.

    Parameters
    ----------
    source
        Folder, file, ``.zip``, ``.tar.gz`` or https address of an archive. Files are
        found by the shape of their names, anywhere in it, journals by their first line.
    warehouse
        The file; made if absent.
    bank
        First digits of the hash of the bank that answers belong to; needed only where
        the source has no task file and the warehouse several.
    replace
        Let a file take the place of one that was loaded before for the same run,
        bank and order with other content.
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
        Where nothing can be loaded: no such source, nothing of this shape in it.
    WarehouseError
        Where the warehouse cannot be written; it is as it was.
    """
    say = progress or (lambda _: None)
    check_writable(warehouse)
    with open_source(source, say) as opened:
        names = [name for name in opened.names if _is_loaded(name)]
        journals = _find_journals(opened)
        if not names and not journals:
            raise LoadError(
                f"{opened.label} holds no hotel data (files seen: "
                f"{len(opened.names)}{_unread(opened)}); expected "
                f"{', '.join(BANK_FILES.values())}, {POOL}, {CAPABILITY}, {ANSWERS} or "
                "the journal of a run"
            )
        with working_copy(warehouse) as copy:
            standing = standing_files(copy, INSTRUMENT)
            load = _Load(
                standing=standing, runs=_stored_runs(copy), replace=replace, say=say
            )
            files = _read_files(load, opened, names)
            banks = Banks(stored_banks(copy), bank)
            _load_references(load, files)
            _load_banks(load, files, banks)
            _load_answers(load, files, banks)
            for one in journals:
                _load_journal(load, one, banks)
            used = {*names, *(one.name for one in journals)}
            return write_gathered(load, INSTRUMENT, copy, opened, used)


def _is_loaded(name: str) -> bool:
    return is_hotel_data(name) or is_kept_bank(name)


def _find_journals(opened: Source) -> list[_File]:
    """Return the journals of hotel runs; other instruments have theirs beside them."""
    found = []
    for name in opened.names:
        if not name.endswith(JOURNAL_ENDING):
            continue
        data = opened.read(name)
        header = first_line(data)
        if header is not None and header.get("instrument") == INSTRUMENT:
            found.append(_File(name, data, hashlib.sha256(data).hexdigest()))
    return found


def _unread(opened: Source) -> str:
    """Name what is no file: links may have lost the data they lead to."""
    odd = [f"{name}: {what}" for name, what in opened.unread.items()]
    return f"; not read: {', '.join(odd[:3])}" if odd else ""


def _read_files(load: _Load, opened: Source, names: Iterable[str]) -> list[_File]:
    """Read every file once; of one content under one name, the first place counts."""
    files: list[_File] = []
    for base, places in by_basename(names).items():
        read: dict[str, _File] = {}
        try:
            for place in places:
                data = opened.read(place)
                digest = hashlib.sha256(data).hexdigest()
                read.setdefault(digest, _File(place, data, digest))
        except LoadError as error:
            load.errors.append(str(error))
            continue
        if len(read) > 1:
            load.errors.append(
                f"{base} stands in the source with different content as "
                f"{' and '.join(one.name for one in read.values())}; keep one"
            )
            continue
        kept = next(iter(read.values()))
        files.append(kept)
        load.skipped += [place for place in places if place != kept.name]
    return files


def _attempt(
    load: _Load, read: Callable[..., ParsedFile], *arguments: object
) -> ParsedFile | None:
    """Take a file in, or note in one line why it could not be read."""
    try:
        parsed = read(*arguments)
    except LoadError as error:
        load.errors.append(str(error))
        return None
    load.parsed.append(parsed)
    load.notes += parsed.notes
    return parsed


def _in_the_way(
    load: _Load, one: _File, table_name: str, bank_sha256: str | None
) -> list[FileKey] | None:
    """Return what the file would replace; None where it is not to be loaded."""
    place = (table_name, one.base, bank_sha256)
    taken = [
        key
        for key in load.standing
        if (key.table_name, PurePosixPath(key.source_file).name, key.bank_sha256)
        == place
    ]
    if any(key.source_sha256 == one.sha256 for key in taken):
        load.skipped.append(one.name)
        return None
    if taken and not load.replace:
        load.errors.append(
            f"{one.name} differs from the file of this name that is loaded ("
            f"{taken[0].source_file}, sha256 {taken[0].source_sha256[:12]}); "
            "--replace puts it in that one's place"
        )
        return None
    return taken


def _load_references(load: _Load, files: Iterable[_File]) -> None:
    pools = {key.source_sha256 for key in load.standing if key.table_name == "hotel"}
    for one in files:
        file = FileId(one.name, one.sha256)
        if one.base == POOL and one.sha256 in pools:
            load.skipped.append(one.name)
        elif one.base == POOL:
            _attempt(load, read_pool, file, one.data)
        elif one.base == CAPABILITY:
            replaced = _in_the_way(load, one, "capability_score", None)
            if replaced is not None and _attempt(load, read_capability, file, one.data):
                load.superseded += replaced


def _load_banks(load: _Load, files: Iterable[_File], banks: Banks) -> None:
    kinds = {name: kind for kind, name in BANK_FILES.items()}
    for one in files:
        if is_kept_bank(one.base):
            _load_bank(load, one, kind_of_file(one.data), banks)
        elif one.base in kinds:
            kind = kinds[one.base]
            bank = _load_bank(load, one, kind, banks)
            banks.offered[kind] = (one.name, bank)


def _load_bank(load: _Load, one: _File, kind: str, banks: Banks) -> BankTasks | None:
    """Take a bank in unless it is known; None where it cannot be read."""
    known = banks.by_hash(one.sha256)
    if known is not None:
        load.skipped.append(one.name)
        return known
    file = FileId(one.name, one.sha256, one.sha256)
    parsed = _attempt(load, read_tasks, file, one.data, kind)
    if parsed is None:
        return None
    load.say(f"{one.name}: {parsed.account.rows_accepted:,} tasks")
    ids, types = (parsed.table[c].to_pylist() for c in ("task_id", "task_type"))
    bank = BankTasks(one.sha256, dict(zip(ids, types, strict=True)))
    banks.taken[one.sha256] = bank
    return bank


def _load_journal(load: _Load, one: _File, banks: Banks) -> None:
    """Load a journal; a longer one takes the place of what it was before."""
    if any(
        key.table_name == "response" and key.source_sha256 == one.sha256
        for key in load.standing
    ):
        load.skipped.append(one.name)
        return
    try:
        text = read_journal(one.data, one.name)
        bank = banks.by_hash(str(text.header.get("bank_sha256")))
        drawn = None if bank is not None else journal_bank(text, one.name)
        if drawn is not None:
            file = _File(drawn.kept_as, drawn.content, drawn.sha256)
            bank = _load_bank(load, file, drawn.kind, banks)
        if bank is None:
            return
        read = read_journal_run(FileId(one.name, one.sha256, bank.sha256), text, bank)
        _make_room(load, one, (str(text.header["run_id"]), bank.sha256))
    except LoadError as error:
        load.errors.append(f"not loaded: {one.name}: {error}")
        return
    load.parsed += [read.answers, read.run]
    load.notes += read.answers.notes
    load.runs[str(text.header["run_id"]), bank.sha256] = read.run.account.key
    load.say(f"{one.name}: {read.answers.account.rows_accepted:,} answers")


def _make_room(load: _Load, one: _File, run: _Run) -> None:
    """Take out what a journal replaces: only its own shorter self, unless told to."""
    known = load.runs.get(run)
    if known is None:
        return
    if known not in load.standing:
        raise LoadError(
            f"run {run[0]} stands in {known.source_file} of the same source too; keep "
            "one"
        )
    if not load.replace and PurePosixPath(known.source_file).name != one.base:
        raise LoadError(
            f"run {run[0]} is loaded from {known.source_file} with other content "
            f"(sha256 {known.source_sha256[:12]}); --replace puts this one in its place"
        )
    load.superseded += [known, replace(known, table_name="response")]


def _load_answers(load: _Load, files: Iterable[_File], banks: Banks) -> None:
    waiting: dict[str, list[tuple[_File, AnswerFile]]] = {}
    for one in files:
        answers = answer_file(one.name)
        if answers is not None:
            waiting.setdefault(answers.bank_kind, []).append((one, answers))
    for kind, group in waiting.items():
        try:
            bank = banks.choose(kind)
        except LoadError as error:
            names = ", ".join(one.name for one, _ in group[:3])
            more = f" and {len(group) - 3} more" if len(group) > 3 else ""
            load.errors.append(f"not loaded: {names}{more}: {error}")
            continue
        for one, answers in group:
            _load_answer_file(load, one, answers, bank)


def _load_answer_file(
    load: _Load, one: _File, answers: AnswerFile, bank: BankTasks
) -> None:
    replaced = _in_the_way(load, one, "response", bank.sha256)
    if replaced is None:
        return
    file = FileId(one.name, one.sha256, bank.sha256)
    parsed = _attempt(load, read_answers, file, one.data, answers, bank)
    if parsed is None:
        return
    load.say(f"{one.name}: {parsed.account.rows_accepted:,} answers")
    load.superseded += replaced
    # a run's own row comes from the first of its files and leaves with that file
    gone = {(key.source_file, key.source_sha256) for key in replaced}
    run = (answers.run_id, bank.sha256)
    known = load.runs.get(run)
    if known is not None and (known.source_file, known.source_sha256) in gone:
        load.superseded.append(known)
        known = None
    if known is None and parsed.account.rows_accepted:
        row = run_row(file, answers)
        load.parsed.append(row)
        load.runs[run] = row.account.key


def _stored_runs(copy: Path) -> dict[_Run, FileKey]:
    with open_database(copy, read_only=True) as connection:
        rows = connection.execute(
            "select run_id, bank_sha256, _source_file, _source_sha256 "
            "from raw_hotel.run"
        ).fetchall()
    return {
        (run_id, bank): FileKey("run", file, sha256, bank)
        for run_id, bank, file, sha256 in rows
    }
