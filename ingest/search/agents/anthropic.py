"""Anthropic's Messages API with its search tools; a pause is no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest.search.agents.adapter import (
    ANSWERED,
    FAILED,
    PAUSED,
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
from ingest.search.agents.shapes import addresses, count, objects, part, text

_STOPS = {
    "pause_turn": PAUSED,
    "refusal": REFUSED,
    "max_tokens": TRUNCATED,
    "model_context_window_exceeded": TRUNCATED,
}


@dataclass(frozen=True, slots=True)
class AnthropicMessages:
    """``POST …/messages``, and the same request in a batch."""

    seat: Seat

    def build(
        self, task: Task, track: str, prompt: str, image: Image | None
    ) -> Request:
        """Return the request for a product."""
        content: list[dict[str, Any]] = []
        if image is not None:
            source = {
                "type": "base64",
                "media_type": image.media_type,
                "data": image.base64,
            }
            content.append({"type": "image", "source": source})
        content.append({"type": "text", "text": prompt})
        body = {
            "model": self.seat.model,
            "messages": [{"role": "user", "content": content}],
            "tools": list(self.seat.tools),
            **self.seat.params,
        }
        url = f"{self.seat.base}/messages"
        return Request("POST", url, body, self.seat.headers)

    async def send(self, request: Request, wire: Wire) -> Envelope:
        """Send it and return what came, without reading it."""
        return await exchange(request, wire)

    def parse(self, body: Any) -> ProviderAnswer:
        """Return what a reply says, whatever shape it has."""
        blocks = objects(body, "content")
        said = [text(one, "text") for one in blocks if one.get("type") == "text"]
        cited = [
            note.get("url") for one in blocks for note in objects(one, "citations")
        ]
        tools = ("usage", "server_tool_use", "web_search_requests")
        return ProviderAnswer(
            text="".join(said),
            stop=_stop(body),
            citations=addresses(cited),
            usage=Usage(
                _input_tokens(body),
                count(body, "usage", "output_tokens"),
                count(body, *tools),
            ),
            model=text(body, "model") or None,
        )

    def proceed(self, request: Request, bodies: Sequence[Any]) -> Request:
        """Return the request that goes on after a pause.

        What the assistant said so far goes back as one turn, with the same tools; so
        does the room it worked in, where the reply names one.
        """
        said = [block for body in bodies for block in objects(body, "content")]
        sent = dict(request.body or {})
        sent["messages"] = [*sent["messages"], {"role": "assistant", "content": said}]
        room = text(bodies[-1], "container", "id")
        if room:
            sent["container"] = room
        return replace(request, body=sent)


def _stop(body: Any) -> str:
    if not isinstance(part(body, "content"), list):
        return FAILED
    return _STOPS.get(text(body, "stop_reason"), ANSWERED)


def _input_tokens(body: Any) -> int | None:
    """Return all tokens read, those that a cache served included."""
    names = (
        *("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    )
    found = [count(body, "usage", name) for name in names]
    known = [one for one in found if one is not None]
    return sum(known) if known else None
