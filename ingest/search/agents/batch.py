"""Anthropic's batches: handed in, waited for, fetched (search.md 5.5).

The journal names a batch before it is waited for, so that a command that was killed
goes on waiting for the same one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from ingest.errors import LoadError
from ingest.journal import Record
from ingest.keys import redact
from ingest.retry import ATTEMPTS
from ingest.search.agents.adapter import Attempt, Envelope, Request, Task, Wire
from ingest.search.agents.ask import turn
from ingest.search.agents.entry import (
    BATCH,
    BATCH_OVER,
    History,
    is_paused,
    open_redirects,
)
from ingest.search.agents.send import exchange, fetch_bytes
from ingest.search.agents.session import Session
from ingest.search.agents.shapes import part, text
from ingest.search.agents.workers import begin_anew, work_through
from ingest.search.write_artifact import time_text

POLL_S = 30.0
_PATIENCE = 20  # failed polls in a row, each of which tried four times
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHOWN = 300
# faults of a batch that may pass by itself; others are the request's own
_MAY_PASS = frozenset(
    {
        *("batch_api_error", "batch_overloaded_error", "batch_rate_limit_error"),
        *("batch_timeout_error", "batch_expired", "batch_missing"),
    }
)


async def run_batches(session: Session, todo: Sequence[Task], force: bool) -> None:
    """Ask for products in batches until each has a reply or trying is over.

    Parameters
    ----------
    session
        Of an agent whose adapter is ``anthropic_batch``.
    todo
        Products that are open.
    force
        Whether they may have answers, which are set aside.

    Raises
    ------
    SetupRefused
        Where every call is refused alike.
    LoadError
        Where a batch cannot be handed in or reached, or the disk takes no more.
    """
    tasks = {str(one["task_id"]): one for one in todo}
    async with session.world.open_client() as client:
        wire = session.world.wire(client, session.job.seat)
        done: set[str] = set()
        for batch in _waiting(session):
            await _collect(session, wire, batch)
            done |= {*batch["custom_ids"].values()} & {*tasks}
        # what an earlier command handed in is as new as what is asked now
        anew = {key for key in tasks if force} - done
        tries = dict.fromkeys(tasks, 0)
        while wanted := _next(session, tasks, tries, anew):
            if not session.may_spend():
                break
            # with a budget no more is in flight than its calls may overshoot it by
            bounded = session.limits.max_usd is not None
            size = session.limits.concurrency if bounded else len(wanted)
            for task in wanted[:size]:
                await begin_anew(session, task, task["task_id"] in anew)
                tries[str(task["task_id"])] += 1
            anew -= {str(task["task_id"]) for task in wanted[:size]}
            await _collect(session, wire, await _submit(session, wire, wanted[:size]))
        done |= {key for key, number in tries.items() if number}
    # what paused in a batch, and what its answers redirect to, goes on without one
    paused = [one for one in todo if _goes_on(session, session.history(one))]
    await work_through(session, paused)
    for task_id in sorted(done - {str(one["task_id"]) for one in paused}):
        session.count(tasks[task_id])


def _next(
    session: Session,
    tasks: Mapping[str, Task],
    tries: Mapping[str, int],
    anew: Collection[str],
) -> list[Task]:
    return [
        one for key, one in tasks.items() if key in anew or _asks(session, key, tries)
    ]


def _asks(session: Session, task_id: str, tries: Mapping[str, int]) -> bool:
    """Return whether a product goes into the next batch."""
    history = session.histories.get(task_id, History())
    if history.bodies() or tries[task_id] >= ATTEMPTS:
        return False
    if tries[task_id] == 0:
        return True
    last = history.turns[-1]["attempts"][-1]["error"] if history.turns else None
    return last in _MAY_PASS


def _goes_on(session: Session, history: History) -> bool:
    adapter = session.job.adapter
    paused = is_paused(adapter, history.bodies())
    return paused or bool(open_redirects(history, adapter))


def _waiting(session: Session) -> list[Record]:
    """Return the batches that were handed in and not fetched."""
    records = [record for _, record in session.journal.found.records]
    over = {one["batch_id"] for one in records if one.get("kind") == BATCH_OVER}
    handed_in = [one for one in records if one.get("kind") == BATCH]
    return [one for one in handed_in if one["batch_id"] not in over]


async def _submit(session: Session, wire: Wire, wanted: Sequence[Task]) -> Record:
    ids, requests = {}, []
    for task in wanted:
        request = session.job.request(task, session.image(task))
        custom_id = custom_id_of(str(task["task_id"]), session.job.track)
        ids[custom_id] = str(task["task_id"])
        requests.append({"custom_id": custom_id, "params": request.body})
    sent = _request(session, "POST", "", {"requests": requests})
    envelope = await exchange(sent, wire)
    batch_id = text(envelope.body, "id")
    if _ID.fullmatch(batch_id) is None:
        why = envelope.attempts[-1].error or "the reply names none"
        raise LoadError(
            f"a batch of {len(wanted)} products could not be handed in to {sent.url} "
            f"({why}); run this again"
        )
    record = {
        "kind": BATCH,
        "batch_id": batch_id,
        "custom_ids": ids,
        "asked_at": time_text(session.world.now()),
    }
    await session.keep(record)
    return record


def custom_id_of(task_id: str, track: str) -> str:
    """Return what names a product in a batch: task and track, where that may be one.

    Parameters
    ----------
    task_id, track
        Whose it is.

    Returns
    -------
    str
        Of letters, digits, ``_`` and ``-``, at most 64.
    """
    plain = f"{task_id}-{track}"
    if _ID.fullmatch(plain):
        return plain
    return f"{hashlib.sha256(task_id.encode()).hexdigest()[:32]}-{track}"


async def _collect(session: Session, wire: Wire, batch: Record) -> None:
    batch_id = str(batch["batch_id"])
    await _wait(session, wire, batch_id)
    request = _request(session, "GET", f"/{batch_id}/results")
    data, envelope = await fetch_bytes(request, wire)
    if data is None:
        raise LoadError(
            f"the results of batch {batch_id} could not be fetched "
            f"({envelope.attempts[-1].error}); run this again"
        )
    results = _by_id(data)
    products = session.store.products
    begun = datetime.fromisoformat(str(batch["asked_at"]))
    for custom_id, task_id in batch["custom_ids"].items():
        task = products.get(task_id)
        if task is None or _has(session.history(task), batch_id):
            continue
        image = session.image(task)
        found = _envelope(results.get(custom_id), begun, session.world.now())
        names = {"batch_id": batch_id, "custom_id": custom_id}
        first = session.job.request(task, image)
        record = turn(session.job, task_id, first, image, found, names)
        session.history(task).add(record)
        await session.keep(record)
    await session.keep({"kind": BATCH_OVER, "batch_id": batch_id})


def _has(history: History, batch_id: str) -> bool:
    return any(part(one, "batch", "batch_id") == batch_id for one in history.turns)


async def _wait(session: Session, wire: Wire, batch_id: str) -> None:
    failed = 0
    while True:
        envelope = await exchange(_request(session, "GET", f"/{batch_id}"), wire)
        if part(envelope.body, "processing_status") == "ended":
            return
        failed = failed + 1 if envelope.body is None else 0
        if failed == _PATIENCE:
            raise LoadError(
                f"batch {batch_id} cannot be reached ({envelope.attempts[-1].error}); "
                "run this again, it is waited for where this ended"
            )
        await session.world.sleep(POLL_S)


def _request(
    session: Session, method: str, path: str, body: Mapping[str, Any] | None = None
) -> Request:
    # never the address that a reply names for its results: the key goes along
    seat = session.job.seat
    return Request(method, f"{seat.base}/messages/batches{path}", body, seat.headers)


def _by_id(data: bytes) -> dict[str, Any]:
    found = {}
    for line in data.splitlines():
        try:
            result = json.loads(line)
        except (ValueError, RecursionError):
            continue
        found[text(result, "custom_id")] = part(result, "result")
    return found


def _envelope(result: Any, begun: datetime, ended: datetime) -> Envelope:
    """Return what a batch brought for one product as a request would have."""
    message = part(result, "message")
    if part(result, "type") == "succeeded" and message is not None:
        return Envelope(message, (Attempt(begun, ended, 200),), 0.0)
    kind = text(result, "type")
    error, detail = f"batch_{kind or 'missing'}", None
    if kind == "errored":
        inner = part(result, "error", "error") or part(result, "error")
        error = f"batch_{text(inner, 'type') or 'error'}"
        detail = redact(text(inner, "message"))[:_SHOWN] or None
    return Envelope(None, (Attempt(begun, ended, None, error, detail),), 0.0)
