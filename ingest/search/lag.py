"""How long after the freezing of its reference something was done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

# prices move: later than this, a find and its reference are of different days
WARN_HOURS = 24.0


def frozen_at(task: Mapping[str, Any]) -> datetime | None:
    """Return when a reference was frozen, UTC.

    Parameters
    ----------
    task
        Record of ``tasks.json``.

    Returns
    -------
    datetime or None
        When its shipping was settled, else when its page was read; None where neither
        is told.
    """
    for part in ("shipping", "extraction"):
        told = (task.get(part) or {}).get("at")
        if isinstance(told, str):
            return _time(told)
    return None


def lag_hours(task: Mapping[str, Any], at: datetime | str) -> float | None:
    """Return the hours between the freezing of a reference and a time.

    Parameters
    ----------
    task
        Record of ``tasks.json``.
    at
        With its time zone, or as artifacts hold it.

    Returns
    -------
    float or None
        To the hundredth; None where nobody knows when it was frozen.
    """
    frozen = frozen_at(task)
    if frozen is None:
        return None
    at = _time(at) if isinstance(at, str) else at
    return round((at - frozen).total_seconds() / 3600, 2)


def is_late(hours: float | None) -> bool:
    """Return whether a lag is long enough to warn of; one that nobody knows is not."""
    return hours is not None and hours > WARN_HOURS


def describe_lag(tasks: Iterable[Mapping[str, Any]], at: datetime) -> list[str]:
    """Return how long ago the references were frozen, for the start of a phase.

    Parameters
    ----------
    tasks
        Records of ``tasks.json``.
    at
        Now, with its time zone.

    Returns
    -------
    list of str
        A line with the hours, and a warning where one is older than a day; nothing
        where nobody knows.
    """
    lags = [
        (lag, str(task["task_id"]))
        for task in tasks
        if (lag := lag_hours(task, at)) is not None
    ]
    if not lags:
        return []
    (least, _), (most, oldest) = min(lags), max(lags)
    lines = [f"{least:.1f} to {most:.1f} hours since the references were frozen"]
    late = sum(is_late(lag) for lag, _ in lags)
    if late:
        lines.append(
            f"warning: {late} of {len(lags)} references are older than "
            f"{WARN_HOURS:g} hours ({oldest}: {most:.1f}); prices may have moved since"
        )
    return lines


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
