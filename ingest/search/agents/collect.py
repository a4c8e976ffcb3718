"""Asking an agent for many products: bounded, resumed, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingest.errors import LoadError
from ingest.run_calls import Limits
from ingest.search.agents.adapter import Task
from ingest.search.agents.adapters import BATCHED, make_adapter
from ingest.search.agents.ask import Job
from ingest.search.agents.batch import run_batches
from ingest.search.agents.probe import probe_latency
from ingest.search.agents.seats import Seat
from ingest.search.agents.session import Tally, Watch, World, open_session
from ingest.search.agents.workers import work_through
from ingest.search.audit.references import open_parts
from ingest.search.run_store import RunStore


async def run_agent(
    store: RunStore,
    seat: Seat,
    track: str,
    tasks: Sequence[Task],
    *,
    limits: Limits,
    world: World | None = None,
    force: bool = False,
    latency_probe: int = 0,
    watch: Watch = lambda _: None,
) -> Tally:
    """Ask an agent for products and write its raw artifact (search.md 5).

    Parameters
    ----------
    store
        The run folder.
    seat
        Who is asked.
    track
        exact or equiv.
    tasks
        Records of ``tasks.json`` in scope. Those that have an answer, whatever it
        says, are not asked again.
    limits
        How fast and how far.
    world
        Clients and clocks; None: the real ones.
    force
        Ask those that have an answer again, which their entries then say.
    latency_probe
        So many products are asked once more, one by one, for the time it takes: what
        an agent of batches has to show for its latency.
    watch
        Called after every product.

    Returns
    -------
    Tally
        Where the agent stands now.

    Raises
    ------
    SetupRefused
        Where every call is refused alike.
    LoadError
        Where a product is not ready, the artifact or journal is of other settings or
        another run, there is a budget and no price, or the disk takes no more.
    """
    refuse_open(tasks)
    job = Job(seat, make_adapter(seat), track, store.tasks.protocol)
    with open_session(store, job, tasks, limits, world or World(), watch) as session:
        todo = [one for one in tasks if force or not session.is_done(one)]
        session.tally.done_before = len(tasks) - len(todo)
        if seat.adapter == BATCHED:
            await run_batches(session, todo, force)
        else:
            await work_through(session, todo, force)
        await probe_latency(session, tasks[:latency_probe])
        return session.tally


def refuse_open(tasks: Iterable[Task]) -> None:
    """Refuse products that are not settled, naming every one (search.md 1.4, 4.6).

    Parameters
    ----------
    tasks
        Records of ``tasks.json``.

    Raises
    ------
    LoadError
        Where shipping is not known, or nobody confirmed an ambiguous pack.
    """
    parts = {str(task["task_id"]): open_parts(task) for task in tasks}
    told = [
        f"{what} of {', '.join(ids)}"
        for part, what in (("shipping", "shipping"), ("pack", "the pack"))
        if (ids := [one for one, left in parts.items() if part in left])
    ]
    if told:
        raise LoadError(
            f"{' and '.join(told)} not settled; run `pricebench run search shipping` "
            "and `pricebench review --references` first"
        )
