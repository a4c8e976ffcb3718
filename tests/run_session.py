"""Sessions of a run, each in a process of its own, for tests that kill them.

Started as a script it forks a session for every line ``<address> <journal>
<instrument>`` and says its process id; for ``wait <id>`` it says how that one ended.
It has the slow imports done before, so that kills meet the run and not its start.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

from ingest.hotel.asked_bank import drawn_bank
from ingest.hotel.collect import hotel_settings, plan_hotel, read_hotel
from ingest.journal import open_journal
from ingest.llm import Model, litellm
from ingest.purchase.collect import plan_purchase, purchase_settings, read_purchase
from ingest.run_calls import Limits, run_calls

IN_FLIGHT = 8

# the smallest bank: 24 tasks
BANK = drawn_bank("conjoint", size=24)
PLANS = {
    "purchase": plan_purchase(purchase_settings("m/x")),
    "hotel": plan_hotel(hotel_settings("m/x"), BANK, repeats=2),
}
READERS = {"purchase": read_purchase, "hotel": read_hotel(BANK, "base")}


def session(address: str, path: str, instrument: str) -> None:
    """One session of the run, as ``pricebench run`` has it."""
    plan = PLANS[instrument]
    settings = replace(plan.settings, api_base=address)
    plan = replace(plan, settings=settings)
    with open_journal(Path(path), plan.header) as journal:
        asyncio.run(
            run_calls(
                Model(settings),
                plan.calls,
                journal,
                READERS[instrument],
                names=plan.names,
                facts=plan.facts,
                limits=Limits(concurrency=IN_FLIGHT),
            )
        )


def main() -> None:
    """Fork a session for every line."""
    litellm()
    for line in sys.stdin:
        first, *rest = line.split()
        if first == "wait":
            _, status = os.waitpid(int(rest[0]), 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        process = os.fork()
        if process == 0:
            session(first, *rest)
            os._exit(0)
        print(process, flush=True)


if __name__ == "__main__":
    main()
