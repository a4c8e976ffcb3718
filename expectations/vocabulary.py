"""Closed sets that the suites hold the warehouse to."""

from __future__ import annotations

CHOICES = ("A", "B", "C", "D", "E")
ORDERINGS = ("original", "swapped")
ID_OFFSETS = (0, 1000, 10000)
OBSERVED_SOURCES = ("release", "collected", "simulated")
SOURCES = (*OBSERVED_SOURCES, "derived")
READINGS = ("as_published", "audited")
FORMAT_OPTIONS = {"binary": 2, "ternary": 3, "fiveopt": 5}
FORMATS = (*FORMAT_OPTIONS, "all")
BLOCKS = ("binary", "ternary", "pooled", "fiveopt")
SPECIFICATIONS = (
    "log",
    "linear",
    "decile",
    "brand",
    "brand_area",
    "brand_luxury",
    "brand_drop_listing",
)
READ_STATES = ("json", "json_embedded", "salvaged", "letter")
UNREAD_STATES = ("invalid", "failed")
REPLY_STATES = READ_STATES + UNREAD_STATES


def quoted(values: tuple[str, ...]) -> str:
    """Return a closed set as a list of SQL literals.

    Parameters
    ----------
    values
        Members without quotes in them.

    Returns
    -------
    str
        ``'a', 'b'``.
    """
    return ", ".join(f"'{value}'" for value in values)
