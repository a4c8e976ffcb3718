"""A session of a run in a process of its own, for tests that kill it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from ingest.journal import open_journal
from ingest.llm import Model, litellm
from ingest.purchase.collect import plan_purchase, purchase_settings, read_purchase
from ingest.run_calls import Limits, run_calls

IN_FLIGHT = 8

# done where processes are forked from, so that kills meet the run and not its start
litellm()
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
