"""Work in other processes: a job for each model, or one aside, with results in order.

Processes and not threads, since most of the work holds the interpreter's lock.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.resource_tracker import ensure_running
from threading import Lock, Thread
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


class WorkerKilled(RuntimeError):
    """A worker process ended before its job did."""

    def __init__(self) -> None:
        super().__init__(
            "a worker process was killed, perhaps for lack of memory: run it again"
        )


def cores() -> int:
    """Return how many cores this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_workers(
    function: Callable[[Job], Result], jobs: Iterable[Job], workers: int
) -> Iterator[Result]:
    """Apply a function to each job, in several processes at once.

    Parameters
    ----------
    function
        A function of a module, which other processes can import.
    jobs
        Taken a few at a time, so that a generator keeps few in memory.
    workers
        Processes, kept for later calls; 1 or fewer: none, the jobs are done here. A
        script that asks for more must guard its own start by ``__name__``.

    Yields
    ------
    object
        One result for each job, in the order of the jobs, the same whatever the number
        of workers.

    Raises
    ------
    Exception
        What the function raised on a job; ``WorkerKilled`` where a worker was.
    """
    if workers <= 1:
        yield from map(function, jobs)
        return
    queue = iter(jobs)
    ahead: deque[Future[Result]] = deque()
    with _uninterrupted():
        pool = _pool(workers)
    with _replaced_when_killed(pool):
        with _uninterrupted():
            ahead.extend(
                pool.submit(function, job) for job in islice(queue, workers + 1)
            )
        while ahead:
            result = ahead.popleft().result()
            ahead.extend(pool.submit(function, job) for job in islice(queue, 1))
            yield result


def start_aside(function: Callable[[Job], Result], job: Job) -> Callable[[], Result]:
    """Start a job in the one process kept for such jobs, which does them in turn.

    Parameters
    ----------
    function
        A function of a module, which other processes can import. A script that starts
        one must guard its own start by ``__name__``.
    job
        Its argument, which can be pickled.

    Returns
    -------
    callable
        Waits for the result and returns it, or raises what the function raised;
        ``WorkerKilled`` where the process was.

    Raises
    ------
    WorkerKilled
        The process was killed before the job reached it.
    """
    with _uninterrupted():
        pool = _pool(1)
        with _replaced_when_killed(pool):
            future = pool.submit(function, job)

    def wait() -> Result:
        with _replaced_when_killed(pool):
            return future.result()

    return wait


@contextmanager
def _replaced_when_killed(pool: ProcessPoolExecutor) -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool as error:
        for workers in [n for n, kept in _pools.items() if kept is pool]:
            del _pools[workers]
        raise WorkerKilled from error


@contextmanager
def _uninterrupted() -> Iterator[None]:
    # a process that is started in here is deaf to ctrl-C from its first moment; the
    # library's own helper process lets the signal through again as it starts
    ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_pools: dict[int, ProcessPoolExecutor] = {}
_opening = Lock()


def _pool(workers: int) -> ProcessPoolExecutor:
    with _opening:
        if workers not in _pools:
            # a fork would copy the locks of threads that it does not copy
            _pools[workers] = ProcessPoolExecutor(
                workers, mp_context=get_context("spawn"), initializer=_begin
            )
        return _pools[workers]


def _begin() -> None:
    # ctrl-C is heeded by the parent, which no worker outlives
    Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)
