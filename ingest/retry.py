"""When a request that failed is made again, and how long after."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

ATTEMPTS = 4
# what may pass by itself (search.md 5.4); any other status is an answer of its own
RETRIED_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
# every other call would be refused alike: key, address or model are wrong
SETUP_STATUS = frozenset({401, 402, 403, 404})
_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0


def wait_before(attempt: int, headers: Mapping[str, str] | None = None) -> float:
    """Return how long to wait before a request is made again.

    Parameters
    ----------
    attempt
        How many were made, 1 or more.
    headers
        Of the response that failed, names in lower case or of a mapping that does not
        mind; ``Retry-After`` in seconds or as a date decides.

    Returns
    -------
    float
        Seconds, 0 to 60: doubled with each attempt, with jitter, which spreads the
        load and moves no figure.
    """
    asked = retry_after(headers or {})
    if asked is not None:
        return min(asked, _LONGEST_WAIT_S)
    longest = min(_FIRST_WAIT_S * 2.0**attempt, _LONGEST_WAIT_S)
    return longest * random.uniform(0.5, 1.0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a response asks to be left alone, None if it does not.

    Parameters
    ----------
    headers
        As in `wait_before`.

    Returns
    -------
    float or None
        From ``Retry-After``, in seconds or as a date; never negative. A date is set
        against the response's own, so that a wrong clock here changes nothing.
    """
    text = headers.get("retry-after")
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    until = _seconds_of(text)
    if until is None:
        return None
    sent = _seconds_of(headers.get("date") or "")
    return max(0.0, until - (time.time() if sent is None else sent))


def _seconds_of(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
