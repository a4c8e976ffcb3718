"""One invocation: a product put to an agent, every reply journaled as it comes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ingest.journal import Record
from ingest.search.agents.adapter import (
    FAILED,
    Adapter,
    Envelope,
    Image,
    Request,
    Task,
    Wire,
)
from ingest.search.agents.entry import (
    REDIRECTS,
    TURN,
    History,
    is_paused,
    open_redirects,
)
from ingest.search.agents.prompt import prompt
from ingest.search.agents.seats import Seat
from ingest.search.agents.send import variables
from ingest.search.agents.tidy import tidy
from ingest.search.write_artifact import time_text

Keep = Callable[[Record], Awaitable[None]]
Resolve = Callable[[str], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class Job:
    """An agent on a track.

    Attributes
    ----------
    seat
        Who is asked.
    adapter
        How.
    track
        exact or equiv.
    rules
        The protocol of the run.
    """

    seat: Seat
    adapter: Adapter
    track: str
    rules: Mapping[str, Any]

    def request(self, task: Task, image: Image | None) -> Request:
        """Return what is sent for a product."""
        told = prompt(task, self.track, self.rules)
        return self.adapter.build(task, self.track, told, image)

    def listing_start(self, task_id: str) -> str:
        """Return what the ids of a product's listings start with."""
        return f"{self.seat.agent}.{self.track}.{task_id}"


async def ask(
    job: Job,
    task: Task,
    image: Image | None,
    history: History,
    wire: Wire,
    keep: Keep,
    resolve: Resolve,
) -> None:
    """Put a product to an agent until it has answered or a request was lost.

    Parameters
    ----------
    job
        Who is asked, and on which track.
    task, image
        The product.
    history
        What earlier sessions did for it; grows with every reply. An invocation that
        paused goes on where it was.
    wire
        What it is sent through.
    keep
        Writes a record; called the moment a reply is there.
    resolve
        Where a redirecting address leads; None where nobody knows.

    Raises
    ------
    SetupRefused
        Where every call would be refused alike; nothing is kept of it.
    """
    first = job.request(task, image)
    task_id = str(task["task_id"])
    bodies = history.bodies()
    while not bodies or is_paused(job.adapter, bodies):
        request = job.adapter.proceed(first, bodies) if bodies else first
        envelope = await job.adapter.send(request, wire)
        record = turn(job, task_id, first, image, envelope)
        history.add(record)
        await keep(record)
        before, bodies = bodies, history.bodies()
        if len(bodies) <= len(before):
            # nothing came, or the provider failed: what is lost is asked another time
            return
    await look_up(job, task_id, history, keep, resolve)


async def look_up(
    job: Job, task_id: str, history: History, keep: Keep, resolve: Resolve
) -> None:
    """Find out where the redirecting addresses of an answer lead, and keep it."""
    wanted = open_redirects(history, job.adapter)
    if wanted:
        found = {address: await resolve(address) for address in wanted}
        record = {"kind": REDIRECTS, "task_id": task_id, "addresses": tidy(found)}
        history.add(record)
        await keep(record)


def turn(
    job: Job,
    task_id: str,
    first: Request,
    image: Image | None,
    envelope: Envelope,
    batch: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the record of one request.

    Parameters
    ----------
    job, task_id
        Whose it is.
    first
        The request that the invocation began with.
    image
        What was sent with it.
    envelope
        What came of it.
    batch
        Batch and custom id, where it was answered in one.

    Returns
    -------
    dict
        For the journal: no key stands in it, and no picture.
    """
    secrets = variables(first.headers)
    try:
        body = tidy(envelope.body, image, secrets)
    except RecursionError:
        body = {"error": "nested too deeply to be stored"}
    cost, source, failed = None, None, False
    if body is not None:
        answer = job.adapter.parse(body)
        failed = answer.stop == FAILED
        cost, source = job.seat.price.cost(answer.usage, in_batch=batch is not None)
    return {
        "kind": TURN,
        "task_id": task_id,
        "asked_at": time_text(envelope.attempts[-1].ended_at),
        "attempts": [one.as_json() for one in envelope.attempts],
        "body": body,
        "failed": failed,
        "latency_s": envelope.latency_s,
        "request_sha256": first.sha256,
        "image_sha256": image.sha256 if image else None,
        "cost_usd": None if cost is None else f"{cost:.6f}",
        "cost_source": source,
        **({"batch": dict(batch)} if batch else {}),
    }
