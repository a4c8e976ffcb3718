"""Google's generateContent with grounding; its sources are redirecting addresses."""

from __future__ import annotations

from collections.abc import Sequence
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
from ingest.search.agents.shapes import addresses, count, objects, part, text

_REFUSALS = frozenset(
    {
        *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
        *("IMAGE_SAFETY", "LANGUAGE"),
    }
)


@dataclass(frozen=True, slots=True)
class GeminiGrounding:
    """``POST …/models/<model>:generateContent`` with the tool ``google_search``."""

    seat: Seat

    def build(
        self, task: Task, track: str, prompt: str, image: Image | None
    ) -> Request:
        """Return the request for a product."""
        parts: list[dict[str, Any]] = [{"text": prompt}]
        if image is not None:
            data = {"mime_type": image.media_type, "data": image.base64}
            parts.append({"inline_data": data})
        body = {
            "contents": [{"role": "user", "parts": parts}],
            "tools": list(self.seat.tools),
            **self.seat.params,
        }
        url = f"{self.seat.base}/models/{self.seat.model}:generateContent"
        return Request("POST", url, body, self.seat.headers)

    async def send(self, request: Request, wire: Wire) -> Envelope:
        """Send it and return what came, without reading it."""
        return await exchange(request, wire)

    def parse(self, body: Any) -> ProviderAnswer:
        """Return what a reply says, whatever shape it has; thoughts are left out."""
        first = part(body, "candidates", 0)
        parts = objects(first, "content", "parts")
        said = [text(one, "text") for one in parts if one.get("thought") is not True]
        grounding = part(first, "groundingMetadata")
        sources = [
            part(one, "web", "uri") for one in objects(grounding, "groundingChunks")
        ]
        queries = part(grounding, "webSearchQueries")
        return ProviderAnswer(
            text="".join(said),
            stop=_stop(body, first),
            citations=addresses(sources),
            usage=Usage(
                _sum(body, "promptTokenCount", "toolUsePromptTokenCount"),
                _sum(body, "candidatesTokenCount", "thoughtsTokenCount"),
                len(queries) if isinstance(queries, list) else None,
            ),
            model=text(body, "modelVersion") or None,
        )

    def proceed(self, request: Request, bodies: Sequence[Any]) -> Request:
        """Return the request again: nothing here pauses."""
        return request


def _stop(body: Any, first: Any) -> str:
    if text(body, "promptFeedback", "blockReason"):
        return REFUSED
    if not isinstance(first, dict):
        return FAILED
    reason = text(first, "finishReason")
    if reason in _REFUSALS:
        return REFUSED
    return TRUNCATED if reason == "MAX_TOKENS" else ANSWERED


def _sum(body: Any, *names: str) -> int | None:
    found = [count(body, "usageMetadata", name) for name in names]
    known = [one for one in found if one is not None]
    return sum(known) if known else None
