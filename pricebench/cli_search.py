"""The verbs of the search instrument."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pricebench.cli_options import Debug, Warehouse
from pricebench.paths import DEFAULT_WAREHOUSE


def load_search(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="A run folder, a .zip or .tar.gz, or the https address of one.",
            metavar="RUN_FOLDER...",
        ),
    ],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace newer files loaded before.")
    ] = False,
    allow_mixed: Annotated[
        bool,
        typer.Option(
            "--allow-mixed", help="Load artifacts of other rules or another bank too."
        ),
    ] = False,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Load search runs.

    A run loads at any stage, and what is missing is said. A newer artifact takes the
    place of an older one; loading twice changes nothing.
    """
    from pricebench.load import load_search_sources

    load_search_sources(warehouse, sources, replace=replace, allow_mixed=allow_mixed)


def simulate_search(
    seed: Annotated[
        int | None, typer.Option(help="Seed of every draw.", min=0, max=10**9)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the run folder here too.", metavar="FOLDER"),
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Load a simulated search run.

    Five agents with known habits look for ten fictitious products; the run folder holds
    every artifact: products, answers, candidates, votes, checks, rulings, images.
    """
    from pricebench.load import load_search_simulation
    from pricebench.paths import refuse_as_output

    if out is not None:
        refuse_as_output(out, warehouse)
    load_search_simulation(warehouse, seed=seed, out=out)
