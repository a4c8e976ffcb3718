"""What goes where: results on standard output, everything else on standard error."""

from __future__ import annotations

import codecs
import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TextIO

from pricebench.errors import CommandError

# What stands in for the signs of our own tables where an encoding lacks them.
_PLAIN = str.maketrans({"─": "-", "–": "-", "…": "~"})
_HANDLER = "pricebench"


class Say(Protocol):
    """Something that tells the reader how far the work is."""

    def __call__(self, text: str) -> None:
        """Show one line of progress."""


def prepare() -> None:
    """Make standard output and error safe to write to, whatever they are.

    A character that their encoding lacks is replaced instead of raising. A closed
    descriptor is pointed at nothing, or the next file opened, perhaps the warehouse,
    would take its number and everything written there.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest free number is given, and those below are taken.
            os.open(os.devnull, os.O_RDWR)
    codecs.register_error(_HANDLER, _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def _replace(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    plain = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(sign if sign.isascii() else "?" for sign in plain), error.end


def on_terminal() -> bool:
    """Return whether results are read on a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def in_colour() -> bool:
    """Return whether results may hold escape codes; ``NO_COLOR`` forbids them."""
    return on_terminal() and not os.environ.get("NO_COLOR")


def can_confirm() -> bool:
    """Return whether somebody at a terminal reads questions and can answer them."""
    return all(
        stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)
    )


def confirm(question: str) -> bool:
    """Ask on the terminal, where anything but yes is no.

    Parameters
    ----------
    question : str
        What is to be confirmed.

    Returns
    -------
    bool
        Whether the answer is ``y`` or ``yes``.
    """
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def emit(text: str) -> None:
    """Write a result to standard output.

    Parameters
    ----------
    text : str
        The result; one line break is added where it has none at its end. A reader
        that went away (``pricebench query … | head``) is no failure. Characters that
        the encoding lacks are replaced, with a note unless they are table rules.

    Raises
    ------
    CommandError
        If standard output is closed or cannot be written.
    """
    if sys.stdout is None:
        raise CommandError(
            "standard output is closed: the result was not written; send it to a file "
            "or to /dev/null"
        )
    try:
        sys.stdout.write(_ended(text))
        sys.stdout.flush()
    except OSError as error:
        _give_up(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            raise unwritten(error) from error
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.translate(_PLAIN).encode(encoding)
    except UnicodeEncodeError:
        note(
            f"note: {encoding} lacks some characters of the result, written as ?; set "
            "PYTHONIOENCODING=utf-8 to keep them"
        )


def unwritten(error: OSError) -> CommandError:
    """Return the failure of a result that standard output did not take."""
    return CommandError(
        f"standard output cannot be written ({error.strerror}): the result is not "
        "complete; make room or send it elsewhere"
    )


def _give_up(stream: TextIO) -> None:
    # The interpreter flushes once more while it exits and would complain there.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _ended(text: str) -> str:
    # nothing is not even an empty line
    return text if not text or text.endswith("\n") else text + "\n"


def complain(text: str) -> None:
    """Write one line about a failure to standard error."""
    note(f"pricebench: {text}")


def note(text: str) -> None:
    """Write one line that is neither result nor failure to standard error.

    A standard error that is closed or cannot be written stops no work.
    """
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError:
        _give_up(sys.stderr)


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
    with console.status(_escaped(title)) as status:
        yield lambda text: status.update(_escaped(f"{title}: {text}"))


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def write_file(path: Path, text: str, *, exact: bool = False) -> None:
    """Write a result to a file, whole or not at all.

    Parameters
    ----------
    path : Path
        The file; its folder must exist. An existing file is replaced and keeps its
        mode; of a link, the file that it points to. A device, a pipe and the file that
        standard output already goes to are written to and never replaced.
    text : str
        Its content, written as UTF-8.
    exact : bool
        Add no line break at the end: the file is one whose hash is known.

    Raises
    ------
    CommandError
        If the folder is missing or the file cannot be written.
    """
    content = text if exact else _ended(text)
    try:
        mode = path.stat().st_mode if path.exists() else None
        if mode is not None and _is_standard_output(path):
            emit(text)
        elif mode is None or stat.S_ISREG(mode):
            _replace_file(path.resolve(), content, mode)
        else:
            path.write_text(content, encoding="utf-8", newline="")
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandError(
            f"cannot write {path} ({reason}): name a file in a folder that exists and "
            "can be written"
        ) from error


def _is_standard_output(path: Path) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (AttributeError, OSError):
        # Closed, or no file at all.
        return False


def _replace_file(path: Path, text: str, mode: int | None) -> None:
    if mode is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="")
        if mode is not None:
            part.chmod(stat.S_IMODE(mode))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
