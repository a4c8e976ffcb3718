"""Processes that are killed: forked from one parent that has the slow imports done.

So kills meet the run and not its start, and a session costs no start of Python.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random

_WAIT = "wait "


def fork_for_lines(session: Callable[[str], None]) -> None:
    """Fork a session for every line that is read and say its process id.

    For ``wait <id>`` say how that one ended.
    """
    for line in sys.stdin:
        if line.startswith(_WAIT):
            _, status = os.waitpid(int(line.removeprefix(_WAIT)), 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        process = os.fork()
        if process == 0:
            session(line)
            os._exit(0)
        print(process, flush=True)


class Sessions:
    """Sessions of a script that forks for lines."""

    def __init__(self, parent: subprocess.Popen[str]) -> None:
        self._parent = parent

    def tell(self, line: str) -> int:
        self._parent.stdin.write(f"{line}\n")
        self._parent.stdin.flush()
        return int(self._parent.stdout.readline())

    def end(self, process: int) -> int:
        """Wait for a session and return how it ended."""
        return self.tell(f"{_WAIT}{process}")

    def whole(self, line: str) -> int:
        """Run a session to its end."""
        return self.end(self.tell(line))

    def kill(self, line: str, asked: Callable[[], int], rng: Random) -> int:
        """Start a session and kill it at a random moment after it asked something.

        The clock starts with its first question: up to 0.3 seconds.
        """
        before = asked()
        process = self.tell(line)
        deadline = time.monotonic() + 60
        while asked() == before:
            assert time.monotonic() < deadline, "it asks nothing"
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.3))
        os.kill(process, signal.SIGKILL)
        return self.end(process)


@contextmanager
def started(script: str, environment: Mapping[str, str] | None = None) -> Iterator:
    """Start a script of this folder that forks for lines."""
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
    ) as parent:
        yield Sessions(parent)
        parent.stdin.close()
        parent.wait(20)
