"""Errors that reach the terminal: one line with what, where and what to do."""

from __future__ import annotations


class LoadError(Exception):
    """A source, a file or a request that cannot be loaded as it stands."""


class WarehouseError(LoadError):
    """A warehouse that cannot be read, locked, copied or replaced."""


def one_line(error: BaseException) -> str:
    """Return the first line of an error's text, or its type where it has none.

    Parameters
    ----------
    error
        Any exception.

    Returns
    -------
    str
        Never empty, no line break.
    """
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
