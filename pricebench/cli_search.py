"""The verbs of the search instrument."""

from __future__ import annotations

from enum import StrEnum
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
        typer.Option(
            help="Write the run folder here too, with its summaries: half a minute.",
            metavar="FOLDER",
        ),
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Load a simulated search run.

    Five agents with known habits look for ten fictitious products; the run folder holds
    every artifact: products, answers, candidates, votes, checks, rulings, images,
    summaries.
    """
    from pricebench.load import load_search_simulation
    from pricebench.paths import refuse_as_output

    if out is not None:
        refuse_as_output(out, warehouse)
    load_search_simulation(warehouse, seed=seed, out=out)


class Tracks(StrEnum):
    """Which tracks are reported."""

    exact = "exact"
    equiv = "equiv"
    both = "both"


report_app = typer.Typer(
    help="Rebuild the summaries of a run from its artifacts.", no_args_is_help=True
)


@report_app.callback()
def _reports() -> None:
    """Rebuild the summaries of a run from its artifacts."""


@report_app.command(
    "search", epilog="Example: pricebench report search runs/run1 --prime --check"
)
def report_search(
    run: Annotated[
        Path | None,
        typer.Argument(
            help="The run folder; by default runs/$PRICEBENCH_DIR.", metavar="[RUN]"
        ),
    ] = None,
    track: Annotated[Tracks, typer.Option(help="Which track.")] = Tracks.both,
    prime: Annotated[
        bool, typer.Option("--prime", help="Amazon's shipping at 0 too.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Write nothing; compare with the stored summaries."
        ),
    ] = False,
    debug: Debug = False,
) -> None:
    """Rebuild the summaries of a search run.

    Everything is read from the run folder anew, rulings included; nothing is asked of
    a network. With --check the first field that differs is named.
    """
    from pricebench.report import report_search as report
    from pricebench.search_run import TRACKS

    tracks = TRACKS if track is Tracks.both else (track.value,)
    report(run, tracks=tracks, prime=prime, check=check)
