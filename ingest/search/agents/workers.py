"""Workers that ask for one product after the other, each with a client of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from ingest.errors import LoadError
from ingest.search.agents.adapter import Task
from ingest.search.agents.ask import ask
from ingest.search.agents.entry import FORCED
from ingest.search.agents.redirect import led_to
from ingest.search.agents.session import Session
from ingest.search.write_artifact import time_text


async def work_through(
    session: Session, todo: Sequence[Task], force: bool = False
) -> None:
    """Ask for products, one after the other in each worker."""
    # the first alone: it tells a wrong key before many calls are made with it
    await _worker(session, iter(todo[:1]), force)
    rest = iter(todo[1:])
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(session.limits.concurrency, len(todo[1:]))):
                group.create_task(_worker(session, rest, force))
    except* LoadError as failures:
        # the others were cancelled for it; one line says enough
        raise failures.exceptions[0] from None


async def _worker(session: Session, tasks: Iterator[Task], force: bool) -> None:
    # a client each: one pool for many workers spends its time on searching itself
    async with session.world.open_client() as client:
        wire = session.world.wire(client, session.job.seat)
        for task in tasks:
            if not session.may_spend():
                return
            await session.pace.wait()
            await begin_anew(session, task, force)
            await ask(
                session.job,
                task,
                session.image(task),
                session.history(task),
                wire,
                session.keep,
                lambda address: led_to(address, client),
            )
            session.count(task)


async def begin_anew(session: Session, task: Task, force: bool) -> None:
    """Set aside the answer that a product has, which its entry will say."""
    if force and session.is_done(task):
        at = time_text(session.world.now())
        record = {"kind": FORCED, "task_id": task["task_id"], "asked_at": at}
        session.history(task).add(record)
        await session.keep(record)
