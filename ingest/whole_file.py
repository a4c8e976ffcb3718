"""Writing a file whole or not at all, so that a kill leaves no half of one."""

from __future__ import annotations

import os
from pathlib import Path

from ingest.errors import LoadError


def put_whole(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Put content in a file's place, whole or not at all.

    Parameters
    ----------
    path
        The file; its folder is there.
    content
        Its bytes.
    durable
        Return when it is on the disk; False for what can be made again.

    Raises
    ------
    OSError
        Where it cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(content)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    part.replace(path)
    if durable:
        sync_folder(path.parent)


def write_whole(path: Path, content: bytes) -> None:
    """Put content in a file's place, whole and on the disk, or not at all.

    Parameters
    ----------
    path
        The file; its folder is made.
    content
        Its bytes.

    Raises
    ------
    LoadError
        Where it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        put_whole(path, content)
    except OSError as error:
        raise LoadError(
            f"{path} cannot be written ({error.strerror}); make room or name another "
            "folder, and run this again"
        ) from error


def sync_folder(folder: Path) -> None:
    """Make the names of files in a folder outlive a machine that dies.

    Parameters
    ----------
    folder
        Where files were made or replaced.

    Raises
    ------
    OSError
        Where it cannot be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
