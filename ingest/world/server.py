"""The offline world over sockets, on loopback: for tests, the demo and by hand."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Host, Route
from starlette.types import Receive, Scope, Send

from ingest.errors import LoadError
from ingest.world.chat import Chat, models
from ingest.world.door import Door, error
from ingest.world.place import ADDRESS
from ingest.world.seats import seats_yaml
from ingest.world.sent import Sent
from ingest.world.shops import HOSTS, shop_page
from ingest.world.wires import Wires

# a browser takes any name below localhost for this machine
SHOWN = {host.replace(".example", ".localhost"): host for host in HOSTS}
SHOWN |= {host: host for host in HOSTS}
_START_S = 20.0
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class World:
    """A world that is being served.

    Attributes
    ----------
    address
        ``http://127.0.0.1:<port>``.
    door
        Counts what models and agents were asked.
    """

    address: str
    door: Door

    @property
    def api_base(self) -> str:
        """Return the address of the OpenAI-compatible endpoint."""
        return f"{self.address}/v1"


def world_app(door: Door, latency_s: float = 0.0) -> Starlette:
    """Return the world as an application.

    Parameters
    ----------
    door
        Counts what is asked.
    latency_s
        How long a model takes to answer.

    Returns
    -------
    Starlette
        ``/v1`` of scripted models, endpoints of search agents below ``/openai``,
        ``/anthropic``, ``/gemini``, ``/perplexity`` and ``/generic``, ``/seats.yaml``
        that names these, ``/calls``, which tells how often each was asked, and the
        shops at any path of their own hosts.
    """
    chat, wires = Chat(door), Wires(door)

    def asked(answer: Callable[..., Sent], *names: str) -> Callable[..., Any]:
        async def respond(request: Request) -> Response:
            named = [request.path_params[name] for name in names]
            try:
                body = json.loads(await request.body())
                sent = answer(*named, body)
            except (ValueError, KeyError, TypeError, AttributeError):
                sent = error(400, "the body is no request that this endpoint knows")
            if latency_s:
                await asyncio.sleep(latency_s)
            return _Sending(sent)

        return respond

    def got(answer: Callable[[str], Sent]) -> Callable[..., Any]:
        async def respond(request: Request) -> Response:
            return _Sending(answer(request.path_params["name"]))

        return respond

    async def list_models(_: Request) -> Response:
        return Response(models(), media_type=_JSON)

    async def count(_: Request) -> Response:
        return Response(json.dumps(door.calls), media_type=_JSON)

    async def seats(request: Request) -> Response:
        text = seats_yaml(f"http://{request.url.netloc}")
        return Response(text, media_type="text/plain")

    async def shop(request: Request) -> Response:
        host = SHOWN[(request.url.hostname or "").lower()]
        return _Sending(shop_page(host, request.url.path))

    def post(path: str, answer: Callable[..., Sent], *names: str) -> Route:
        return Route(path, asked(answer, *names), methods=["POST"])

    batch = "/anthropic/v1/messages/batches/{name}"
    routes = [
        post("/v1/chat/completions", chat.answer),
        Route("/v1/models", list_models),
        Route("/calls", count),
        Route("/seats.yaml", seats),
        post("/openai/v1/responses", wires.openai),
        post("/perplexity/v1/agent", wires.openai),
        post("/anthropic/v1/messages", wires.anthropic),
        post("/anthropic/v1/messages/batches", wires.submit),
        Route(batch, got(wires.poll)),
        Route(f"{batch}/results", got(wires.collect)),
        post("/gemini/v1beta/models/{name:path}:generateContent", wires.gemini, "name"),
        post("/generic/{name}/search", wires.generic, "name"),
        *(Host(host, Route("/{path:path}", shop)) for host in SHOWN),
    ]
    return Starlette(routes=routes)


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
    door = Door()
    running = server(world_app(door, latency_s))
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
            yield World(f"http://{ADDRESS}:{listener.getsockname()[1]}", door)
        finally:
            running.should_exit = True
            thread.join(_START_S)
