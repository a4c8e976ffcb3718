"""One request on the wire, made again for faults of transport alone (search.md 5.4)."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx

from ingest.errors import LoadError
from ingest.keys import hide, redact
from ingest.llm import SetupRefused
from ingest.retry import (
    ATTEMPTS,
    RETRIED_STATUS,
    SETUP_STATUS,
    retry_after,
    wait_before,
)
from ingest.search.agents.adapter import Attempt, Envelope, Request, Wire
from ingest.search.agents.shapes import text

_VARIABLE = re.compile(r"\$\{([A-Z][A-Z0-9_]*)\}")
_CONNECT_S = 30.0
_LARGEST_BYTES = 64_000_000
_SHOWN, _READ = 300, 100_000
NOT_JSON, TOO_LARGE = "not_json", "too_large"
_NAMED_STATUS = {429: "rate_limited"}


@dataclass(frozen=True, slots=True)
class _Reply:
    """What one attempt brought; ``error`` is None where it is a reply."""

    status: int | None = None
    headers: Mapping[str, str] | None = None
    data: bytes = b""
    error: str | None = None
    maybe_billed: bool = False


async def exchange(request: Request, wire: Wire) -> Envelope:
    """Send a request until a reply comes or trying is over.

    Parameters
    ----------
    request
        Its headers name keys; here they are filled in.
    wire
        What it is sent through.

    Returns
    -------
    Envelope
        With the JSON of a reply of status 2xx, whatever it says, or without a body.
        At most four attempts, each recorded.

    Raises
    ------
    SetupRefused
        Where every call would be refused alike.
    LoadError
        Where a header names a variable that is not set.
    """
    reply, attempts = await _tried(request, wire)
    body = None if attempts[-1].error else _json(reply.data)
    last = attempts[-1]
    seconds = (last.ended_at - last.started_at).total_seconds()
    return Envelope(body, tuple(attempts), max(0.0, round(seconds, 3)))


async def fetch_bytes(request: Request, wire: Wire) -> tuple[bytes | None, Envelope]:
    """Send a request whose reply is no JSON object, such as lines of JSON.

    Parameters
    ----------
    request, wire
        As in `exchange`.

    Returns
    -------
    bytes or None, Envelope
        The reply; None where none came. The envelope holds the attempts.

    Raises
    ------
    SetupRefused, LoadError
        As in `exchange`.
    """
    reply, attempts = await _tried(request, wire, as_json=False)
    data = None if attempts[-1].error else reply.data
    return data, Envelope(None, tuple(attempts), 0.0)


async def _tried(
    request: Request, wire: Wire, as_json: bool = True
) -> tuple[_Reply, list[Attempt]]:
    headers = filled(request.headers)
    attempts: list[Attempt] = []
    while True:
        reply, attempt = await _attempt(request, headers, wire, as_json)
        attempts.append(attempt)
        if attempt.http_status in SETUP_STATUS:
            raise SetupRefused(
                f"{request.url} refuses the call with status {attempt.http_status} "
                f"({attempt.detail or 'no reason given'}); check the key, the address "
                "and the model id"
            )
        if attempt.error is None or not _may_pass(attempt):
            return reply, attempts
        if len(attempts) == ATTEMPTS:
            return reply, attempts
        await wire.sleep(wait_before(len(attempts), reply.headers))


def filled(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers with the variables of the environment that they name.

    Parameters
    ----------
    headers
        Values may hold ``${NAME}``.

    Returns
    -------
    dict
        As they go out; never to be stored or shown.

    Raises
    ------
    LoadError
        Where one is not set, or cannot stand in a header.
    """

    def value(found: re.Match[str]) -> str:
        key = os.environ.get(found[1], "").strip()
        if not key:
            raise LoadError(f"{found[1]} is not set; export {found[1]}=… and try again")
        if not key.isascii() or not key.isprintable():
            raise LoadError(f"{found[1]} holds characters that no key has; set it anew")
        return key

    return {name: _VARIABLE.sub(value, text) for name, text in headers.items()}


def variables(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the variables that headers hold."""
    return tuple(name for text in headers.values() for name in _VARIABLE.findall(text))


async def _attempt(
    request: Request, headers: Mapping[str, str], wire: Wire, as_json: bool
) -> tuple[_Reply, Attempt]:
    started, begun = wire.now(), wire.clock()
    reply = await _once(request, headers, wire)
    error, detail = reply.error, None
    if error is None and reply.status is not None:
        if not 200 <= reply.status < 300:
            error = _NAMED_STATUS.get(reply.status, f"http_{reply.status}")
            detail = _told(reply.data, variables(request.headers))
        elif as_json and _json(reply.data) is None:
            error = NOT_JSON
    # a clock that jumps must not make an attempt longer than it was
    ended = started + timedelta(seconds=max(0.0, wire.clock() - begun))
    asked = retry_after(reply.headers or {}) if error else None
    attempt = Attempt(
        started, ended, reply.status, error, detail, asked, reply.maybe_billed
    )
    return reply, attempt


def _may_pass(attempt: Attempt) -> bool:
    """Return whether a failed attempt may pass by itself (search.md 5.4)."""
    if attempt.http_status is None:
        return True
    if attempt.error == NOT_JSON:
        return True
    return attempt.http_status in RETRIED_STATUS


async def _once(request: Request, headers: Mapping[str, str], wire: Wire) -> _Reply:
    content = None if request.body is None else json.dumps(request.body).encode()
    sent = {**headers, "content-type": "application/json"} if content else headers
    timeout = httpx.Timeout(wire.timeout_s, connect=min(_CONNECT_S, wire.timeout_s))
    try:
        async with (
            asyncio.timeout(wire.timeout_s),
            wire.client.stream(
                request.method,
                request.url,
                content=content,
                headers=sent,
                timeout=timeout,
                follow_redirects=False,
            ) as response,
        ):
            parts, size = [], 0
            async for chunk in response.aiter_bytes():
                size += len(chunk)
                if size > _LARGEST_BYTES:
                    return _Reply(response.status_code, error=TOO_LARGE)
                parts.append(chunk)
            return _Reply(response.status_code, response.headers, b"".join(parts))
    except (httpx.ConnectTimeout, httpx.PoolTimeout):
        return _Reply(error="connect_timeout")
    except (httpx.TimeoutException, TimeoutError):
        return _Reply(error="read_timeout", maybe_billed=True)
    except httpx.ConnectError:
        return _Reply(error="connect_error")
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL):
        # the text of the exception may quote a header, that is, a key
        raise SetupRefused(
            f"{request.url} cannot be asked; check its address and the characters of "
            "its key"
        ) from None
    except (httpx.TransportError, httpx.DecodingError):
        return _Reply(error="connection_lost", maybe_billed=True)


def _json(data: bytes) -> Any:
    """Return the JSON of a reply, None where it is none (null is none either)."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _told(data: bytes, secrets: tuple[str, ...]) -> str | None:
    """Return what a provider says of an error, on one line and without keys."""
    body = _json(data)
    ways = (("error", "message"), ("message",), ("error",), ("detail",))
    said = next(filter(None, (text(body, *way) for way in ways)), None)
    # hidden before it is cut, since half a key is no longer known as one
    said = said or data[:_READ].decode(errors="replace")
    return redact(hide(said, secrets))[:_SHOWN] or None
