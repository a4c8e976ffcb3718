"""Sides of a measure in processes of their own, and what they ask in another."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def serving(command: Sequence[str], environment: dict[str, str]) -> Iterator[str]:
    """Serve from a process until the block ends.

    Parameters
    ----------
    command
        Of the process; it prints its address first.
    environment
        Of the process.

    Yields
    ------
    str
        The address.

    Raises
    ------
    RuntimeError
        Where it printed none.
    """
    service = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert service.stdout is not None
        address = service.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"bench: {' '.join(command[1:])} does not serve")
        yield address
    finally:
        service.terminate()
        service.wait()


def timed(asking: Iterator[int]) -> dict[str, Any]:
    """Return how many calls a second a side makes, its preparation left out."""
    calls = next(asking)
    began = time.perf_counter()
    for _ in asking:
        pass
    return {"calls_per_second": round(calls / (time.perf_counter() - began), 1)}


def child(
    part: str, side: str, address: str, environment: dict[str, str]
) -> dict[str, Any]:
    """Return what a process of its own measured.

    Parameters
    ----------
    part
        Module of ``bench``.
    side
        What it is to measure.
    address
        Of the endpoint.
    environment
        Of the process.

    Returns
    -------
    dict
        What it printed.

    Raises
    ------
    RuntimeError
        Where it failed.
    """
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{part}", side, address],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"bench: {part}, {side} failed")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured
