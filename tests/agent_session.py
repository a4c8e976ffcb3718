"""Sessions of an agent, each in a process of its own, for tests that kill them.

Started as a script it forks a session for every line ``<address> <folder>`` and says
its process id; for ``wait <id>`` it says how that one ended.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

from ingest.run_calls import Limits
from ingest.search.agents.collect import run_agent
from ingest.search.agents.seats import default_seats
from ingest.search.agents.session import certificates
from ingest.search.run_store import open_store

IN_FLIGHT = 4


def session(address: str, folder: str) -> None:
    """One session, as the command has it."""
    store = open_store(Path(folder))
    claude = default_seats()["claude"]
    seat = replace(claude, adapter="anthropic", base=address)
    tasks = list(store.products.values())
    limits = Limits(concurrency=IN_FLIGHT)
    asyncio.run(run_agent(store, seat, "exact", tasks, limits=limits))


def main() -> None:
    """Fork a session for every line."""
    certificates()
    for line in sys.stdin:
        first, second = line.split()
        if first == "wait":
            _, status = os.waitpid(int(second), 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        process = os.fork()
        if process == 0:
            session(first, second)
            os._exit(0)
        print(process, flush=True)


if __name__ == "__main__":
    main()
