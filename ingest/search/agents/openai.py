"""OpenAI's Responses API, and Perplexity's Agent API, which answers in its shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.search.agents.adapter import (
    ANSWERED,
    FAILED,
    REFUSED,
    TRUNCATED,
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
from ingest.search.agents.shapes import addresses, amount, count, objects, part, text

# where a provider's filter, and not its length, cut an answer off
_FILTERED = "content_filter"


@dataclass(frozen=True, slots=True)
class OpenAIResponses:
    """``POST …/responses``; the seat's tools, and nothing that shapes the answer."""

    seat: Seat
    path: str = "/responses"

    def build(
        self, task: Task, track: str, prompt: str, image: Image | None
    ) -> Request:
        """Return the request for a product."""
        body: dict[str, Any] = {"input": [_user(prompt, image)]}
        if self.seat.model:
            body["model"] = self.seat.model
        if self.seat.tools:
            body["tools"] = list(self.seat.tools)
        url = f"{self.seat.base}{self.path}"
        return Request("POST", url, {**body, **self.seat.params}, self.seat.headers)

    async def send(self, request: Request, wire: Wire) -> Envelope:
        """Send it and return what came, without reading it."""
        return await exchange(request, wire)

    def parse(self, body: Any) -> ProviderAnswer:
        """Return what a reply says, whatever shape it has."""
        return read_responses(body)

    def proceed(self, request: Request, bodies: Sequence[Any]) -> Request:
        """Return the request again: nothing here pauses."""
        return request


def perplexity_agent(seat: Seat) -> OpenAIResponses:
    """Return the adapter of Perplexity's Agent API, ``POST …/agent`` with a preset."""
    return OpenAIResponses(seat, "/agent")


def read_responses(body: Any) -> ProviderAnswer:
    """Return what a reply of a Responses API says.

    Parameters
    ----------
    body
        Any JSON.

    Returns
    -------
    ProviderAnswer
        All ``output_text`` parts in order; ``incomplete`` is truncated, or refused
        where a filter cut it.
    """
    items = objects(body, "output")
    parts = [
        one
        for item in items
        if item.get("type") == "message"
        for one in objects(item, "content")
    ]
    said = [text(one, "text") for one in parts if one.get("type") == "output_text"]
    refused = any(one.get("type") == "refusal" for one in parts)
    cited = [note.get("url") for one in parts for note in objects(one, "annotations")]
    cited += [
        result.get("url")
        for item in items
        if item.get("type") == "search_results"
        for result in objects(item, "results")
    ]
    return ProviderAnswer(
        text="".join(said),
        stop=_stop(body, bool(parts), refused and not any(said)),
        citations=addresses(cited),
        usage=Usage(
            count(body, "usage", "input_tokens"),
            count(body, "usage", "output_tokens"),
            _searches(body, items),
            amount(body, "usage", "cost", "total_cost"),
        ),
        model=text(body, "model") or None,
    )


def _user(prompt: str, image: Image | None) -> dict[str, Any]:
    content = [{"type": "input_text", "text": prompt}]
    if image is not None:
        content.append({"type": "input_image", "image_url": image.data_uri})
    return {"role": "user", "content": content}


def _stop(body: Any, has_message: bool, refused: bool) -> str:
    status = part(body, "status")
    if status == "incomplete":
        reason = part(body, "incomplete_details", "reason")
        return REFUSED if reason == _FILTERED else TRUNCATED
    if refused:
        return REFUSED
    if status in ("failed", "cancelled", "queued", "in_progress"):
        return FAILED
    # an answer may be silent; a body without an output is no answer
    return ANSWERED if has_message or isinstance(part(body, "output"), list) else FAILED


def _searches(body: Any, items: Sequence[Mapping[str, Any]]) -> int | None:
    """Return how often it searched: as stated, else as the output shows."""
    told = count(body, "usage", "tool_calls_details", "search_web", "invocation")
    if told is not None:
        return told
    if not items:
        return None
    calls: int = sum(item.get("type") == "web_search_call" for item in items)
    return calls or sum(item.get("type") == "search_results" for item in items)
