"""Search agents of the world in the wire shapes of their providers (search.md 5.3).

Models are ``simulated/<searcher>``, manners behind them as everywhere; ``+pause`` makes
a turn of the Messages API pause twice before it answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.sources import SIMULATED_PREFIX
from ingest.world.catalogue import Item
from ingest.world.door import Door, as_json, error, spoiled
from ingest.world.manners import MANNERS, split_manners
from ingest.world.searchers import SEARCHERS, Searcher, find_item
from ingest.world.sent import Sent

Body = Mapping[str, Any]

PAUSE = "pause"
_PAUSES = 2
_URL = re.compile(r"https?://[^\s\"'<>]+")
# how the prompt of the other track differs
_EQUIVALENT = "EQUIVALENT"
_DEFAULT = "finds-all"
_TOKENS = {"input_tokens": 2000, "output_tokens": 400}
_SEARCHES = 3
_POLLS = 1  # times that a batch is still in progress


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a searcher."""

    searcher: Searcher
    model: str
    item: Item
    track: str
    pauses: bool

    @property
    def text(self) -> str:
        """Return its answer."""
        return self.searcher.answer(self.item, self.track)

    @property
    def urls(self) -> list[str]:
        """Return the pages that it names as sources."""
        return [one.url for one in self.searcher.found(self.item, self.track)]


@dataclass(slots=True)
class Wires:
    """The providers' endpoints; batches are remembered until the world ends.

    Attributes
    ----------
    door
        Counts what agents are asked.
    """

    door: Door = field(default_factory=Door)
    _batches: dict[str, list[Body]] = field(default_factory=dict)
    _polled: dict[str, int] = field(default_factory=dict)

    def openai(self, body: Body) -> Sent:
        """Answer ``POST /openai/v1/responses``, and Perplexity's ``…/agent``."""
        return self._send(body, body["input"], _responses)

    def anthropic(self, body: Body) -> Sent:
        """Answer ``POST /anthropic/v1/messages``."""
        return self._send(body, body["messages"], _message)

    def gemini(self, model: str, body: Body) -> Sent:
        """Answer ``POST /gemini/v1beta/models/<model>:generateContent``."""
        contents = body["contents"]
        return self._send({**body, "model": model}, contents, _candidates)

    def generic(self, model: str, body: Body) -> Sent:
        """Answer ``POST /generic/<searcher>/search``, product fields in and out."""
        name = model.removeprefix(SIMULATED_PREFIX)
        exact = "exact" if body.get("exact_brand", True) else _EQUIVALENT
        question = [{"text": f"{body['url']} {exact}"}]
        asked = {**body, "model": f"{SIMULATED_PREFIX}{name}"}
        return self._send(asked, question, _results)

    def submit(self, body: Body) -> Sent:
        """Answer ``POST /anthropic/v1/messages/batches``."""
        name = f"msgbatch_{len(self._batches) + 1:04}"
        self._batches[name] = list(body["requests"])
        return Sent(as_json(self._batch(name, ended=False)))

    def poll(self, name: str) -> Sent:
        """Answer ``GET …/batches/<name>``: ended from the second time on."""
        if name not in self._batches:
            return error(404, f"no batch {name}")
        polled = self._polled[name] = self._polled.get(name, 0) + 1
        return Sent(as_json(self._batch(name, ended=polled > _POLLS)))

    def collect(self, name: str) -> Sent:
        """Answer ``GET …/batches/<name>/results``: a line per request, last first."""
        if name not in self._batches:
            return error(404, f"no batch {name}")
        lines = [
            as_json(
                {
                    "custom_id": one["custom_id"],
                    "result": _batched(self.anthropic(one["params"])),
                }
            )
            for one in reversed(self._batches[name])
        ]
        return Sent(
            b"".join(line + b"\n" for line in lines),
            headers={"content-type": "application/x-jsonl"},
        )

    def _batch(self, name: str, *, ended: bool) -> dict[str, Any]:
        size = len(self._batches[name])
        counts = dict.fromkeys(("errored", "canceled", "expired"), 0)
        return {
            **{"id": name, "type": "message_batch"},
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {
                **counts,
                "processing": 0 if ended else size,
                "succeeded": size if ended else 0,
            },
            "results_url": (
                f"/anthropic/v1/messages/batches/{name}/results" if ended else None
            ),
        }

    def _send(self, body: Body, content: Any, shape: Any) -> Sent:
        model = str(body.get("model") or f"{SIMULATED_PREFIX}{_DEFAULT}")
        self.door.calls[model] += 1
        plain, manners = split_manners(model)
        searcher = SEARCHERS.get(plain.removeprefix(SIMULATED_PREFIX))
        if searcher is None or manners - set(MANNERS) - {PAUSE}:
            return error(404, f"the model {model!r} does not exist", "model")
        question = "\n".join(_texts(content))
        turned_away = self.door.turn_away(model, manners, body, question)
        if turned_away is not None:
            return turned_away
        urls = _URL.findall(question)
        item = next((found for url in urls if (found := find_item(url))), None)
        if item is None:
            return error(400, "the question names no product of the catalogue")
        track = "equiv" if _EQUIVALENT in question else "exact"
        asked = Asked(searcher, model, item, track, PAUSE in manners)
        return spoiled(Sent(as_json(shape(asked, body))), manners)


def _texts(content: Any) -> Sequence[str]:
    """Return every text of a question, wherever it stands."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, Mapping):
        inner = [content.get(key) for key in ("content", "parts")]
        own = content.get("text")
        said = [own] if isinstance(own, str) else []
        return [*said, *(text for one in inner if one for text in _texts(one))]
    return [text for one in content or () for text in _texts(one)]


def _responses(asked: Asked, body: Body) -> dict[str, Any]:
    notes = [{"type": "url_citation", "url": url, "title": ""} for url in asked.urls]
    text, stop = asked.text, asked.searcher.stop
    said = {"type": "output_text", "text": text, "annotations": notes}
    if stop == "refused":
        said = {"type": "refusal", "refusal": text}
    searches = [{"type": "web_search_call", "status": "completed"}] * _SEARCHES
    message = {"type": "message", "role": "assistant", "content": [said]}
    cut = stop == "truncated"
    return {
        **{"id": "resp_simulated", "object": "response", "model": asked.model},
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [*searches, message],
        "usage": {**_TOKENS, "total_tokens": sum(_TOKENS.values())},
    }


_STOPS = {"answered": "end_turn", "refused": "refusal", "truncated": "max_tokens"}


def _message(asked: Asked, body: Body) -> dict[str, Any]:
    said = [one for one in body["messages"] if one["role"] == "assistant"]
    worked = [part for one in said for part in one["content"]]
    before = sum(part.get("type") == "server_tool_use" for part in worked)
    pauses = asked.pauses and before < _PAUSES
    search = [
        {
            **{"type": "server_tool_use", "id": f"srvtoolu_{before + 1}"},
            **{"name": "web_search", "input": {"query": asked.item.product.name}},
        },
        {
            **{
                "type": "web_search_tool_result",
                "tool_use_id": f"srvtoolu_{before + 1}",
            },
            "content": [{"type": "web_search_result", "url": u} for u in asked.urls],
        },
    ]
    cited = [{"type": "web_search_result_location", "url": url} for url in asked.urls]
    answer = {"type": "text", "text": asked.text, "citations": cited}
    return {
        **{"id": "msg_simulated", "type": "message", "role": "assistant"},
        "model": asked.model,
        "content": search if pauses else [*search, answer],
        "stop_reason": "pause_turn" if pauses else _STOPS[asked.searcher.stop],
        "usage": {**_TOKENS, "server_tool_use": {"web_search_requests": 1}},
    }


def _batched(sent: Sent) -> dict[str, Any]:
    body = json.loads(sent.content)
    if sent.status == 200:
        return {"type": "succeeded", "message": body}
    kind = "invalid_request_error" if sent.status < 429 else "api_error"
    told = {"type": kind, "message": body["error"]["message"]}
    return {"type": "errored", "error": {"type": "error", "error": told}}


_FINISHES = {"answered": "STOP", "refused": "SAFETY", "truncated": "MAX_TOKENS"}


def _candidates(asked: Asked, body: Body) -> dict[str, Any]:
    chunks = [{"web": {"uri": url, "title": ""}} for url in asked.urls]
    parts = [{"text": "Looking around.", "thought": True}, {"text": asked.text}]
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": parts},
                "finishReason": _FINISHES[asked.searcher.stop],
                "groundingMetadata": {
                    "groundingChunks": chunks,
                    "webSearchQueries": [asked.item.product.name],
                },
            }
        ],
        "usageMetadata": {
            "promptTokenCount": _TOKENS["input_tokens"],
            "candidatesTokenCount": _TOKENS["output_tokens"],
        },
        "modelVersion": asked.model,
    }


def _results(asked: Asked, body: Body) -> dict[str, Any]:
    """Answer as a shopping service does; what is no listing cannot be said there."""
    found = []
    if asked.searcher.says is None:
        found = json.loads(asked.text)["listings"]
    names = {"vendor": "retailer", "price": "item_price", "shipping": "shipping_price"}
    names |= {"total": "landed_price"}
    kept = ("url", "title", "seller", "currency", "pack_count", "condition", "in_stock")
    return {
        "results": [
            {**{key: one[key] for key in kept}, **{k: one[v] for k, v in names.items()}}
            for one in found
        ],
        "model": asked.model,
        "usage": {"searches": _SEARCHES, "cost_usd": "0.0100"},
    }
