"""Changing a warehouse safely: one writer, a copy, an atomic rename."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from ingest.errors import WarehouseError, one_line
from ingest.interrupts import heeded_interrupts
from ingest.raw_tables import ensure_tables, open_database
from ingest.warehouse_path import check_name, copy_path, lock_path
from ingest.whole_file import sync_folder

# every DuckDB file has these bytes at this place
_MAGIC = b"DUCK"
_MAGIC_AT = 8


@contextmanager
def locked(warehouse: Path) -> Iterator[None]:
    """Hold the right to change a warehouse; never waits.

    Parameters
    ----------
    warehouse
        The file, which need not exist; its folder must.

    Raises
    ------
    WarehouseError
        Where another command holds it, or the lock file cannot be written.
    """
    path = lock_path(warehouse)
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise WarehouseError(
            f"warehouse {warehouse} cannot be written ({error.strerror}); give a "
            "--warehouse path in a folder that you may write to"
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(handle, 32, 0).decode("ascii", "replace").strip()
            who = f" (process {holder})" if holder else ""
            raise WarehouseError(
                f"another pricebench command{who} is at work on {warehouse}; wait "
                "until it ends and run this again"
            ) from error
        # who holds it is for a message alone; a full disk fails where it matters
        with suppress(OSError):
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        # the file stays: removing it would let two commands lock two files of one name
        os.close(handle)


def check_writable(warehouse: Path) -> Path:
    """Return the real path of a warehouse that can be written, before any work.

    Parameters
    ----------
    warehouse
        As given; a link is followed, missing parent folders are made.

    Returns
    -------
    Path
        Absolute.

    Raises
    ------
    WarehouseError
        Where the path is a folder, lies below a file, has a name that cannot be used or
        may not be written.
    """
    try:
        path = Path(warehouse).expanduser().resolve()
        check_name(path)
        if path.is_dir():
            raise WarehouseError(
                f"warehouse {warehouse} is a folder; give the path of a file in it, "
                f"as {warehouse}/warehouse.duckdb"
            )
        _refuse_other_files(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        probe = lock_path(path)
        os.close(os.open(probe, os.O_RDWR | os.O_CREAT, 0o644))
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError("the file is read-only")
    except (OSError, RuntimeError) as error:
        raise WarehouseError(
            f"warehouse {warehouse} cannot be written ({_reason(error)}); give a "
            "--warehouse path in a folder that you may write to"
        ) from error
    return path


def _reason(error: OSError | RuntimeError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return f"{error.filename} is a file, not a folder"
    return one_line(error)


def _refuse_other_files(path: Path) -> None:
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.read(_MAGIC_AT + len(_MAGIC))
    if head and head[_MAGIC_AT:] != _MAGIC:
        raise WarehouseError(
            f"{path} is no warehouse but some other file; give another --warehouse path"
        )


@contextmanager
def working_copy(warehouse: Path) -> Iterator[Path]:
    """Change a copy of a warehouse, which takes its place when all went well.

    Readers of the warehouse neither block this nor see half of it. A missing
    warehouse is made with every table empty. If the block raises, the process is
    interrupted or killed, or the copy was not changed, the warehouse stays as it was,
    byte for byte.

    Parameters
    ----------
    warehouse
        The file; need not exist.

    Yields
    ------
    Path
        The copy. Close every connection to it before the block ends.

    Raises
    ------
    WarehouseError
        Where another command or process is writing, the path or the disk does not
        allow it, or the warehouse was changed by something else meanwhile.
    KeyboardInterrupt
        Where ctrl-C came inside the block, whatever the block made of it.
    """
    path = check_writable(warehouse)
    with locked(path):
        copy = copy_path(path)
        _discard(copy)
        before = _settle(path)
        try:
            with heeded_interrupts():
                _start(path, copy)
                start = _stamp(copy)
                ensure_tables(copy)
                yield copy
                if _wal(copy).exists():
                    _checkpoint(copy)
            if start is None or _stamp(copy) != start:
                _publish(path, copy, before)
        finally:
            _discard(copy)


_Stamp = tuple[int, int, int]


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}.wal")


def _settle(path: Path) -> _Stamp | None:
    """Make sure that nobody writes, and fold a left-over write-ahead log in.

    A copy without its log would lose what the log holds, and a log that outlived the
    exchange would be replayed into the new file.
    """
    if not path.exists():
        if _wal(path).exists():
            raise WarehouseError(
                f"{_wal(path)} has no warehouse beside it; move it away or put the "
                "warehouse back"
            )
        return None
    if _wal(path).exists():
        _checkpoint(path)
    else:
        open_database(path, read_only=True).close()
    return _stamp(path)


def _start(path: Path, copy: Path) -> None:
    try:
        copy.parent.mkdir()
        if path.exists():
            shutil.copyfile(path, copy)
            shutil.copymode(path, copy)
    except OSError as error:
        raise WarehouseError(
            f"warehouse {path} cannot be copied ({one_line(error)}); it needs as much "
            "free disk again as it has bytes"
        ) from error


def _checkpoint(path: Path) -> None:
    """Write everything into the file itself; raise where a log stays behind."""
    try:
        with open_database(path) as connection:
            connection.execute("force checkpoint")
    except duckdb.Error as error:
        raise WarehouseError(
            f"warehouse {path} cannot be written out ({one_line(error)}); check the "
            "disk"
        ) from error
    if _wal(path).exists():
        raise WarehouseError(
            f"warehouse {path} is still open somewhere in this program; close it and "
            "run this again"
        )


def _publish(path: Path, copy: Path, before: _Stamp | None) -> None:
    if before is not None:
        open_database(path, read_only=True).close()
    if _stamp(path) != before or _wal(path).exists():
        raise WarehouseError(
            f"warehouse {path} was changed by something else meanwhile; nothing was "
            "replaced, run this again"
        )
    try:
        with copy.open("rb") as file:
            os.fsync(file.fileno())
        copy.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise WarehouseError(
            f"warehouse {path} cannot be replaced ({one_line(error)}); check the disk "
            "and the rights on the folder"
        ) from error


def _discard(copy: Path) -> None:
    shutil.rmtree(copy.parent, ignore_errors=True)
