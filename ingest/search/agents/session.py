"""A session of an agent on a track: its journal, what it spent, and its artifact.

Every reply stands in a journal beside the artifact before anything is made of it; the
artifact is folded from the journal when a session begins and when it ends, however it
ends, so that a kill loses no reply that reached the process.
"""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from time import monotonic
from typing import Any

import httpx

from ingest.errors import LoadError
from ingest.journal import Journal, Record, open_journal
from ingest.pace import Clocks, Pace, Sleep
from ingest.run_calls import Limits
from ingest.search.agents.adapter import Image, Task, Wire
from ingest.search.agents.ask import Job
from ingest.search.agents.entry import LOST, PROBE, History, entry, histories, is_done
from ingest.search.agents.prompt import prompt_sha256
from ingest.search.agents.seats import Seat
from ingest.search.records import json_text, part_of
from ingest.search.run_folder import TASKS_FILE
from ingest.search.run_store import RunStore, journal_header

_PICTURE = "image/jpeg"  # as pictures are normalised (search.md 4.7)


_PROBED = ("task_id", "status", "latency_s", "asked_at")


@cache
def certificates() -> ssl.SSLContext:
    """Return the certificates that clients trust, read once, which takes its time."""
    return httpx.create_ssl_context()


def open_client() -> httpx.AsyncClient:
    """Return a client for one worker."""
    return httpx.AsyncClient(verify=certificates())


@dataclass(frozen=True, slots=True)
class World:
    """What a session needs of the world outside; tests bring their own."""

    open_client: Callable[[], httpx.AsyncClient] = open_client
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    clock: Callable[[], float] = monotonic
    sleep: Sleep = asyncio.sleep

    @property
    def clocks(self) -> Clocks:
        """Return what the pace of its calls goes by."""
        return Clocks(self.now, self.clock, self.sleep)

    def wire(self, client: httpx.AsyncClient, seat: Seat) -> Wire:
        """Return what the requests of one worker go through."""
        return Wire(client, self.now, self.clock, self.sleep, seat.timeout_s)


@dataclass(slots=True)
class Tally:
    """Where an agent stands on a track.

    Attributes
    ----------
    wanted, done_before
        Products in scope, and those that an earlier session had the answer to.
    states
        Status of an entry -> products of this session.
    spent_usd
        Of all sessions, where a cost is known.
    unpriced
        Requests of this session that were answered at a cost nobody knows.
    stopped
        Why the session ended early; None: it did not.
    """

    wanted: int
    done_before: int = 0
    states: dict[str, int] = field(default_factory=dict)
    spent_usd: Decimal = Decimal(0)
    unpriced: int = 0
    latency_s: list[float] = field(default_factory=list)
    stopped: str | None = None

    @property
    def asked(self) -> int:
        """Return the products that this session came to an end with."""
        return sum(self.states.values())

    @property
    def left(self) -> int:
        """Return the products without an answer, lost ones included."""
        lost = self.states.get(LOST, 0)
        return self.wanted - self.done_before - self.asked + lost


Watch = Callable[[Tally], None]


@dataclass(slots=True)
class Session:
    """One session of an agent on a track.

    Attributes
    ----------
    histories
        Product -> what the journal has of it.
    earlier
        Entries of an artifact whose journal is not here.
    probes
        Records of calls that were made for their time alone.
    pace
        Of all its calls.
    """

    job: Job
    store: RunStore
    journal: Journal
    limits: Limits
    world: World
    tally: Tally
    watch: Watch
    histories: dict[str, History]
    earlier: Mapping[str, Any]
    probes: list[Record]
    pace: Pace
    # what was counted is not read again when it is folded
    _entries: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the artifact that it makes."""
        return raw_name(self.job.seat.agent, self.job.track)

    def history(self, task: Task) -> History:
        """Return what the journal has of a product."""
        return self.histories.setdefault(task["task_id"], History())

    def image(self, task: Task) -> Image | None:
        """Return the picture of a product, None where the folder has none."""
        sha256 = part_of(task, "image").get("sha256")
        data = self.store.image(sha256)
        return None if data is None else Image(str(sha256), _PICTURE, data)

    def is_done(self, task: Task) -> bool:
        """Return whether a product has an answer, in the journal or in the artifact."""
        history = self.history(task)
        if history.turns or history.forced_at:
            return is_done(history, self.job.adapter)
        status = part_of(self.earlier, task["task_id"]).get("status")
        return status not in (None, LOST)

    async def keep(self, record: Record) -> None:
        """Write a record and count what it cost."""
        await self.journal.add(record)
        if record.get("cost_usd") is not None:
            self.tally.spent_usd += Decimal(record["cost_usd"])
        elif record.get("body") is not None and not record["failed"]:
            self.tally.unpriced += 1
            if self.limits.max_usd is not None:
                seat = self.job.seat
                raise LoadError(
                    f"nobody knows what agent {seat.agent} costs, so "
                    f"${self.limits.max_usd:g} cannot be kept to; give its `price` in "
                    "a file of seats or leave --max-usd out"
                )

    def may_spend(self) -> bool:
        """Return whether another call may begin."""
        limit = self.limits.max_usd
        if limit is None or self.tally.spent_usd < Decimal(str(limit)):
            return True
        self.tally.stopped = f"${limit:g} spent"
        return False

    def count(self, task: Task) -> None:
        """Count a product that the session is through with."""
        found = self.entry(task["task_id"])
        self._entries[task["task_id"]] = found
        status = found["status"]
        self.tally.states[status] = self.tally.states.get(status, 0) + 1
        if found["latency_s"] is not None:
            self.tally.latency_s.append(found["latency_s"])
        self.watch(self.tally)

    def entry(self, task_id: str) -> Mapping[str, Any]:
        """Return the entry of a product as it stands."""
        history = self.histories.get(task_id)
        if history is None or not history.turns:
            return part_of(self.earlier, task_id)
        start = self.job.listing_start(task_id)
        return entry(history, self.job.adapter, start)

    def fold(self) -> None:
        """Write the artifact from what the journal holds."""
        found = {
            one: self._entries.get(one) or self.entry(one)
            for one in self.store.products
        }
        entries = {task_id: one for task_id, one in found.items() if one}
        if entries:
            body: dict[str, Any] = {
                "agent": self.job.seat.agent,
                "track": self.job.track,
                "config": _config(self.job),
                "entries": entries,
            }
            if self.probes:
                body["latency_probe"] = [
                    {name: one[name] for name in _PROBED} for one in self.probes
                ]
            self.store.write(self.name, body, self.world.now(), [TASKS_FILE])


def raw_name(agent: str, track: str) -> str:
    """Return the artifact of an agent on a track."""
    return f"raw_{agent}_{track}.json"


@contextmanager
def open_session(
    store: RunStore,
    job: Job,
    tasks: Sequence[Task],
    limits: Limits,
    world: World,
    watch: Watch,
) -> Iterator[Session]:
    """Open the journal of an agent on a track, and fold it when the block ends.

    Parameters
    ----------
    store, job, tasks, limits, world, watch
        As in `run_agent`.

    Yields
    ------
    Session

    Raises
    ------
    LoadError
        Where the artifact or the journal is of other settings or another run, or
        another command works on it.
    """
    config = _deciding(_config(job))
    before = store.read(raw_name(job.seat.agent, job.track))
    if before is not None and _deciding(before.body["config"]) != config:
        raise LoadError(
            f"{before.name} was asked with other settings; give the agent another name "
            "in the file of seats, or take the artifact and its journal away"
        )
    digest = hashlib.sha256(json_text(config).encode()).hexdigest()
    named = {"agent": job.seat.agent, "track": job.track, "config_sha256": digest}
    header = journal_header(store, "agents", **named)
    name = raw_name(job.seat.agent, job.track)
    path = (store.folder / name).with_suffix(".journal")
    with open_journal(path, header) as journal:
        records = [record for _, record in journal.found.records]
        earlier = before.body["entries"] if before else {}
        probes = [one for one in records if one.get("kind") == PROBE]
        known = histories(records)
        tally = Tally(len(tasks), spent_usd=_spent(records, earlier, _begun(known)))
        pace = Pace(limits.per_minute, world.clocks)
        session = Session(
            *(job, store, journal, limits, world, tally, watch, known, earlier, probes),
            pace,
        )
        # a kill may have left replies in the journal that the artifact lacks
        session.fold()
        try:
            yield session
        finally:
            session.fold()


def _config(job: Job) -> dict[str, Any]:
    return job.seat.config(prompt_sha256(job.track))


def _begun(known: Mapping[str, History]) -> set[str]:
    return {key for key, one in known.items() if one.turns or one.forced_at}


def _deciding(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what decides answers: a service may move to another address."""
    return {name: value for name, value in config.items() if name != "base"}


def _spent(
    records: Iterable[Record],
    earlier: Mapping[str, Any],
    known: Collection[str],
) -> Decimal:
    costs = [record.get("cost_usd") for record in records]
    costs += [
        part_of(one, "usage").get("cost_usd")
        for task_id, one in earlier.items()
        if task_id not in known
    ]
    return sum((Decimal(cost) for cost in costs if cost is not None), Decimal(0))
