"""The offline world in a process of its own: who asks shares no interpreter with it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx


@dataclass(frozen=True)
class Served:
    """A world that is served.

    Attributes
    ----------
    address
        Of the world; ``api_base`` of its models.
    """

    address: str

    @property
    def api_base(self) -> str:
        """Return what ``--api-base`` wants."""
        return f"{self.address}/v1"

    def calls(self) -> dict[str, int]:
        """Return how often each model was asked."""
        return httpx.get(f"{self.address}/calls", timeout=20).json()


@contextmanager
def world_process() -> Iterator[Served]:
    """Serve the world as a person does, on a free port, until the block ends."""
    typed = [sys.executable, "-m", "pricebench", "simulate", "serve", "--port", "0"]
    with subprocess.Popen(
        typed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        try:
            said = running.stdout.readline().strip()
            assert said.endswith("/v1"), "the world is not served"
            yield Served(said.removesuffix("/v1"))
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(20)
