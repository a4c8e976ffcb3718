"""The phases of a search run: from what a person typed to the artifacts of the run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pricebench import console
from pricebench.errors import CommandError
from pricebench.run_print import describe_agent
from pricebench.search_run import refuse_real

if TYPE_CHECKING:
    from ingest.run_calls import Limits
    from ingest.search.agents.session import Tally
    from ingest.search.scope import Scope
    from ingest.web import Fetched

Fetch = Callable[[str], Awaitable["Fetched"]]
FIRECRAWL_KEY = "FIRECRAWL_API_KEY"


@dataclass(frozen=True, slots=True)
class Job:
    """What every phase is told.

    Attributes
    ----------
    run
        The run folder.
    scope
        Which agents, products and tracks.
    world
        Address of the offline world, ``http://127.0.0.1:<port>``, which then stands
        for the internet; None: the internet.
    """

    run: Path
    scope: Scope
    world: str | None = None

    def __post_init__(self) -> None:
        """Keep the offline world from answering about real products."""
        if self.world is not None:
            refuse_real(self.run)


def _now() -> datetime:
    return datetime.now(UTC)


@asynccontextmanager
async def _pages(world: str | None) -> AsyncIterator[Fetch]:
    """Get pages from the internet, or from the offline world alone."""
    from ingest.web import fetch, new_client

    if world is None:
        async with new_client() as client:
            yield partial(fetch, client=client)
        return
    from ingest.world import reach

    async with reach.client(world) as client:
        yield partial(fetch, resolve=reach.resolve, allow=reach.ALLOW, client=client)


@asynccontextmanager
async def _renderer(world: str | None) -> AsyncIterator[Fetch | None]:
    key = os.environ.get(FIRECRAWL_KEY, "").strip()
    if not key or world is not None:
        yield None
        return
    import httpx

    from ingest.search.sourcing.firecrawl import firecrawl

    async with httpx.AsyncClient() as client:
        yield firecrawl(key, client)


def source(
    job: Job,
    *,
    first: int | None,
    by: str | None,
    second_pass: bool,
    skip_refused: bool,
) -> None:
    """Fill the cells of a grid with products.

    Parameters
    ----------
    job
        The run; its scope is not looked at, since cells are filled in their order.
    first
        Stop after so many cells.
    by, second_pass, skip_refused
        As in ``ingest.search.sourcing.source.source``.

    Raises
    ------
    CommandError
        Where a person must do something before the next cell.
    LoadError
        For a folder, a table or a page that cannot be used.
    """
    from ingest.search.sourcing.source import source as fill
    from ingest.search.sourcing.visit import Tools

    async def work(say: console.Say) -> Any:
        async with _pages(job.world) as fetch, _renderer(job.world) as render:
            return await fill(
                job.run,
                Tools(fetch, _now, render=render),
                tool_version=version("pricebench"),
                by=by,
                second_pass=second_pass,
                skip_refused=skip_refused,
                first=first,
                is_simulated=job.world is not None,
                say=say,
            )

    with console.progress("sourcing") as say:
        found = asyncio.run(work(say))
    console.emit(
        f"{found.filled} cells filled, {found.planned} planned, "
        f"{len(found.unfilled)} unfilled"
    )
    for cell in found.unfilled:
        console.emit(f"unfilled: {cell}")
    if found.needs:
        for line in found.needs:
            console.emit(f"to do: {line}")
        raise CommandError(
            f"{len(found.needs)} things are a person's to do, listed above; run the "
            "same command again when they are done"
        )
    if found.planned == 0:
        console.note(f"next: pricebench run search shipping {job.run}")


def shipping(job: Job, *, policy: Path | None) -> None:
    """Settle what references cost, by policy table and page.

    Parameters
    ----------
    job
        The run and which products.
    policy
        Table to lock; None: the run's own, else the shipped one.

    Raises
    ------
    CommandError
        Where products are left that a person must settle.
    LoadError
        For artifacts or a table that cannot be used, or a bank that was asked about.
    """
    from ingest.search.audit.references import settle_shipping
    from ingest.search.look import web_look

    async def work(say: console.Say) -> Any:
        async with _pages(job.world) as fetch:
            look = web_look(_now, fetch)
            return await settle_shipping(
                job.run, job.scope, look, clock=_now, table=policy, say=say
            )

    with console.progress("shipping") as say:
        report = asyncio.run(work(say))
    settled = [f"{count} by {name}" for name, count in sorted(report.settled.items())]
    console.emit(f"settled: {', '.join(settled) or 'none'}")
    if report.open_products:
        for line in report.open_products:
            console.emit(f"open: {line}")
        raise CommandError(
            f"{len(report.open_products)} products are not settled; settle them with "
            f"`pricebench review {job.run} --references` and run this again"
        )
    console.note(f"next: pricebench run search agents {job.run} --max-usd …")


def agents(
    job: Job, *, seats: Path | None, limits: Limits, force: bool, latency_probe: int
) -> None:
    """Ask agents for cheaper offers of every product.

    Parameters
    ----------
    job
        The run, which agents, products and tracks.
    seats
        File that replaces or adds seats; None: the published ones.
    limits
        How fast and how far, for each agent and track.
    force
        Ask again where an answer stands, which is recorded.
    latency_probe
        So many products that a batched agent is asked about once more, interactively,
        for its latency alone.

    Raises
    ------
    CommandError
        Where answers are lacking at the end.
    LoadError
        For products that are not settled, a seat or an artifact that cannot be used.
    """
    from ingest.errors import LoadError
    from ingest.search.agents.collect import refuse_open, run_agent
    from ingest.search.agents.seats import load_seats, read_seats
    from ingest.search.audit.references import asked_about
    from ingest.search.run_store import open_store

    known = load_seats(seats)
    if job.world is not None and seats is None:
        from ingest.world.seats import seats_yaml

        known = read_seats(seats_yaml(job.world), "the offline world")
    store = open_store(job.run)
    tasks = asked_about(job.run, job.scope, store.products.values(), console.note)
    refuse_open(tasks)
    problems: list[str] = []
    with console.progress("agents") as say:
        for agent in job.scope.agents(known):
            for track in job.scope.tracks:
                named = f"{agent} {track}"
                watch = partial(_say_tally, say, named)
                asking = run_agent(
                    *(store, known[agent], track, tasks),
                    limits=limits,
                    force=force,
                    latency_probe=latency_probe,
                    watch=watch,
                )
                try:
                    tally = asyncio.run(asking)
                except LoadError as error:
                    # one agent without a key is no reason to ask no other
                    problems.append(f"{named}: {error}")
                    continue
                console.emit(describe_agent(named, tally))
                if tally.left:
                    problems.append(f"{named}: {tally.left} without an answer")
    _require_none(problems)
    console.note(f"next: pricebench run search judge {job.run} --max-usd …")


def _say_tally(say: console.Say, named: str, tally: Tally) -> None:
    say(describe_agent(named, tally))


def judge(
    job: Job,
    *,
    judges: str | None,
    api_base: str | None,
    seed: str,
    limits: Limits,
    timeout_s: float,
) -> None:
    """Pool what agents found, look at each page once and have a panel judge it.

    Parameters
    ----------
    job
        The run, whose finds, which products and tracks.
    judges
        Models with commas between them; None: the published panel.
    api_base
        OpenAI-compatible endpoint of all judges; None: their providers' own.
    seed
        Of the order in which candidates are shown.
    limits
        How fast and how far.
    timeout_s
        Longest wait for one attempt.

    Raises
    ------
    CommandError
        Where votes are lacking at the end.
    LoadError
        For artifacts, a panel or an endpoint that cannot be used.
    """
    from ingest.llm import Model, litellm
    from ingest.search.judges.ask_panel import Panel
    from ingest.search.judges.judge import judge as ask
    from ingest.search.judges.seats import DEFAULT_SEATS, seats_of
    from ingest.search.look import web_look

    if job.world is not None:
        from ingest.world.judges import PANEL

        judges, api_base = judges or PANEL, api_base or f"{job.world}/v1"
    seats = seats_of(judges) if judges else DEFAULT_SEATS
    models = {
        seat.slot: Model(seat.settings(api_base), timeout_s=timeout_s) for seat in seats
    }

    async def work(say: console.Say) -> Any:
        panel = Panel(seats, models, seed, limits)
        async with _pages(job.world) as fetch:
            look = web_look(_now, fetch)
            return await ask(job.run, job.scope, panel, look, clock=_now, say=say)

    with console.progress("judging") as say:
        litellm()  # seconds of import that no time limit should count
        reports = asyncio.run(work(say))
    problems = []
    for one in reports:
        console.emit(
            f"{one.track}: {one.graded} of {one.candidates} candidates graded; "
            f"${one.spent_usd:.4f} spent"
        )
        if one.graded < one.candidates or one.lost:
            why = one.stopped or f"{one.lost} votes lost to faults of transport"
            problems.append(f"{one.track}: the panel is not through ({why})")
    _require_none(problems)
    console.note(f"next: pricebench run search audit {job.run}")


def audit(job: Job, *, again: bool) -> None:
    """Check the page of every candidate.

    Parameters
    ----------
    job
        The run, whose finds, which products and tracks.
    again
        Check pages once more that could not be read.

    Raises
    ------
    LoadError
        For artifacts that cannot be used, or no candidates.
    """
    from ingest.search.audit.audit import audit as check
    from ingest.search.look import web_look

    async def work(say: console.Say) -> Any:
        async with _pages(job.world) as fetch:
            look = web_look(_now, fetch)
            return await check(
                job.run, job.scope, look, clock=_now, again=again, say=say
            )

    with console.progress("auditing") as say:
        reports = asyncio.run(work(say))
    for one in reports:
        states = [f"{count} {name}" for name, count in sorted(one.states.items())]
        line = f"{one.track}: {one.candidates} candidates: {', '.join(states)}"
        if one.late:
            line += f"; {one.late} checked more than 24 h after the freeze"
        console.emit(line)
    console.note(f"next: pricebench review {job.run}, then pricebench load search")


def _require_none(problems: Sequence[str]) -> None:
    if problems:
        raise CommandError(
            f"{'; '.join(problems)}; run the same command again to ask what is open"
        )
