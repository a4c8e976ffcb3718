"""What a call to a language model is, whoever makes it: settings, question, answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything beside the question that decides an answer.

    Attributes
    ----------
    model
        Id as the router writes it, provider first.
    api_base
        Address of an OpenAI-compatible endpoint; None for the provider's own.
    temperature, top_p, seed
        None: not sent, the provider's default.
    max_tokens
        Limit of a reply.
    reasoning
        ``none``, ``low``, ``medium``, ``high``; None: not sent.
    route
        ``cheapest`` or providers in order, for routers; None: not sent.
    logprobs
        Ask for the likeliest first tokens.
    """

    model: str
    api_base: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int = 16
    reasoning: str | None = None
    route: str | None = None
    logprobs: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return them as a JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked in one call.

    Attributes
    ----------
    user
        The user message.
    system
        The system message, if there is one.
    schema
        Name and JSON schema of a strict answer, if one is asked for.
    images
        Pictures that follow the user message, in order, as data URIs.
    """

    user: str
    system: str | None = None
    schema: tuple[str, Mapping[str, Any]] | None = None
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request of a call: how long it took, and what went wrong.

    Attributes
    ----------
    latency_s
        Seconds until it ended.
    error, error_kind
        As in ``Answer``.
    status
        Of the response that refused it; None where none did.
    """

    latency_s: float
    error: str | None = None
    status: int | None = None
    error_kind: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one call.

    Attributes
    ----------
    text
        The reply; None where the call failed.
    error
        Why it failed; None where a reply came, whatever it says.
    error_kind
        One of ``ingest.call_faults.ERROR_KINDS``; None where a reply came.
    cost_usd, cost_source
        ``endpoint`` (it said so), ``given`` (tokens at a price the caller gave) or
        ``price_list`` (of litellm); both None where nobody knows.
    first_tokens
        Likeliest first tokens and their log-probabilities, where the endpoint gives
        them.
    latency_s
        Of the last attempt.
    not_accepted
        Settings that the endpoint refused, so that the call went without them.
    cached
        The reply was paid for before: nothing was sent now, and cost and time are
        those of then.
    """

    text: str | None
    error: str | None = None
    finish: str | None = None
    provider: str | None = None
    model_served: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    cost_source: str | None = None
    first_tokens: Mapping[str, float] | None = None
    latency_s: float = 0.0
    attempts: tuple[Attempt, ...] = ()
    not_accepted: tuple[str, ...] = ()
    cached: bool = False
    error_kind: str | None = None
