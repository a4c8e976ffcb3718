"""Asking a model: what journal, cache and resuming cost beside bare litellm.

Both sides send the same bodies to the offline world over sockets, 64 in flight: ours
through the runner with its journal and its cache on, the peer in a bare loop of
``litellm.acompletion``. The world has a process of its own, and each side too. A last
process of ours asks 50,000 times, and its memory is read on the way.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.processes import child, serving, timed

CONCURRENCY = 64
CALLS, ROUNDS = 1_500, 3
MEMORY_CALLS = (1_000, 50_000)
LATENCY_S = 0.05
SHARE_TARGET, GROWTH_AT_MOST = 0.85, 1.1
MODEL = "simulated/rational"
_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024


def run(threads: tuple[str, ...]) -> dict[str, Any]:
    """Measure both sides against one world.

    Parameters
    ----------
    threads
        Environment variables that hold libraries to one thread.

    Returns
    -------
    dict
        Best calls per second of each, their share, our peak memory after 1,000 and
        50,000 calls, and whether the targets were kept.
    """
    environment = {**os.environ, **dict.fromkeys(threads, "1")}
    found: dict[str, list[dict[str, Any]]] = {"ours": [], "bare": []}
    with served(environment) as address:
        for _ in range(ROUNDS):
            for side, measured in found.items():
                print(f"bench: runner, {side}", file=sys.stderr)
                measured.append(child("runner", side, address, environment))
        print("bench: runner, memory", file=sys.stderr)
        memory = child("runner", "memory", address, environment)
    ours, bare = (
        max(one["calls_per_second"] for one in measured) for measured in found.values()
    )
    few, many = memory["peak_megabytes"]
    return {
        "concurrency": CONCURRENCY,
        "calls": CALLS,
        "ours_calls_per_second": ours,
        "bare_calls_per_second": bare,
        "share": round(ours / bare, 3),
        "share_target": SHARE_TARGET,
        "memory_calls": MEMORY_CALLS,
        "peak_megabytes": [few, many],
        "growth": round(many / few, 3),
        "growth_target": GROWTH_AT_MOST,
        "met": ours / bare >= SHARE_TARGET and many / few <= GROWTH_AT_MOST,
    }


def is_sound(result: dict[str, Any]) -> bool:
    """Say whether half the target was kept, and memory grew by less than twice."""
    return bool(result["share"] >= result["share_target"] / 2 and result["growth"] < 2)


@contextmanager
def served(environment: dict[str, str]) -> Iterator[str]:
    """Serve the offline world from a process of its own.

    Parameters
    ----------
    environment
        Of the process.

    Yields
    ------
    str
        The address of its endpoint.
    """
    command = [sys.executable, "-m", "pricebench", "simulate", "serve"]
    options = ["--port", "0", "--latency", str(LATENCY_S)]
    with serving([*command, *options], environment) as address:
        yield address


def ours(address: str, calls: int) -> Iterator[int]:
    """Ask through the runner, journal and cache on.

    Parameters
    ----------
    address
        Of the endpoint.
    calls
        How many; a multiple of the questions there are is not needed.

    Yields
    ------
    int
        How many are asked; then, with everything imported and planned, it asks.

    Raises
    ------
    RuntimeError
        Where a call failed.
    """
    from dataclasses import replace

    from ingest.journal import open_journal
    from ingest.llm import Model, litellm
    from ingest.purchase.collect import read_purchase
    from ingest.response_cache import open_cache
    from ingest.run_calls import Limits, run_calls

    plan = _plan(address, calls)
    plan = replace(plan, calls=plan.calls[:calls])
    litellm()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (
            open_journal(folder / "journal.jsonl", plan.header) as journal,
            open_cache(folder / "cache.sqlite") as cache,
        ):
            yield len(plan.calls)
            tally = asyncio.run(
                run_calls(
                    Model(plan.settings),
                    plan.calls,
                    journal,
                    read_purchase,
                    names=plan.names,
                    facts=plan.facts,
                    limits=Limits(concurrency=CONCURRENCY),
                    cache=cache,
                )
            )
    if tally.failed or tally.cached:
        raise RuntimeError(f"{tally.failed} failed, {tally.cached} were cached")


def bare(address: str, calls: int) -> Iterator[int]:
    """Ask with litellm alone, in as many tasks as the runner has.

    Parameters
    ----------
    address
        Of the endpoint.
    calls
        How many.

    Yields
    ------
    int
        How many are asked; then, with everything imported and planned, it asks.
    """
    from ingest.llm import Model, litellm

    plan = _plan(address, calls)
    model, module = Model(plan.settings), litellm()
    bodies = [model.request(one.question) for one in plan.calls[:calls]]

    async def work(left: Iterator[dict[str, Any]]) -> None:
        for body in left:
            await module.acompletion(**body)

    async def ask() -> None:
        left = iter(bodies)
        # the runner's first call is alone too
        await module.acompletion(**next(left))
        await asyncio.gather(*(work(left) for _ in range(CONCURRENCY)))

    yield len(bodies)
    asyncio.run(ask())


def _plan(address: str, calls: int) -> Any:
    from ingest.purchase.collect import plan_purchase, purchase_settings

    settings = purchase_settings(MODEL, api_base=address)
    once = len(plan_purchase(settings, repeats=1).calls)
    return plan_purchase(settings, repeats=-(-calls // once))


def memory(address: str) -> dict[str, Any]:
    """Return our peak memory after few calls, and after many in the same process."""
    peaks = []
    for calls in MEMORY_CALLS:
        timed(ours(address, calls))
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_BYTES
        peaks.append(round(used / 1e6, 1))
    return {"peak_megabytes": peaks}


if __name__ == "__main__":
    if sys.argv[1] == "memory":
        print(json.dumps(memory(sys.argv[2])))
    else:
        sides = {"ours": ours, "bare": bare}
        print(json.dumps(timed(sides[sys.argv[1]](sys.argv[2], CALLS))))
