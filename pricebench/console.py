"""What goes where: results on standard output, everything else on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol


class Say(Protocol):
    """Something that tells the reader how far the work is."""

    def __call__(self, text: str) -> None:
        """Show one line of progress."""


def emit(text: str) -> None:
    """Write a result to standard output.

    Parameters
    ----------
    text : str
        The result; one line break is added where it has none at its end. A reader
        that went away (``pricebench query … | head``) is no failure.
    """
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes once more while it exits and would complain there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """Write one line about a failure to standard error."""
    sys.stderr.write(f"pricebench: {text}\n")
    sys.stderr.flush()


def note(text: str) -> None:
    """Write one line that is neither result nor failure to standard error."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


@contextmanager
def progress(title: str) -> Iterator[Say]:
    """Show progress on standard error while some work is done.

    Parameters
    ----------
    title : str
        What is being done.

    Yields
    ------
    Say
        Call it with one line. On a terminal the line is replaced in place, with a
        spinner; elsewhere each line is written once.
    """
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        note(title)
        yield lambda text: note(f"  {text}")
        return
    with console.status(title) as status:
        yield lambda text: status.update(f"{title}: {_escaped(text)}")


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def write_file(path: Path, text: str) -> None:
    """Write a result to a file, whole or not at all.

    Parameters
    ----------
    path : Path
        The file; its folder must exist. An existing file is replaced.
    text : str
        Its content, written as UTF-8.

    Raises
    ------
    CommandError
        If the folder is missing or the file cannot be written.
    """
    from pricebench.errors import CommandError

    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(
            text if text.endswith("\n") else text + "\n", encoding="utf-8", newline=""
        )
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CommandError(
            f"cannot write {path} ({error.strerror}): name a file in a folder that "
            "exists and can be written"
        ) from error
