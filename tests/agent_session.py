"""Sessions of an agent, each in a process of its own, for tests that kill them.

Started as a script it forks a session for every line ``<address> <folder>``.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from sessions import fork_for_lines

from ingest.run_calls import Limits
from ingest.search.agents.collect import run_agent
from ingest.search.agents.seats import default_seats
from ingest.search.agents.session import certificates
from ingest.search.run_store import open_store

IN_FLIGHT = 4


def session(line: str) -> None:
    """One session, as the command has it."""
    address, folder = line.split()
    store = open_store(Path(folder))
    claude = default_seats()["claude"]
    seat = replace(claude, adapter="anthropic", base=address)
    tasks = list(store.products.values())
    limits = Limits(concurrency=IN_FLIGHT)
    asyncio.run(run_agent(store, seat, "exact", tasks, limits=limits))


if __name__ == "__main__":
    certificates()
    fork_for_lines(session)
