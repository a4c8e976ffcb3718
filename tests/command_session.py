"""Commands as they are typed, each in a process of its own, for tests that kill them.

Started as a script it runs the words of every line, a JSON list, as ``pricebench``.
"""

from __future__ import annotations

import json
import os

from sessions import fork_for_lines


def command(line: str) -> None:
    """Run a command and end with its exit code."""
    from pricebench.cli import main

    # standard output tells process ids
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os._exit(main(json.loads(line)))


def preload() -> None:
    """Import what commands would spend their first seconds on."""
    import dlt
    import duckdb

    import ingest.hotel.collect
    import ingest.hotel.release
    import ingest.search.agents.collect
    import pricebench.cli
    import pricebench.run
    import pricebench.run_search
    from ingest.llm import litellm
    from ingest.search.agents.session import certificates

    assert all((dlt, duckdb, ingest, pricebench))
    litellm()
    certificates()


if __name__ == "__main__":
    preload()
    fork_for_lines(command)
