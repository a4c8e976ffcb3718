"""An OpenAI-compatible endpoint over sockets, its answers and faults scripted."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]


@dataclass
class Reply:
    """What the server sends to one request.

    ``fault`` is one of: hang, reset, half (half of the body, then closed), drip (a byte
    in a second), length (Content-Length too large), short (Content-Length too small).
    """

    text: str = "A"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None  # instead of a completion
    fault: str | None = None
    delay_s: float = 0.0
    extra: Body = field(default_factory=dict)  # into the completion


Script = Callable[[int, Body], Reply]


@dataclass
class Server:
    """A running endpoint and what it was asked."""

    address: str
    requests: list[Body] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


def completion(body: Body, reply: Reply) -> bytes:
    """Return a chat completion as endpoints send it; 10 prompt tokens, 1 of reply."""
    answer: Body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": f"{body['model']}-served",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11},
    }
    for key, value in reply.extra.items():
        if isinstance(value, dict) and isinstance(answer.get(key), dict):
            answer[key] |= value
        else:
            answer[key] = value
    return json.dumps(answer).encode()


@contextmanager
def serve(script: Script) -> Iterator[Server]:
    """Serve on a free port of loopback until the block ends.

    ``script`` gets the number of the request, from 0, and its body.
    """
    ready = threading.Event()
    server = Server("")
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        # a client that is killed, and the end of the block, are no faults
        with suppress(
            ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError
        ):
            while await _one(server, script, reader, writer):
                pass
        writer.close()

    async def run() -> None:
        listening = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        server.address = f"http://127.0.0.1:{port}/v1"
        ready.set()
        await over.wait()
        listening.close()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for one in left:
            one.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def work() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(run())
        loop.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)


async def _one(
    server: Server,
    script: Script,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> bool:
    """Answer one request; False where the connection is over."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    pairs = [line.split(": ", 1) for line in head[1:] if line]
    headers = {name.lower(): value for name, value in pairs}
    body = json.loads(await reader.readexactly(int(headers["content-length"])))
    number = len(server.requests)
    server.requests.append(body)
    server.headers.append(headers)
    reply = script(number, body)
    payload = completion(body, reply) if reply.body is None else reply.body
    await asyncio.sleep(reply.delay_s)
    if reply.fault == "hang":
        await asyncio.sleep(3600)
    if reply.fault == "reset":
        writer.transport.abort()
        return False
    length = len(payload) + {"length": 100, "short": -10}.get(reply.fault or "", 0)
    lines = [f"HTTP/1.1 {reply.status} X"]
    told = {"Content-Type": "application/json", **reply.headers}
    lines += [f"{name}: {value}" for name, value in told.items()]
    lines += [f"Content-Length: {length}", "", ""]
    writer.write("\r\n".join(lines).encode())
    if reply.fault == "drip":
        for byte in payload:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(1)
    writer.write(payload[: len(payload) // 2] if reply.fault == "half" else payload)
    await writer.drain()
    return reply.fault is None
