"""The list of listings in a text: whole, fenced, amid prose, or broken and mended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import json_repair

from ingest.search.agents.tidy import tidy

_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)```", re.DOTALL)
_KEY = re.compile(r"""["']?listings["']?\s*:""")
_LIST_OF_PAGES = re.compile(r"""\[\s*\{[^{}]*?["']?url["']?\s*:""")
# far above what ten listings take; mending takes time that grows with the text
_MENDED = 200_000
_TRIES = 5
_FAILURES = 500
_DECODER = json.JSONDecoder()
# where an object, or an array of objects, may begin, and what one worth reading holds
_OPENING = re.compile(r"""\{(?=\s*["}])|\[(?=\s*[{\]])""")
_NAMED = re.compile(r"""["'](?:listings|url)["']""")

Claim = Mapping[str, Any]
Found = tuple[list[Claim] | None, bool]


def find_listings(text: str) -> Found:
    """Return the claims in an answer, in its order (search.md 5.6).

    Tried in turn: the whole text as JSON; a fenced block; the last balanced object with
    ``listings``, or array of objects with ``url``; the same of a text that had to be
    mended.

    Parameters
    ----------
    text
        All that an agent wrote.

    Returns
    -------
    list of mapping or None, bool
        None where there is no list, and whether it had to be mended. An empty list is a
        list. What is no object within one is left out.
    """
    try:
        for found in _as_written(text):
            if found is not None:
                return found, False
        mended = _mended(text)
    except RecursionError:
        # nested far deeper than any list of products
        return None, False
    return mended, mended is not None


def _as_written(text: str) -> Iterator[list[Claim] | None]:
    yield _listed(_json(text), is_whole=True)
    for block in reversed(_FENCE.findall(text)):
        yield _listed(_json(block), is_whole=True)
    yield _last_balanced(text)


def _json(text: str) -> Any:
    try:
        return tidy(json.loads(text.strip().removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return None


def _last_balanced(text: str) -> list[Claim] | None:
    """Return the last list that stands in a text as valid JSON, prose around it."""
    found, place, failures = None, 0, 0
    if not _NAMED.search(text):
        return None
    while failures < _FAILURES and (start := _OPENING.search(text, place)):
        try:
            value, place = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            # each may read to the end, so that their number has to be bounded
            place, failures = start.start() + 1, failures + 1
            continue
        listed = _listed(tidy(value))
        found = found if listed is None else listed
    return found


def _listed(value: Any, *, is_whole: bool = False) -> list[Claim] | None:
    """Return the list that a JSON value is or holds, None where there is none."""
    if isinstance(value, list):
        claims: list[Claim] = [one for one in value if isinstance(one, dict)]
        if any("url" in one for one in claims) or (is_whole and not value):
            return claims
        inner: Any = claims
    elif isinstance(value, dict):
        if isinstance(value.get("listings"), list):
            return [one for one in value["listings"] if isinstance(one, dict)]
        inner = [one for one in value.values() if isinstance(one, dict)]
    else:
        return None
    found = [_listed(one) for one in inner]
    known = [one for one in found if one is not None]
    return known[-1] if known else None


def _mended(text: str) -> list[Claim] | None:
    for start in _broken_starts(text):
        try:
            value = json_repair.loads(text[start : start + _MENDED].split("```")[0])
        except ValueError:
            continue
        found = _listed(tidy(value))
        if found is not None:
            return found
    return None


def _broken_starts(text: str) -> list[int]:
    """Return where lists may begin that are no valid JSON, the last first."""
    braces = [text.rfind("{", 0, key.start()) for key in _KEY.finditer(text)]
    arrays = [array.start() for array in _LIST_OF_PAGES.finditer(text)]
    starts = [place for place in braces if place >= 0] or arrays
    return list(dict.fromkeys(reversed(starts)))[:_TRIES]
