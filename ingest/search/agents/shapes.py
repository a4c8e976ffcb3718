"""Looking into replies whose shape nobody can be sure of; nothing here raises."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

_DIGITS = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?")


def part(value: Any, *keys: str | int) -> Any:
    """Return what stands at a path of keys and places, None where nothing does.

    Parameters
    ----------
    value
        Any JSON.
    *keys
        Names of members and places in arrays.

    Returns
    -------
    object
        Any JSON.
    """
    for key in keys:
        if isinstance(key, str) and isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(key, int) and isinstance(value, list):
            value = value[key] if -len(value) <= key < len(value) else None
        else:
            return None
    return value


def at_pointer(value: Any, pointer: str) -> Any:
    """Return what a JSON pointer (RFC 6901) names, None where it names nothing.

    Parameters
    ----------
    value
        Any JSON.
    pointer
        Empty for the whole, else it starts with a slash.

    Returns
    -------
    object
        Any JSON.
    """
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = (
                part(value, int(name)) if name.isascii() and name.isdigit() else None
            )
        else:
            value = part(value, name)
    return value


def objects(value: Any, *keys: str | int) -> list[Mapping[str, Any]]:
    """Return the objects of an array at a path, none where there is no array."""
    found = part(value, *keys)
    listed = found if isinstance(found, list) else []
    return [one for one in listed if isinstance(one, Mapping)]


def text(value: Any, *keys: str | int) -> str:
    """Return the text at a path, empty where there is none."""
    found = part(value, *keys)
    return found if isinstance(found, str) else ""


def count(value: Any, *keys: str | int) -> int | None:
    """Return the whole number from 0 at a path, None where there is none."""
    found = part(value, *keys)
    whole = isinstance(found, int) and not isinstance(found, bool) and found >= 0
    return found if whole else None


def amount(value: Any, *keys: str | int) -> Decimal | None:
    """Return the amount from 0 at a path exactly, a number or the digits of one."""
    found = part(value, *keys)
    if isinstance(found, str) and _DIGITS.fullmatch(found):
        return Decimal(found)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return Decimal(str(found)) if math.isfinite(found) and found >= 0 else None


def addresses(found: Iterable[Any]) -> tuple[str, ...]:
    """Return the web addresses among values, each once, in order."""
    listed = [one for one in found if isinstance(one, str)]
    return tuple(
        dict.fromkeys(one for one in listed if one.startswith(("http://", "https://")))
    )
