"""Reading a reply: which option it names, and how it could be read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from ingest.purchase.scenario import OPTIONS

_FENCE = re.compile(r"\s*```[a-zA-Z]*\s*\n?(.*?)\s*```\s*", re.DOTALL)
_SALVAGE = re.compile(rf"""["']choice["']\s*:\s*["']?({"|".join(OPTIONS)})\b""")
MAX_REASON = 400


@dataclass(frozen=True, slots=True)
class Reply:
    """What one reply says.

    Attributes
    ----------
    choice
        One of the options; None where none could be read.
    state
        ``json``, ``json_embedded`` (an object inside other text), ``salvaged`` (a
        broken object that still names its choice) or ``invalid``.
    reason
        First 400 characters of the reason given; None where there is none.
    """

    choice: str | None
    state: str
    reason: str | None = None


def read_reply(text: str | None) -> Reply:
    """Read the reply of a call that succeeded.

    Parameters
    ----------
    text
        The reply as it came; None and blank are read as invalid.

    Returns
    -------
    Reply
        The first way of reading that gives an option: the whole text without a code
        fence, the span from the first ``{`` to the last ``}``, a quoted choice key
        (Knipe 2026, run protocol).
    """
    stripped = (text or "").strip()
    fenced = _FENCE.fullmatch(stripped)
    body = fenced[1] if fenced else stripped
    embedded = body[body.find("{") : body.rfind("}") + 1]
    for state, span in (("json", body), ("json_embedded", embedded)):
        found = _read_object(span)
        if found is not None:
            choice, reason = found
            return Reply(choice, state, reason)
    salvaged = _SALVAGE.search(body)
    return Reply(salvaged[1], "salvaged") if salvaged else Reply(None, "invalid")


def _read_object(text: str) -> tuple[str, str | None] | None:
    try:
        given = json.loads(text)
    # a reply of a thousand brackets is no option either
    except (ValueError, RecursionError):
        return None
    choice = given.get("choice") if isinstance(given, dict) else None
    # a list would not be hashable, and no text is compared loosely
    if not isinstance(choice, str) or choice not in OPTIONS:
        return None
    reason = given.get("reason")
    return choice, reason[:MAX_REASON] if isinstance(reason, str) else None
