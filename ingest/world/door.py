"""What stands between a request and any model of the world: counts, storms, faults."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.world.manners import REFUSALS, STORMS
from ingest.world.sent import Sent

_HTML = b"<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>"
_FAULTS = {"hang": "hang", "half-body": "half"}


@dataclass(slots=True)
class Door:
    """It counts what models are asked and knows whom a storm turned away.

    Attributes
    ----------
    calls
        Model id as asked -> requests, those that met an error included.
    """

    calls: Counter[str] = field(default_factory=Counter)
    _turned_away: Counter[int] = field(default_factory=Counter)

    def turn_away(
        self,
        model: str,
        manners: frozenset[str],
        body: Mapping[str, Any],
        question: str,
    ) -> Sent | None:
        """Return the error that a request meets; None: it is let in.

        Parameters
        ----------
        model, manners
            As asked, and the words behind it.
        body
            Of the request.
        question
            What tells it apart from other questions to the model.

        Returns
        -------
        Sent or None
            400 for a setting that is refused, 529, or 429 in a storm.
        """
        for word in sorted(manners & set(REFUSALS)):
            if REFUSALS[word] in body:
                told = f"Unsupported parameter: {REFUSALS[word]!r} with this model."
                return error(400, told, REFUSALS[word])
        if "overloaded" in manners:
            return error(529, "overloaded", headers={"retry-after": "0"})
        key = hash((model, question))
        if "storm" in manners and self._turned_away[key] < STORMS:
            self._turned_away[key] += 1
            return error(429, "too many requests", headers={"retry-after": "1"})
        # an answered question is forgotten: the table holds what is in flight
        self._turned_away.pop(key, None)
        return None


def spoiled(sent: Sent, manners: frozenset[str]) -> Sent:
    """Return what becomes of an answer on its way out.

    Parameters
    ----------
    sent
        The answer.
    manners
        Of the model.

    Returns
    -------
    Sent
        Another body, a fault, or the answer as it is.
    """
    if "html" in manners:
        return Sent(_HTML, headers={"content-type": "text/html"})
    if "error-body" in manners:
        return Sent(error(500, "simulated: upstream failed").content)
    fault = next((fault for word, fault in _FAULTS.items() if word in manners), None)
    return replace(sent, fault=fault)


def error(
    status: int,
    message: str,
    param: str | None = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> Sent:
    """Return an error as an endpoint words it.

    Parameters
    ----------
    status
        Of the response.
    message
        What is wrong.
    param
        Field of the request that is to blame.
    headers
        Of the response.

    Returns
    -------
    Sent
        Ready to go out.
    """
    told = {"message": message, "type": "simulated", "param": param, "code": None}
    return Sent(as_json({"error": told}), status, headers or {})


def as_json(body: Any) -> bytes:
    """Return a body as it goes out."""
    return json.dumps(body).encode()
