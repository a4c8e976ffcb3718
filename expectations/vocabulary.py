"""Closed sets that the suites hold the warehouse to."""

from __future__ import annotations

from models.hotel_terms import ALL_SPECIFICATIONS
from models.hotel_terms import BLOCKS as _BLOCKS
from models.purchase_terms import CATEGORIES as _CATEGORIES
from models.purchase_terms import LABELS as _LABELS
from models.purchase_terms import METRICS as _METRICS
from models.purchase_terms import OPTIONS as _OPTIONS
from models.search_terms import METRICS as _SEARCH_METRICS

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
SEARCH_TRACKS = ("exact", "equiv")
SEARCH_SCENARIOS = ("base", "prime")
SEARCH_BASES = ("per_unit", "total")
SEARCH_ARTIFACTS = (
    *("cells", "sourcing_log", "tasks", "raw", "candidates", "grades", "audit"),
    *("verify_labels", "verify_labels_refs", "summary"),
)
SEARCH_CELL_STATES = ("planned", "filled", "unfilled")
SEARCH_CALL_STATES = (
    *("ok", "empty", "refused", "unparsable", "truncated", "transport_error"),
)
SEARCH_VALIDITIES = ("valid", "invalid")
SEARCH_VERDICTS = (*SEARCH_VALIDITIES, "no_majority")
SEARCH_RULED_STATES = ("verified", "rejected", "temporarily_unverifiable")
SEARCH_AUDIT_STATES = (*SEARCH_RULED_STATES, "needs_human")
SEARCH_CHECK_KINDS = ("link", "stock", "price", "condition", "pack", "shipping")
SEARCH_OUTCOMES = ("pass", "fail", "unknown")
SEARCH_SELLER_SCOPES = ("first_party", "any")
SEARCH_REASON_CODES = (
    *("R01_DIFFERENT_PRODUCT", "R02_DIFFERENT_MODEL", "R03_SIZE_DIFFERS"),
    *("R04_COLOR_FASHION", "R05_ACCESSORY_OR_PART", "R06_NOT_NEW", "R07_BUNDLE"),
    *("R08_LOWER_QUALITY", "R09_REGION_LOCK", "R10_COUNTERFEIT_RISK"),
    *("R11_SAME_PRODUCT", "R12_EQUIVALENT", "R99_OTHER"),
)
SEARCH_METRICS = _SEARCH_METRICS


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
