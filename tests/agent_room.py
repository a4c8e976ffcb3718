"""A run folder whose products are put to an agent on a scripted server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from agent_bodies import REDIRECT
from search_folder import example, rows_of, without, write
from wire_server import Script, Server, serve

from ingest.run_calls import Limits
from ingest.search.agents.collect import run_agent
from ingest.search.agents.seats import Seat, default_seats
from ingest.search.agents.session import Tally, World, certificates, raw_name
from ingest.search.run_store import open_store

KEYS = {
    name: f"planted-{name.lower()}-5309"
    for name in (
        *("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"),
        *("PERPLEXITY_API_KEY", "FINDCHEAP_API_KEY"),
    )
}
MADE_FROM_ANSWERS = ("raw_", "candidates", "grades", "audit", "verify", "evidence")
START = datetime(2026, 11, 30, 12, tzinfo=UTC)


def redirect(request: httpx.Request) -> httpx.Response:
    """Lead …/A<n> to the page of shop n, as the search service does."""
    number = str(request.url).removeprefix(REDIRECT)
    page = f"https://www.shop{number}.example/p/{number}?utm_source=grounding"
    return httpx.Response(302, headers={"location": page})


@dataclass
class Room:
    """A folder, an agent, and the waits that were asked for."""

    folder: Path
    seat: Seat
    track: str = "exact"
    waits: list[float] = field(default_factory=list)
    sent: list[Any] = field(default_factory=list)
    server: Server | None = None
    _seconds: float = 0.0

    def run(self, script: Script, *, tasks: int = 1, **options: Any) -> Tally:
        """Put the first products to the agent, which the script plays."""
        with serve(script) as server:
            self.server = server
            try:
                return self.run_at(server.address, tasks=tasks, **options)
            finally:
                self.sent += server.sent

    def run_at(
        self,
        address: str,
        *,
        tasks: int = 1,
        limits: Limits | None = None,
        client: Callable[[], httpx.AsyncClient] | None = None,
        world: World | None = None,
        **options: Any,
    ) -> Tally:
        """Put the first products to the agent at an address."""
        store = open_store(self.folder)
        chosen = list(store.products.values())[:tasks]
        base = None if self.seat.base is None else address
        return asyncio.run(
            run_agent(
                store,
                replace(self.seat, base=base),
                self.track,
                chosen,
                limits=limits or Limits(concurrency=1),
                world=world or World(client or self.client, self.now, sleep=self.sleep),
                **options,
            )
        )

    @property
    def path(self) -> Path:
        """Where the artifact stands."""
        return self.folder / raw_name(self.seat.agent, self.track)

    def artifact(self) -> Any:
        """Return the artifact."""
        return json.loads(self.path.read_text())

    def entry(self, task_id: str = "t001") -> Any:
        """Return the entry of a product."""
        return self.artifact()["entries"][task_id]

    def rows(self) -> Any:
        """Return what the loader makes of the folder; nothing may be set aside."""
        _, rows = rows_of(self.folder)
        assert rows.errors == []
        aside = [one.quarantined for one in rows.parsed if one.quarantined]
        assert aside == []
        return rows

    def client(self) -> httpx.AsyncClient:
        """Return a client that reaches the redirecting service in the script alone."""
        service = "https://vertexaisearch.cloud.google.com"
        script = httpx.MockTransport(redirect)
        return httpx.AsyncClient(mounts={service: script}, verify=certificates())

    def now(self) -> datetime:
        """Return a time that goes on by a second each time it is asked for."""
        self._seconds += 1
        return START + timedelta(seconds=self._seconds)

    async def sleep(self, seconds: float) -> None:
        """Note a wait, and do not wait."""
        self.waits.append(seconds)


@cache
def _seats() -> dict[str, Seat]:
    return default_seats()


def products(folder: Path) -> Path:
    """Write the products and pictures of the example to a folder and return it."""
    return write(folder, without(example(), *MADE_FROM_ANSWERS))


def room(folder: Path, agent: str, **changes: Any) -> Room:
    """Return a room for a published seat, with fields of it changed."""
    seat = replace(_seats()[agent], base="http://127.0.0.1", **changes)
    return Room(products(folder), seat)
