"""The journal of a run: an append-only file that survives any kill.

A record is written in one piece the moment its reply is there, so a process that dies
loses none; it counts as done after the sync that covers it, so a machine that dies
repeats it. Records that wait together share a sync.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.errors import LoadError
from ingest.whole_file import sync_folder

SCHEMA = "pricebench/journal/1"
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JournalText:
    """What a journal holds.

    Attributes
    ----------
    header
        Its first line: schema, instrument, run and what decides the answers.
    records
        Line number and record of every call, in the order in which they were written.
    torn
        Line numbers that a kill left unfinished; their calls are not done.
    """

    header: Record
    records: tuple[tuple[int, Record], ...]
    torn: tuple[int, ...]


def read_journal(data: bytes, name: str) -> JournalText:
    """Read a journal.

    Parameters
    ----------
    data
        The file's bytes.
    name
        How messages call it.

    Returns
    -------
    JournalText
        A line that is no record of this schema is torn, wherever it stands.

    Raises
    ------
    LoadError
        Where its first line is no header of a journal.
    """
    header = first_line(data)
    if header is None:
        raise LoadError(
            f"{name} is no journal: its first line is no header of schema {SCHEMA}"
        )
    records: list[tuple[int, Record]] = []
    torn: list[int] = []
    for number, line in enumerate(data.split(b"\n")[1:], start=2):
        if not line:
            continue
        record = _object(line)
        if record is None:
            torn.append(number)
        else:
            records.append((number, record))
    return JournalText(header, tuple(records), tuple(torn))


def first_line(data: bytes) -> Record | None:
    """Return the header of a journal, or None where a file is none.

    Parameters
    ----------
    data
        A file, or as much of it as its first line.

    Returns
    -------
    mapping or None
        The header.
    """
    found = _object(data.split(b"\n", 1)[0])
    return found if found and found.get("schema") == SCHEMA else None


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


class Journal:
    """An open journal, which one process writes.

    Attributes
    ----------
    found
        What it held when it was opened.
    """

    def __init__(self, descriptor: int, path: Path, found: JournalText) -> None:
        self.path = path
        self.found = found
        self._descriptor = descriptor
        self._written = 0
        self._synced = 0
        self._syncing: asyncio.Task[None] | None = None
        self._broken = False

    async def add(self, record: Record) -> None:
        """Write a record at once and return when a sync has covered it.

        Parameters
        ----------
        record
            Anything JSON holds.

        Raises
        ------
        LoadError
            Where the disk takes no more; what was written before stands.
        """
        self._write(record)
        mine = self._written
        while self._synced < mine:
            if self._syncing is None or self._syncing.done():
                self._syncing = asyncio.create_task(self._sync())
            # a call that is cancelled must not cancel the sync that others wait for
            await asyncio.shield(self._syncing)

    def _write(self, record: Record) -> None:
        line = f"{json.dumps(record, ensure_ascii=False)}\n".encode(
            errors="backslashreplace"
        )
        if self._broken:
            # a record behind one that was cut off would be lost with it
            raise LoadError(f"journal {self.path} takes no more")
        self._broken = True
        _write_all(self._descriptor, line, self.path)
        self._broken = False
        self._written += 1

    async def _sync(self) -> None:
        covered = self._written
        try:
            await asyncio.to_thread(os.fsync, self._descriptor)
        except OSError as error:
            raise _failed(self.path, error) from error
        self._synced = max(self._synced, covered)


@contextmanager
def open_journal(path: Path, header: Record) -> Iterator[Journal]:
    """Open the journal of a run, or begin it.

    Parameters
    ----------
    path
        The file; its folder is made.
    header
        What decides the answers of the run; ``schema`` is added.

    Yields
    ------
    Journal
        Locked: a second process is refused.

    Raises
    ------
    LoadError
        Where another process writes it, it belongs to another run (the message names
        the first field that differs), it is no journal, or it cannot be written.
    """
    header = {"schema": SCHEMA, **header}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise _failed(path, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise LoadError(
                f"another command writes {path}; wait until it ends and run this again"
            ) from error
        found = _begin(descriptor, path, header)
        yield Journal(descriptor, path, found)
    finally:
        os.close(descriptor)


def _begin(descriptor: int, path: Path, header: Record) -> JournalText:
    data = path.read_bytes()
    line = f"{json.dumps(header)}\n".encode()
    # a kill may have cut the header itself; nothing was asked before it was synced
    if len(data) < len(line) and line.startswith(data):
        os.ftruncate(descriptor, 0)
        _write_all(descriptor, line, path)
        os.fsync(descriptor)
        sync_folder(path.parent)
        return JournalText(header, (), ())
    found = read_journal(data, str(path))
    for name in header:
        if found.header.get(name) != header[name]:
            raise LoadError(
                f"{path} is the journal of another run ({name} is "
                f"{found.header.get(name)!r} there, {header[name]!r} here); name "
                "another file"
            )
    if not data.endswith(b"\n"):
        # the torn line stays, on a line of its own
        _write_all(descriptor, b"\n", path)
    return found


def _write_all(descriptor: int, data: bytes, path: Path) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError as error:
        raise _failed(path, error) from error


def _failed(path: Path, error: OSError) -> LoadError:
    return LoadError(
        f"journal {path} cannot be written ({error.strerror}); make room or name "
        "another folder, and run this again: what it holds is not asked again"
    )


def last_by(
    records: Iterable[tuple[int, Record]], names: tuple[str, ...]
) -> dict[tuple[Any, ...], tuple[int, Record]]:
    """Return the last record of each call.

    Parameters
    ----------
    records
        As in ``JournalText.records``.
    names
        Fields that tell calls apart.

    Returns
    -------
    dict
        Key -> line number and record; a record without such a key is left out.
    """
    found = {}
    for at, record in records:
        key = tuple(record.get(name) for name in names)
        # what an editor made of a key tells no call from another
        if all(isinstance(value, str | int) for value in key):
            found[key] = (at, record)
    return found
