"""Nodes of schema.org as JSON: types, texts and lists, in whatever shape they came."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

Node = dict[str, Any]

LONGEST_TEXT = 2_000

_LAST = re.compile(r"[^/#:]*$")
_SPACES = re.compile(r"\s+")


def types(node: Mapping[str, Any]) -> set[str]:
    """Return the types of a node without their vocabulary, in small letters."""
    return {_last(one) for one in each(node.get("@type")) if isinstance(one, str)}


def each(value: object) -> Iterator[Any]:
    """Yield the members of a list, a single value as one, and nothing for None."""
    if isinstance(value, list):
        yield from value
    elif value is not None:
        yield value


def nodes(value: object) -> Iterator[Node]:
    """Yield the nodes among a value or the members of a list."""
    yield from (one for one in each(value) if isinstance(one, dict))


def text(value: object) -> str | None:
    """Return a value as one line of text.

    Parameters
    ----------
    value
        A text, a number, a node with ``@value``, ``name`` or ``@id``, or a list.

    Returns
    -------
    str or None
        The first that is not empty; None where there is none.
    """
    for one in each(value):
        if isinstance(one, dict):
            keys = ("@value", "name", "value", "url", "@id")
            one = next(
                (one[key] for key in keys if isinstance(one.get(key), str)), None
            )
        if isinstance(one, int | Decimal) and not isinstance(one, bool):
            one = str(one)
        if isinstance(one, str):
            line = _SPACES.sub(" ", one[:LONGEST_TEXT]).strip()
            if line:
                return line
    return None


def word(value: object) -> str | None:
    """Return a member of an enumeration (availability, condition, price type)."""
    for one in each(value):
        if isinstance(one, dict):
            one = one.get("@id") or one.get("name") or one.get("@value")
        if isinstance(one, str) and one.strip():
            return one
    return None


def last_part(value: object) -> str:
    """Return the last part of a member's address in small letters, empty for none."""
    found = word(value)
    return _last(found) if found else ""


def _last(name: str) -> str:
    match = _LAST.search(name.strip().rstrip("/")[-100:])
    return match[0].lower() if match else ""
