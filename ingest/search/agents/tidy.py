"""Replies as they may be stored: no keys, no pictures sent back, nothing JSON lacks."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ingest.keys import hide, known_keys
from ingest.search.agents.adapter import Image

_HALF = re.compile(r"[\ud800-\udfff]")


def tidy(value: Any, image: Image | None = None, secrets: Iterable[str] = ()) -> Any:
    """Return a reply as an artifact may hold it.

    Parameters
    ----------
    value
        Any JSON.
    image
        A picture that was sent; where the reply repeats it, its hash stands instead.
    secrets
        Names of variables of the environment, beside the keys that are always hidden.

    Returns
    -------
    object
        The same shape; numbers that are none are null, half characters are replaced.
    """
    names = tuple(secrets)
    echo = image.base64 if image else ""
    if _is_tidy(value, [*known_keys(names).values(), echo]):
        return value

    def one(found: Any) -> Any:
        if isinstance(found, str):
            if echo and echo in found:
                found = found.replace(echo, f"<image {image.sha256 if image else ''}>")
            return _HALF.sub("\ufffd", hide(found, names))
        if isinstance(found, Mapping):
            return {one(str(key)): one(inner) for key, inner in found.items()}
        if isinstance(found, list | tuple):
            return [one(inner) for inner in found]
        if isinstance(found, float) and not math.isfinite(found):
            return None
        return found

    return one(value)


def _is_tidy(value: Any, hidden: Iterable[str]) -> bool:
    """Return whether nothing has to be done, which one look at the whole tells."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    # half characters are written so, and whole pairs as well
    if "\\ud" in text:
        return False
    return not any(one and json.dumps(one)[1:-1] in text for one in hidden)
