"""Measures everything, prints JSON; ``--check`` fails far below a target.

Run by ``make bench``, which holds every library to one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from typing import Any

import numpy as np

from bench import agents, bootstrap, build, runner, search

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> int:
    """Measure, print JSON, and return the exit code."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail below half a target")
    parts = ("bootstrap", "build", "search", "runner", "agents")
    parser.add_argument("--only", choices=parts, help="one of the five")
    wanted = parser.parse_args()
    loose = [name for name in THREADS if os.environ.get(name) != "1"]
    if loose:
        print(f"bench: {loose[0]} is not 1; run `make bench`", file=sys.stderr)
        return 2
    document: dict[str, Any] = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    sound = True
    if wanted.only in (None, "bootstrap"):
        document["bootstrap"] = bootstrap.run()
        sound = sound and bootstrap.is_sound(document["bootstrap"])
    if wanted.only in (None, "build"):
        document["build"] = build.run(THREADS)
        sound = sound and build.is_sound(document["build"])
    if wanted.only in (None, "search"):
        document["search"] = search.run(THREADS)
        sound = sound and search.is_sound(document["search"])
    if wanted.only in (None, "runner"):
        document["runner"] = runner.run(THREADS)
        sound = sound and runner.is_sound(document["runner"])
    if wanted.only in (None, "agents"):
        document["agents"] = agents.run(THREADS)
        sound = sound and agents.is_sound(document["agents"])
    print(json.dumps(document, indent=2))
    return 0 if sound or not wanted.check else 1


if __name__ == "__main__":
    sys.exit(main())
