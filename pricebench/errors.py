"""The one failure that a verb reports: a line for the person at the terminal."""

from __future__ import annotations

import re

# dbt colours parts of its messages whatever they are written to.
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class CommandError(Exception):
    """A failure the reader can mend: what is wrong, where, and what to do."""


def one_line(error: BaseException) -> str:
    """Fold an error's text into one line.

    Parameters
    ----------
    error : BaseException
        Any error.

    Returns
    -------
    str
        Its text without line breaks and colours; the name of its class where it has no
        text.
    """
    return " ".join(_ESCAPES.sub("", str(error)).split()) or type(error).__name__
