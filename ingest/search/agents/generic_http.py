"""An agent behind any HTTP service, described in YAML alone (search.md 5.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from ingest.errors import LoadError
from ingest.search.agents.adapter import (
    ANSWERED,
    FAILED,
    Envelope,
    Image,
    ProviderAnswer,
    Request,
    Task,
    Usage,
    Wire,
)
from ingest.search.agents.seats import Seat
from ingest.search.agents.send import exchange
from ingest.search.agents.shapes import amount, at_pointer, count
from ingest.search.protocol import RULES
from ingest.search.records import part_of

_PLACE = re.compile(r"\{([a-z_0-9]+)\}")
_LEFT_OUT = object()
# what a template may name -> where it comes from
_TEXTS = (
    *("task_id", "title", "brand", "url", "price", "landed", "currency", "retailer"),
    *("category", "gtin", "mpn", "sku", "basis"),
)
_ANSWER = frozenset(
    {
        *("text", "listings", "model", "error", "input_tokens", "output_tokens"),
        *("searches", "cost_usd"),
    }
)
_OPTIONS = frozenset(
    {"template", "method", "path", "query", "body", "answer", "fields"}
)


@dataclass(frozen=True, slots=True)
class GenericHttp:
    """A service whose options say how it is asked and where its answer stands.

    ``method``, ``path``, ``query`` and ``body`` may hold ``{name}`` for a fact of the
    product; a text that is nothing else keeps the fact's type, and is left out where
    there is none. ``answer`` names the parts of a reply by JSON pointer; ``fields``
    maps fields of a listing to pointers within one of ``answer.listings``.
    """

    seat: Seat

    def __post_init__(self) -> None:
        """Refuse options that would only fail once a product is asked for."""
        options, where = self.seat.options, f"seat {self.seat.agent}"
        unknown = sorted({*options} - _OPTIONS)
        unknown += sorted({*self._mapping("answer")} - _ANSWER)
        if unknown:
            raise LoadError(f"{where}: no option {unknown[0]} for generic_http")
        answer = self._mapping("answer")
        if not answer.get("listings") and not answer.get("text"):
            raise LoadError(f"{where}: answer names neither listings nor text")
        known = _facts({}, "exact", "", None)
        for one in _named([options.get(key) for key in ("path", "query", "body")]):
            if one not in known:
                raise LoadError(f"{where}: no fact {{{one}}}; known: {sorted(known)}")

    def build(
        self, task: Task, track: str, prompt: str, image: Image | None
    ) -> Request:
        """Return the request for a product."""
        if self.seat.base is None:
            raise LoadError(
                f"agent {self.seat.agent} has no address; give its `base` in a file of "
                "seats, or leave the agent out"
            )
        facts = _facts(task, track, prompt, image)
        options = self.seat.options
        query = _filled(self._mapping("query"), facts)
        path = _filled(options.get("path") or "", facts)
        body = _filled(options.get("body"), facts)
        url = f"{self.seat.base}{path}" + (f"?{urlencode(query)}" if query else "")
        method = str(options.get("method") or "POST").upper()
        return Request(method, url, body, self.seat.headers)

    async def send(self, request: Request, wire: Wire) -> Envelope:
        """Send it and return what came, without reading it."""
        return await exchange(request, wire)

    def parse(self, body: Any) -> ProviderAnswer:
        """Return what a reply says, whatever shape it has."""

        def found(name: str) -> Any:
            pointer = self._mapping("answer").get(name)
            return None if pointer is None else at_pointer(body, str(pointer))

        said = found("text")
        listed = found("listings")
        text = said if isinstance(said, str) else ""
        if isinstance(listed, list):
            text = json.dumps({"listings": [self._claim(one) for one in listed]})
        model = found("model")
        return ProviderAnswer(
            text=text,
            stop=FAILED if found("error") else ANSWERED,
            usage=Usage(
                count(found("input_tokens")),
                count(found("output_tokens")),
                count(found("searches")),
                amount(found("cost_usd")),
            ),
            model=model if isinstance(model, str) else None,
        )

    def proceed(self, request: Request, bodies: Sequence[Any]) -> Request:
        """Return the request again: nothing here pauses."""
        return request

    def _mapping(self, name: str) -> Mapping[str, Any]:
        found = self.seat.options.get(name) or {}
        if not isinstance(found, Mapping):
            raise LoadError(f"seat {self.seat.agent}: {name} is no mapping")
        return found

    def _claim(self, one: Any) -> Any:
        fields = self._mapping("fields")
        if not fields:
            return one
        return {name: at_pointer(one, str(at)) for name, at in fields.items()}


def _facts(task: Task, track: str, prompt: str, image: Image | None) -> dict[str, Any]:
    pack, shipping = part_of(task, "pack"), part_of(task, "shipping")
    return {
        **{name: task.get(name) for name in _TEXTS},
        "shipping": shipping.get("amount"),
        "fees": shipping.get("fees"),
        "pack_count": pack.get("count"),
        "track": track,
        "is_exact": track == "exact",
        "prompt": prompt,
        "buyer_zip": RULES["buyer_zip"],
        "max_listings": RULES["max_listings"],
        "image_base64": image.base64 if image else None,
        "image_media_type": image.media_type if image else None,
        "image_data_uri": image.data_uri if image else None,
    }


def _filled(value: Any, facts: Mapping[str, Any]) -> Any:
    """Return a template with its facts; a member that is none is left out."""
    if isinstance(value, str):
        whole = _PLACE.fullmatch(value)
        if whole:
            fact = facts[whole[1]]
            return _LEFT_OUT if fact is None else fact
        return _PLACE.sub(lambda one: str(_or_empty(facts[one[1]])), value)
    if isinstance(value, Mapping):
        filled = {key: _filled(inner, facts) for key, inner in value.items()}
        return {key: one for key, one in filled.items() if one is not _LEFT_OUT}
    if isinstance(value, list):
        items = [_filled(inner, facts) for inner in value]
        return [one for one in items if one is not _LEFT_OUT]
    return value


def _or_empty(fact: Any) -> Any:
    return "" if fact is None else fact


def _named(value: Any) -> list[str]:
    """Return the facts that a template names."""
    if isinstance(value, str):
        return _PLACE.findall(value)
    inner: Sequence[Any] = ()
    if isinstance(value, Mapping):
        inner = list(value.values())
    elif isinstance(value, list):
        inner = value
    return [name for one in inner for name in _named(one)]
