"""The offline world over sockets, on loopback: for tests, the demo and by hand."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ingest.errors import LoadError
from ingest.world.chat import Chat, Sent, error, models
from ingest.world.place import ADDRESS

_START_S = 20.0
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class World:
    """A world that is being served.

    Attributes
    ----------
    address
        ``http://127.0.0.1:<port>``.
    chat
        Counts what models were asked.
    """

    address: str
    chat: Chat

    @property
    def api_base(self) -> str:
        """Return the address of the OpenAI-compatible endpoint."""
        return f"{self.address}/v1"


def world_app(chat: Chat, latency_s: float = 0.0) -> Starlette:
    """Return the world as an application.

    Parameters
    ----------
    chat
        The scripted models.
    latency_s
        How long a model takes to answer.

    Returns
    -------
    Starlette
        ``POST /v1/chat/completions``, ``GET /v1/models`` and ``GET /calls``, which
        tells how often each model was asked.
    """

    async def complete(request: Request) -> Response:
        try:
            sent = chat.answer(json.loads(await request.body()))
        except (ValueError, KeyError, TypeError, AttributeError):
            sent = error(400, "the body is no request for a chat completion")
        if latency_s:
            await asyncio.sleep(latency_s)
        return _Sending(sent)

    async def list_models(_: Request) -> Response:
        return Response(models(), media_type=_JSON)

    async def count(_: Request) -> Response:
        return Response(json.dumps(chat.calls), media_type=_JSON)

    return Starlette(
        routes=[
            Route("/v1/chat/completions", complete, methods=["POST"]),
            Route("/v1/models", list_models),
            Route("/calls", count),
        ]
    )


class _Sending(Response):
    """A response that may hang or end half-way."""

    def __init__(self, sent: Sent) -> None:
        headers = {"content-type": _JSON, **sent.headers}
        super().__init__(sent.content, sent.status, headers)
        self._fault = sent.fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._fault == "hang":
            while (await receive())["type"] != "http.disconnect":
                pass
            return
        if self._fault == "half":
            # uvicorn closes a connection whose response is left unfinished
            self.body, whole = self.body[: len(self.body) // 2], self.body
            start = {"type": "http.response.start", "status": self.status_code}
            await send({**start, "headers": self.raw_headers})
            half = whole[: len(whole) // 2]
            await send({"type": "http.response.body", "body": half, "more_body": True})
            return
        await super().__call__(scope, receive, send)


def listen(port: int) -> socket.socket:
    """Return a socket that listens on loopback.

    Parameters
    ----------
    port
        0 for one that is free.

    Returns
    -------
    socket.socket
        Close it.

    Raises
    ------
    LoadError
        Where the port is taken.
    """
    # asyncio sends small packets at once only where the protocol is named
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESS, port))
    except OSError as problem:
        listener.close()
        raise LoadError(
            f"port {port} of {ADDRESS} cannot be used ({problem.strerror}): end what "
            "uses it, or name another with --port"
        ) from problem
    return listener


def server(app: Starlette) -> uvicorn.Server:
    """Return a quiet server of an application.

    Parameters
    ----------
    app
        What is served.

    Returns
    -------
    uvicorn.Server
        Run it on a socket of ``listen``.
    """
    config = uvicorn.Config(
        app,
        # connections that end half-way are part of the world
        log_level="critical",
        access_log=False,
        lifespan="off",
        server_header=False,
        backlog=1024,
        # longer than clients keep one, or they write to what is being closed
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


@contextmanager
def serving(*, port: int = 0, latency_s: float = 0.0) -> Iterator[World]:
    """Serve the world from a thread until the block ends.

    Parameters
    ----------
    port
        By default one that is free.
    latency_s
        How long a model takes to answer.

    Yields
    ------
    World
        Its address, and what it was asked.

    Raises
    ------
    LoadError
        Where the port is taken, or the server does not start.
    """
    chat = Chat()
    running = server(world_app(chat, latency_s))
    with listen(port) as listener:
        thread = threading.Thread(
            target=running.run, kwargs={"sockets": [listener]}, daemon=True
        )
        thread.start()
        try:
            waited = threading.Event()
            for _ in range(int(_START_S / 0.01)):
                if running.started or not thread.is_alive():
                    break
                waited.wait(0.01)
            if not running.started:
                raise LoadError(f"the server does not start on {ADDRESS}; try again")
            yield World(f"http://{ADDRESS}:{listener.getsockname()[1]}", chat)
        finally:
            running.should_exit = True
            thread.join(_START_S)
