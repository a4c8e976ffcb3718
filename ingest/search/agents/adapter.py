"""What every adapter speaks: a request, what came back, what the provider said."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx

from ingest.search.write_artifact import time_text

# how a provider ended: the first three are answers; a pause goes on, a failure is the
# provider's own and counts as one of transport
ANSWERED, REFUSED, TRUNCATED, PAUSED, FAILED = (
    *("answered", "refused", "truncated", "paused", "failed"),
)

Task = Mapping[str, Any]  # a record of tasks.json


@dataclass(frozen=True, slots=True)
class Image:
    """The picture of a product as it is shown to agents."""

    sha256: str
    media_type: str
    data: bytes

    @property
    def base64(self) -> str:
        """Return its bytes as text."""
        return base64.b64encode(self.data).decode()

    @property
    def data_uri(self) -> str:
        """Return it as an address that holds it."""
        return f"data:{self.media_type};base64,{self.base64}"


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent.

    Attributes
    ----------
    method, url, body
        As on the wire; ``body`` is a JSON object, None for none.
    headers
        Values may hold ``${NAME}``, which stands for a variable of the environment and
        is filled in on the wire alone, so that no key stands in a request.
    """

    method: str
    url: str
    body: Mapping[str, Any] | None
    headers: Mapping[str, str]

    @property
    def sha256(self) -> str:
        """Return the hash of all but the headers and the host."""
        where = urlsplit(self.url)
        parts = [self.method, where.path, where.query, self.body]
        text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request on the wire.

    Attributes
    ----------
    started_at, ended_at
        UTC.
    http_status
        None where no reply came.
    error
        Why it brought nothing, as one word; None where it brought a reply.
    detail
        What the provider said of it.
    retry_after_s
        How long the provider wants to be left alone.
    maybe_billed
        The request went out and its reply was lost, so that it may cost money.
    """

    started_at: datetime
    ended_at: datetime
    http_status: int | None = None
    error: str | None = None
    detail: str | None = None
    retry_after_s: float | None = None
    maybe_billed: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return it as it stands in an artifact, without its number."""
        return {
            "started_at": time_text(self.started_at),
            "ended_at": time_text(self.ended_at),
            "http_status": self.http_status,
            "error": self.error,
            "detail": self.detail,
            "retry_after_s": self.retry_after_s,
            "maybe_billed": self.maybe_billed,
        }


@dataclass(frozen=True, slots=True)
class Envelope:
    """What came of a request.

    Attributes
    ----------
    body
        The JSON of the reply; None where none came.
    attempts
        All of them, the last one last.
    latency_s
        Of the last one.
    """

    body: Any
    attempts: tuple[Attempt, ...]
    latency_s: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer used; None where the provider does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    searches: int | None = None
    cost_usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """What a provider said, before listings are read from it.

    Attributes
    ----------
    text
        All of its text, in order.
    stop
        How it ended.
    citations
        Addresses that it names as its sources, each once.
    usage
        What it used.
    model
        The model that served it.
    redirects
        Redirecting address -> where it led, where that is known already.
    """

    text: str
    stop: str
    citations: tuple[str, ...] = ()
    usage: Usage = Usage()
    model: str | None = None
    redirects: Mapping[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class Wire:
    """What a request needs of the world outside.

    Attributes
    ----------
    client
        Of one worker.
    now
        The time, UTC.
    clock
        Seconds of a clock that only goes forward.
    sleep
        Waits.
    timeout_s
        Longest wait for one attempt, all of its reply included.
    """

    client: httpx.AsyncClient
    now: Callable[[], datetime]
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    timeout_s: float = 1800.0


class Adapter(Protocol):
    """How one kind of agent is asked; all but `send` is pure (search.md 5.1)."""

    def build(
        self, task: Task, track: str, prompt: str, image: Image | None
    ) -> Request:
        """Return the request for a product."""

    async def send(self, request: Request, wire: Wire) -> Envelope:
        """Send it and return what came, without reading it."""

    def parse(self, body: Any) -> ProviderAnswer:
        """Return what a reply says, whatever shape it has."""

    def proceed(self, request: Request, bodies: Sequence[Any]) -> Request:
        """Return the request that goes on after a pause."""


def joined(answers: Sequence[ProviderAnswer]) -> ProviderAnswer:
    """Return the answers to one invocation as one.

    Parameters
    ----------
    answers
        Of its requests in order, one or more.

    Returns
    -------
    ProviderAnswer
        Texts and citations one after the other, usage added up; how it ended, and who
        served it, as in the last.
    """
    citations = [url for one in answers for url in one.citations]
    redirects: dict[str, str | None] = {}
    for one in answers:
        redirects |= one.redirects or {}
    return replace(
        answers[-1],
        text="".join(one.text for one in answers),
        citations=tuple(dict.fromkeys(citations)),
        usage=Usage(
            _sum(one.usage.input_tokens for one in answers),
            _sum(one.usage.output_tokens for one in answers),
            _sum(one.usage.searches for one in answers),
            _sum(one.usage.cost_usd for one in answers),
        ),
        redirects=redirects or None,
    )


def _sum(values: Iterable[Any]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None
