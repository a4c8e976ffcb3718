"""Asking a model everything a run asks: bounded, resumed, within a budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ingest.calls import Answer, Question, Settings
from ingest.errors import LoadError
from ingest.journal import Journal, Record, last_by
from ingest.pace import Clocks, Pace
from ingest.response_cache import ResponseCache, cache_key

FAILED = "failed"


class Asker(Protocol):
    """Whoever answers questions: ``ingest.llm.Model``, or a script in its place."""

    @property
    def settings(self) -> Settings:
        """As wanted."""

    async def ask(self, question: Question) -> Answer:
        """Ask once, as ``ingest.llm.Model.ask`` does."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a run.

    Attributes
    ----------
    key
        What tells it apart within the run, in the fields that the journal has for it:
        task, ordering and repeat, say.
    question
        What is asked.
    model
        Who is asked, where the calls of a run go to several; None: the run's model.
    """

    key: Mapping[str, Any]
    question: Question
    model: Asker | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """How fast and how far a run may go.

    Attributes
    ----------
    concurrency
        Calls in flight, 1 or more.
    per_minute
        Calls begun in a minute; None: as many as the concurrency gives.
    max_usd
        No call begins once this is spent, earlier sessions of the run included; the
        calls in flight then may still add to it.
    """

    concurrency: int = 8
    per_minute: float | None = None
    max_usd: float | None = None


@dataclass(slots=True)
class Tally:
    """Where a run stands.

    Attributes
    ----------
    wanted, done_before
        Calls of the run, and those that an earlier session answered.
    asked
        Calls that this session ended; ``failed`` and ``states`` are among them.
    cached
        Those of them that the cache of replies answered.
    states
        Reply state -> calls of this session.
    errors
        Kind of error, of ``ingest.call_faults.ERROR_KINDS`` -> failed calls of this
        session; their sum is ``failed``.
    spent_usd, session_usd
        Of the whole run, earlier sessions included, and of this session, where a cost
        is known; what the cache answered costs nothing anew.
    unpriced
        Calls of this session whose cost nobody knows.
    stopped
        Why the run ended early; None: it did not.
    """

    wanted: int
    done_before: int = 0
    asked: int = 0
    cached: int = 0
    states: dict[str, int] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    spent_usd: float = 0.0
    session_usd: float = 0.0
    unpriced: int = 0
    not_accepted: tuple[str, ...] = ()
    latency_s: list[float] = field(default_factory=list)
    stopped: str | None = None

    @property
    def failed(self) -> int:
        """Return how many calls of this session brought no reply."""
        return self.states.get(FAILED, 0)

    @property
    def left(self) -> int:
        """Return how many calls the run still lacks, failed ones included."""
        return self.wanted - self.done_before - self.asked + self.failed


# what an instrument makes of a reply: reply_state and whatever it reads
ReadReply = Callable[[Call, str], Mapping[str, Any]]
Watch = Callable[[Tally], None]


def open_calls(
    calls: Iterable[Call], journal: Journal, names: tuple[str, ...]
) -> list[Call]:
    """Return the calls that a journal has no reply to.

    Parameters
    ----------
    calls
        All calls of the run, in the order in which they are asked.
    journal
        What an earlier session did.
    names
        The fields of a call's key.

    Returns
    -------
    list of Call
        Calls without a record and calls whose last one failed.
    """
    last = last_by(journal.found.records, names)
    done = {key for key, (_, record) in last.items() if not is_failed(record)}
    return [call for call in calls if tuple(call.key[n] for n in names) not in done]


def is_failed(record: Record) -> bool:
    """Return whether a record is of a call that brought no reply."""
    return record.get("reply_state") == FAILED


def kind_of(record: Record) -> str:
    """Return the kind of error of a failed call; ``unknown`` where none is named."""
    return str(record.get("error_kind") or "unknown")


def spent_usd(records: Iterable[Record]) -> float:
    """Return what the calls of a journal cost, where that is known.

    Parameters
    ----------
    records
        Its records; what a cache answered cost nothing anew.

    Returns
    -------
    float
        US dollars.
    """
    return sum(
        record.get("cost_usd") or 0.0 for record in records if not record.get("cached")
    )


async def run_calls(
    model: Asker,
    calls: Sequence[Call],
    journal: Journal,
    read: ReadReply,
    *,
    names: tuple[str, ...],
    facts: Mapping[str, Any],
    limits: Limits,
    cache: ResponseCache | None = None,
    watch: Watch = lambda _: None,
    clocks: Clocks | None = None,
) -> Tally:
    """Ask every call that is open and write each to the journal.

    Parameters
    ----------
    model
        Who is asked.
    calls
        All calls of the run.
    journal
        Open; a call counts once it has been synced.
    read
        Reads a reply.
    names
        The fields of a call's key.
    facts
        What every record carries: hashes of bank, prompt and settings.
    limits
        How fast and how far.
    cache
        Replies that were paid for; None: every call is asked.
    watch
        Called after every call.
    clocks
        What it goes by; None: the real ones.

    Returns
    -------
    Tally
        Where the run stands now.

    Raises
    ------
    SetupRefused
        Where the endpoint refuses every call alike; nothing is written for it.
    LoadError
        Where there is a budget and the price of the model is not known, or the journal
        takes no more.
    """
    todo = open_calls(calls, journal, names)
    tally = Tally(len(calls), len(calls) - len(todo))
    tally.spent_usd = spent_usd(record for _, record in journal.found.records)
    pace = Pace(limits.per_minute, clocks or Clocks())
    run = _Run(model, journal, read, facts, limits, cache, watch, tally, pace)
    # the first call alone: it tells a wrong key, and which settings are refused
    await run.work(iter(todo[:1]))
    rest = iter(todo[1:])
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(limits.concurrency, len(todo))):
                group.create_task(run.work(rest))
    except* LoadError as failures:
        # the others were cancelled for it; one line says enough
        raise failures.exceptions[0] from None
    return tally


@dataclass(slots=True)
class _Run:
    model: Asker
    journal: Journal
    read: ReadReply
    facts: Mapping[str, Any]
    limits: Limits
    cache: ResponseCache | None
    watch: Watch
    tally: Tally
    pace: Pace

    async def work(self, calls: Iterable[Call]) -> None:
        """Take one call after the other until there are no more or no money."""
        while self._may_spend():
            call = next(iter(calls), None)
            if call is None:
                return
            asked = call.model or self.model
            answer = await self._ask(asked, call)
            record = self._record(call, answer)
            await self.journal.add(record)
            self._count(answer, record, asked.settings.model)
            self.watch(self.tally)

    async def _ask(self, model: Asker, call: Call) -> Answer:
        if self.cache is None:
            await self.pace.wait()
            return await model.ask(call.question)
        repeat = int(call.key.get("repeat", 0))
        key = cache_key(model.settings, call.question, repeat)
        found = self.cache.find(key)
        if found is not None:
            return found
        await self.pace.wait()
        answer = await model.ask(call.question)
        self.cache.keep(key, answer)
        return answer

    def _may_spend(self) -> bool:
        limit = self.limits.max_usd
        if limit is None or self.tally.spent_usd < limit:
            return True
        self.tally.stopped = f"${limit:g} spent"
        return False

    def _record(self, call: Call, answer: Answer) -> dict[str, Any]:
        if answer.text is None:
            found: Mapping[str, Any] = {"reply_state": FAILED}
        else:
            found = self.read(call, answer.text)
        attempts = [
            {"latency_s": round(one.latency_s, 3), "error": one.error}
            | ({"status": one.status} if one.status is not None else {})
            | ({"error_kind": one.error_kind} if one.error_kind else {})
            for one in answer.attempts
        ]
        return {
            **call.key,
            **self.facts,
            **found,
            "reply": answer.text,
            "error": answer.error,
            "error_kind": answer.error_kind,
            "finish": answer.finish,
            "provider": answer.provider,
            "model_id_served": answer.model_served,
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "reasoning_tokens": answer.reasoning_tokens,
            "cost_usd": answer.cost_usd,
            "cost_source": answer.cost_source,
            "first_tokens": answer.first_tokens,
            "latency_s": round(answer.latency_s, 3),
            "attempts": attempts,
            "not_accepted": list(answer.not_accepted),
            "cached": answer.cached,
            "asked_at": self.pace.clocks.now().isoformat(timespec="seconds"),
        }

    def _count(self, answer: Answer, record: Record, model: str) -> None:
        tally, state = self.tally, str(record["reply_state"])
        tally.asked += 1
        tally.states[state] = tally.states.get(state, 0) + 1
        tally.not_accepted = answer.not_accepted
        if answer.cached:
            tally.cached += 1
            return
        if state == FAILED:
            kind = kind_of(record)
            tally.errors[kind] = tally.errors.get(kind, 0) + 1
            return
        tally.latency_s.append(answer.latency_s)
        if answer.cost_usd is not None:
            tally.spent_usd += answer.cost_usd
            tally.session_usd += answer.cost_usd
            return
        tally.unpriced += 1
        if self.limits.max_usd is not None:
            raise LoadError(
                f"nobody knows what {model} costs, so "
                f"${self.limits.max_usd:g} cannot be kept to; give its --price or "
                "leave --max-usd out"
            )
