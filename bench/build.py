"""What building the hotel instrument costs for a release of 28 models.

Simulated at the published size: 28 models, 3,600 tasks, each in two orders. Loading is
not in the clock. Seconds depend on the machine and on what else it does; the CPU time
says how much of them was ours.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SHOPPERS, TASKS = 28, 3600
SECONDS_AT_MOST, GIGABYTES_AT_MOST = 120, 2.0
# of ru_maxrss: kilobytes, and bytes on macOS
_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024


def run(threads: tuple[str, ...]) -> dict[str, Any]:
    """Simulate a release, build it once and measure the build.

    Parameters
    ----------
    threads
        Environment variables that hold libraries to one thread; a build is free of
        them.

    Returns
    -------
    dict
        Wall and CPU seconds, largest memory, both limits and whether they were kept.

    Raises
    ------
    RuntimeError
        The simulation or the build failed.
    """
    environment = {
        name: value for name, value in os.environ.items() if name not in threads
    }
    with tempfile.TemporaryDirectory() as folder:
        warehouse = ["--warehouse", str(Path(folder) / "release.duckdb")]
        size = ["--shoppers", str(SHOPPERS), "--tasks", str(TASKS)]
        print(f"bench: build of {SHOPPERS} models", file=sys.stderr)
        _measure(["simulate", "hotel", *size, *warehouse], environment)
        return _measure(["build", *warehouse], environment) | {
            "models": SHOPPERS,
            "answers_per_model": 2 * TASKS,
        }


def _measure(verb: list[str], environment: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "pricebench", *verb]
    begun = time.perf_counter()
    child = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begun
    if child.returncode != 0:
        raise RuntimeError(f"pricebench {verb[0]} failed: {said.strip()[-500:]}")
    gigabytes = used.ru_maxrss * _MAXRSS_BYTES / 1e9
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
        "seconds_target": SECONDS_AT_MOST,
        "peak_gigabytes": round(gigabytes, 2),
        "gigabytes_target": GIGABYTES_AT_MOST,
        "met": seconds < SECONDS_AT_MOST and gigabytes < GIGABYTES_AT_MOST,
    }


def is_sound(result: dict[str, Any]) -> bool:
    """Say whether the build stayed below twice its time, and within its memory."""
    return bool(
        result["cpu_seconds"] < 2 * result["seconds_target"]
        and result["peak_gigabytes"] < result["gigabytes_target"]
    )
