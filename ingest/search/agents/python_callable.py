"""An agent that is a function of Python: ``search(task) -> dict``."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from ingest.errors import LoadError
from ingest.keys import redact
from ingest.search.agents.adapter import (
    ANSWERED,
    Attempt,
    Envelope,
    Image,
    ProviderAnswer,
    Request,
    Task,
    Usage,
    Wire,
)
from ingest.search.agents.seats import Seat
from ingest.search.agents.shapes import addresses, amount, count, part, text

_SHOWN = 300
_PATH = "python:"


@dataclass(frozen=True, slots=True)
class PythonCallable:
    """A function that gets the product and gives ``{"listings": [...]}``.

    It gets the record of ``tasks.json`` with ``track``, ``prompt`` and, where there is
    a picture, ``image`` (its bytes as base64). It may give ``text`` in the place of
    ``listings``, and ``model``, ``citations`` and ``usage`` beside it. It may be
    asynchronous; else it runs in a thread.
    """

    seat: Seat
    search: Callable[[dict[str, Any]], Any]

    def build(
        self, task: Task, track: str, prompt: str, image: Image | None
    ) -> Request:
        """Return what the function is given."""
        given = {**task, "track": track, "prompt": prompt}
        # `image` of the record describes the picture, here stands the picture
        given["image"] = image.base64 if image else None
        where = f"{_PATH}{self.seat.options.get('callable')}"
        return Request("CALL", where, given, {})

    async def send(self, request: Request, wire: Wire) -> Envelope:
        """Call the function; what it raises is a fault of transport."""
        started, begun = wire.now(), wire.clock()
        given = json.loads(json.dumps(request.body))
        body, error, detail = None, None, None
        try:
            async with asyncio.timeout(wire.timeout_s):
                if inspect.iscoroutinefunction(self.search):
                    found = await self.search(given)
                else:
                    found = await asyncio.to_thread(self.search, given)
            body = json.loads(json.dumps(found))
            error = "nothing" if body is None else None
        except TimeoutError:
            error = "read_timeout"
        except Exception as raised:  # whatever a stranger's function raises
            error = "raised"
            detail = redact(f"{type(raised).__name__}: {raised}")[:_SHOWN]
        seconds = max(0.0, wire.clock() - begun)
        ended = started + timedelta(seconds=seconds)
        attempt = Attempt(started, ended, None, error, detail)
        return Envelope(body, (attempt,), round(seconds, 3))

    def parse(self, body: Any) -> ProviderAnswer:
        """Return what the function gave, whatever shape it has."""
        listed = part(body, "listings")
        said = json.dumps({"listings": listed}) if isinstance(listed, list) else None
        cited = part(body, "citations")
        return ProviderAnswer(
            text=said or text(body, "text"),
            stop=ANSWERED,
            citations=addresses(cited if isinstance(cited, list) else []),
            usage=Usage(
                count(body, "usage", "input_tokens"),
                count(body, "usage", "output_tokens"),
                count(body, "usage", "searches"),
                amount(body, "usage", "cost_usd"),
            ),
            model=text(body, "model") or None,
        )

    def proceed(self, request: Request, bodies: Sequence[Any]) -> Request:
        """Return the request again: nothing here pauses."""
        return request


def load_callable(seat: Seat) -> PythonCallable:
    """Return the adapter of the function that a seat names.

    Parameters
    ----------
    seat
        With the option ``callable``, ``package.module:function``.

    Returns
    -------
    PythonCallable

    Raises
    ------
    LoadError
        Where there is no such function.
    """
    named = str(seat.options.get("callable") or "")
    module, _, name = named.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise LoadError(
            f"seat {seat.agent}: no function {named!r} ({error}); give the option "
            "`callable` as package.module:function"
        ) from error
    if not callable(found):
        raise LoadError(f"seat {seat.agent}: {named} cannot be called")
    return PythonCallable(seat, found)
