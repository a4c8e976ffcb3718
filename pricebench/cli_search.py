"""The verbs of the search instrument."""

from __future__ import annotations

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
