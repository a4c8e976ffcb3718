"""Clocks that asking goes by, and the pace at which calls begin."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clocks of a run; tests bring their own.

    Attributes
    ----------
    now
        What the clock on the wall shows, UTC. It may jump, so it dates records and
        decides nothing.
    steady
        Seconds that only go forward; how long anything takes is told by it.
    sleep
        Waits.
    """

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    steady: Callable[[], float] = monotonic
    sleep: Sleep = asyncio.sleep


@dataclass(slots=True)
class Pace:
    """How many calls begin in a minute, over all workers together.

    Attributes
    ----------
    per_minute
        None: as many as there are workers for.
    clocks
        What it goes by.
    """

    per_minute: float | None
    clocks: Clocks
    _next_at: float = float("-inf")

    async def wait(self) -> None:
        """Wait until the next call may begin."""
        if self.per_minute is None:
            return
        now = self.clocks.steady()
        mine = max(now, self._next_at)
        self._next_at = mine + 60.0 / self.per_minute
        await self.clocks.sleep(mine - now)
