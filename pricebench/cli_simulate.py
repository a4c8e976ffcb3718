"""The verbs that simulate subjects with known habits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pricebench.cli_options import Debug, Warehouse
from pricebench.paths import DEFAULT_WAREHOUSE

simulate_app = typer.Typer(
    help="Simulate shoppers with known tastes.", rich_markup_mode=None
)


@simulate_app.command(
    "hotel", epilog="Example: pricebench simulate hotel --seed 7 && pricebench build"
)
def simulate_hotel(
    tasks: Annotated[
        int | None, typer.Option(help="Tasks of the bank, each in two orders.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of every draw.")] = None,
    shoppers: Annotated[
        int | None,
        typer.Option(help="That many with random tastes, not the named cast.", min=1),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write release-shaped files here too.", metavar="FOLDER"),
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Load simulated answers.

    Shoppers with known tastes answer a task bank of our own, fictitious hotels.
    """
    from pricebench.load import load_simulation
    from pricebench.paths import refuse_as_output

    if out is not None:
        refuse_as_output(out, warehouse)
    load_simulation(warehouse, tasks=tasks, seed=seed, shoppers=shoppers, out=out)
