"""How far an estimate can be trusted: the closed set of statuses, mildest first."""

from __future__ import annotations

from collections.abc import Iterable

OK = "ok"
WEAK = "weak"
LOCKED = "locked"
TOO_FEW = "too_few"
NO_VARIATION = "no_variation"
SEPARATED = "separated"
FAILED = "failed"

STATUSES = (OK, WEAK, LOCKED, TOO_FEW, NO_VARIATION, SEPARATED, FAILED)
_SEVERITY = {status: rank for rank, status in enumerate(STATUSES)}


def worst(statuses: Iterable[str]) -> str:
    """Return the most serious of several statuses.

    Parameters
    ----------
    statuses
        Members of ``STATUSES``.

    Returns
    -------
    str
        The one that stands last in ``STATUSES``; ``"ok"`` when there are none.

    Raises
    ------
    ValueError
        A status outside the closed set, named in the message.
    """
    found = list(statuses)
    unknown = [status for status in found if status not in _SEVERITY]
    if unknown:
        raise ValueError(f"unknown status {unknown[0]!r}: use one of {STATUSES}")
    return max(found, key=_SEVERITY.__getitem__, default=OK)
