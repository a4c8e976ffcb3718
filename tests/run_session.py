"""Sessions of a run, each in a process of its own, for tests that kill them.

Started as a script it forks a session for every line ``<address> <journal>`` and says
its process id; for ``wait <id>`` it says how that one ended. It has the slow imports
done before, so that kills meet the run and not its start.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

from ingest.journal import open_journal
from ingest.llm import Model, litellm
from ingest.purchase.collect import plan_purchase, purchase_settings, read_purchase
from ingest.run_calls import Limits, run_calls

IN_FLIGHT = 8

PLAN = plan_purchase(purchase_settings("m/x"))


def session(address: str, path: str) -> None:
    """One session of the run, as ``pricebench run`` has it."""
    settings = purchase_settings("m/x", api_base=address)
    plan = replace(PLAN, settings=settings)
    with open_journal(Path(path), plan.header) as journal:
        asyncio.run(
            run_calls(
                Model(settings),
                plan.calls,
                journal,
                read_purchase,
                names=plan.names,
                facts=plan.facts,
                limits=Limits(concurrency=IN_FLIGHT),
            )
        )


def main() -> None:
    """Fork a session for every line."""
    litellm()
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
