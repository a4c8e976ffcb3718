"""Asking search agents: what journal, pictures and artifacts cost beside bare httpx.

Both sides send the same requests to a service on loopback that answers with 2 kB at
once: ours through an adapter with its journal, the peer in a bare loop of httpx. Each
worker of both has a client of its own, and service and sides have a process each.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.processes import child, serving, timed

if TYPE_CHECKING:
    from ingest.search.agents.seats import Seat
    from ingest.search.run_store import RunStore

AGENT, TRACK = "gpt", "exact"
CONCURRENCY = 16
CALLS, ROUNDS = 1_500, 3
BODY_BYTES = 2_000
PER_SECOND_TARGET = 300


def run(threads: tuple[str, ...]) -> dict[str, Any]:
    """Measure both sides against one service.

    Parameters
    ----------
    threads
        Environment variables that hold libraries to one thread.

    Returns
    -------
    dict
        Best calls per second of each, their share, and whether the target was kept.
    """
    environment = {**os.environ, **dict.fromkeys(threads, "1")}
    found: dict[str, list[float]] = {"ours": [], "bare": []}
    with served(environment) as address:
        for _ in range(ROUNDS):
            for side, measured in found.items():
                print(f"bench: agents, {side}", file=sys.stderr)
                told = child("agents", side, address, environment)
                measured.append(told["calls_per_second"])
    ours, bare = (max(measured) for measured in found.values())
    return {
        "concurrency": CONCURRENCY,
        "calls": CALLS,
        "body_bytes": len(reply()),
        "ours_calls_per_second": ours,
        "bare_calls_per_second": bare,
        "share": round(ours / bare, 3),
        "calls_per_second_target": PER_SECOND_TARGET,
        "met": ours >= PER_SECOND_TARGET,
    }


def is_sound(result: dict[str, Any]) -> bool:
    """Say whether half the target was kept."""
    ours, target = result["ours_calls_per_second"], result["calls_per_second_target"]
    return bool(ours >= target / 2)


def reply() -> bytes:
    """Return what the service answers: listings in the shape of a Responses API."""
    listings: list[dict[str, Any]] = []
    body = b""
    while len(body) < BODY_BYTES:
        number = len(listings) + 1
        listings.append(
            {
                "url": f"https://shop{number}.example/p/{number}",
                "title": f"Product {number}",
                "item_price": f"10.{number:02}",
                "shipping_price": "0.00",
                "currency": "USD",
                "pack_count": 1,
            }
        )
        text = json.dumps({"listings": listings})
        part = {"type": "output_text", "text": text, "annotations": []}
        told = {
            "id": "resp_1",
            "object": "response",
            "status": "completed",
            "model": "example",
            "output": [{"type": "message", "role": "assistant", "content": [part]}],
            "usage": {"input_tokens": 1_000, "output_tokens": 100},
        }
        body = json.dumps(told).encode()
    return body


class _Service(asyncio.Protocol):
    """Answers every request at once; what it is asked it does not read."""

    _body = reply()
    _head = (
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
        b"content-length: %d\r\n\r\n" % len(_body)
    )

    def connection_made(self, transport: Any) -> None:
        """Begin a connection."""
        self._transport, self._left = transport, b""

    def data_received(self, data: bytes) -> None:
        """Answer what has come in whole."""
        self._left += data
        while True:
            head, end, rest = self._left.partition(b"\r\n\r\n")
            if not end:
                return
            length = int(head.lower().partition(b"content-length:")[2].split()[0])
            if len(rest) < length:
                return
            self._left = rest[length:]
            self._transport.write(self._head + self._body)


async def serve() -> None:
    """Serve on a free port, and print the address."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Service, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


@contextmanager
def served(environment: dict[str, str]) -> Iterator[str]:
    """Serve from a process of its own.

    Parameters
    ----------
    environment
        Of the process.

    Yields
    ------
    str
        The address.
    """
    command = [sys.executable, "-m", "bench.agents", "serve"]
    with serving(command, environment) as address:
        yield address


def ours(address: str, calls: int) -> Iterator[int]:
    """Ask through an adapter, with its journal, and write the artifact.

    Parameters
    ----------
    address
        Of the service.
    calls
        How many.

    Yields
    ------
    int
        How many are asked; then, with everything imported and read, it asks.

    Raises
    ------
    RuntimeError
        Where a call brought no listings.
    """
    from ingest.run_calls import Limits
    from ingest.search.agents.collect import run_agent

    with tempfile.TemporaryDirectory() as name:
        store, seat = _room(Path(name), calls), _seat(address)
        tasks = list(store.products.values())
        limits = Limits(concurrency=CONCURRENCY)
        yield len(tasks)
        tally = asyncio.run(run_agent(store, seat, TRACK, tasks, limits=limits))
    if tally.states != {"ok": calls}:
        raise RuntimeError(f"not every call was answered: {tally.states}")


def bare(address: str, calls: int) -> Iterator[int]:
    """Send the same requests with httpx alone, and read the JSON of the replies.

    Parameters
    ----------
    address
        Of the service.
    calls
        How many.

    Yields
    ------
    int
        How many are asked; then, with everything imported and read, it asks.
    """
    import httpx

    from ingest.search.agents.adapter import Image
    from ingest.search.agents.adapters import make_adapter
    from ingest.search.agents.ask import Job

    with tempfile.TemporaryDirectory() as name:
        store, seat = _room(Path(name), calls), _seat(address)
        job = Job(seat, make_adapter(seat), TRACK, store.tasks.protocol)
        bodies = []
        for task in store.products.values():
            sha256 = task["image"]["sha256"]
            image = Image(sha256, "image/jpeg", store.image(sha256) or b"")
            request = job.request(task, image)
            bodies.append(json.dumps(request.body).encode())
    context = httpx.create_ssl_context()
    headers = {"content-type": "application/json"}

    async def work(left: Iterator[bytes]) -> None:
        async with httpx.AsyncClient(verify=context) as client:
            for body in left:
                answer = await client.post(request.url, content=body, headers=headers)
                answer.raise_for_status().json()

    async def ask() -> None:
        left = iter(bodies)
        await asyncio.gather(*(work(left) for _ in range(CONCURRENCY)))

    yield len(bodies)
    asyncio.run(ask())


def _seat(address: str) -> Seat:
    from ingest.search.agents.seats import default_seats

    return replace(default_seats()[AGENT], base=address, headers={})


def _room(folder: Path, products: int) -> RunStore:
    """Return a run folder with so many products, those of the example over again."""
    from ingest.search.example_run import DEFAULT_SEED, example_files
    from ingest.search.run_folder import TASKS_FILE
    from ingest.search.run_store import open_store

    files = example_files(DEFAULT_SEED)
    body = json.loads(files[TASKS_FILE])
    # settled ones alone: no agent may be asked about the others
    known = [one for one in body["tasks"] if one["shipping"]["amount"] is not None]
    body["tasks"] = [
        {
            **known[number % len(known)],
            **{"task_id": f"t{number:05}", "label": f"t{number:05}"},
            "position": number + 1,
        }
        for number in range(products)
    ]
    (folder / "images").mkdir()
    for name, content in files.items():
        if name.startswith("images/"):
            (folder / name).write_bytes(content)
    (folder / TASKS_FILE).write_text(json.dumps(body))
    return open_store(folder)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(serve())
    else:
        sides = {"ours": ours, "bare": bare}
        print(json.dumps(timed(sides[sys.argv[1]](sys.argv[2], CALLS))))
