"""Sessions of a run, each in a process of its own, for tests that kill them.

Started as a script it forks a session for every line ``<address> <journal>``.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from sessions import fork_for_lines

from ingest.journal import open_journal
from ingest.llm import Model, litellm
from ingest.purchase.collect import plan_purchase, purchase_settings, read_purchase
from ingest.run_calls import Limits, run_calls

IN_FLIGHT = 8

PLAN = plan_purchase(purchase_settings("m/x"))


def session(line: str) -> None:
    """One session of the run, as ``pricebench run`` has it."""
    address, path = line.split()
    settings = replace(PLAN.settings, api_base=address)
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


if __name__ == "__main__":
    litellm()
    fork_for_lines(session)
