"""Closed sets that the suites hold the warehouse to."""

from __future__ import annotations

from models.hotel_terms import ALL_SPECIFICATIONS
from models.hotel_terms import BLOCKS as _BLOCKS
from models.purchase_terms import CATEGORIES as _CATEGORIES
from models.purchase_terms import LABELS as _LABELS
from models.purchase_terms import METRICS as _METRICS
from models.purchase_terms import OPTIONS as _OPTIONS

CHOICES = ("A", "B", "C", "D", "E")
ORDERINGS = ("original", "swapped")
ID_OFFSETS = (0, 1000, 10000)
OBSERVED_SOURCES = ("release", "collected", "simulated")
SOURCES = (*OBSERVED_SOURCES, "derived")
READINGS = ("as_published", "audited")
FORMAT_OPTIONS = {"binary": 2, "ternary": 3, "fiveopt": 5}
FORMATS = (*FORMAT_OPTIONS, "all")
BLOCKS = tuple(block.name for block in _BLOCKS)
SPECIFICATIONS = tuple(one.name for one in ALL_SPECIFICATIONS)
READ_STATES = ("json", "json_embedded", "salvaged", "letter")
UNREAD_STATES = ("invalid", "failed")
REPLY_STATES = READ_STATES + UNREAD_STATES
PURCHASE_OPTIONS = _OPTIONS
PURCHASE_LABELS = _LABELS
PURCHASE_CATEGORIES = _CATEGORIES
PURCHASE_METRICS = tuple(_METRICS)
MENUS = ("ordinary", "bonded")


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
