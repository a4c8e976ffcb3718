"""How long an agent of batches takes when asked alone (search.md 5.5)."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.journal import Record
from ingest.search.agents.adapter import Task
from ingest.search.agents.ask import ask
from ingest.search.agents.entry import PROBE, History, entry
from ingest.search.agents.session import Session


async def probe_latency(session: Session, tasks: Sequence[Task]) -> None:
    """Ask for products one by one, for the time alone; their entries stay as they are.

    Parameters
    ----------
    session
        Of any agent. Each product is probed once, however often this is called; one
        that brought no answer is probed again.
    tasks
        Products, asked one after the other, so that none waits for another.

    Raises
    ------
    SetupRefused
        Where every call is refused alike.
    LoadError
        Where the disk takes no more.
    """
    done = {one["task_id"] for one in session.probes if one["latency_s"] is not None}
    async with session.world.open_client() as client:
        wire = session.world.wire(client, session.job.seat)
        for task in tasks:
            if task["task_id"] in done or not session.may_spend():
                continue
            history = History()
            await ask(
                session.job, task, session.image(task), history, wire, _drop, _nowhere
            )
            found = entry(history, session.job.adapter, "probe")
            record = {
                "kind": PROBE,
                "task_id": task["task_id"],
                "asked_at": history.turns[-1]["asked_at"],
                "status": found["status"],
                "latency_s": found["latency_s"],
                "attempts": found["attempts"],
                "cost_usd": found["usage"]["cost_usd"],
                "cost_source": found["usage"]["cost_source"],
            }
            session.probes.append(record)
            await session.keep(record)


async def _drop(record: Record) -> None:
    """Keep no turn: a probe is one record, and its answer counts for nothing."""


async def _nowhere(address: str) -> str | None:
    return None
