"""The verbs that make task banks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pricebench.bank import Kind
from pricebench.bank_search import GridMethod
from pricebench.cli_options import Debug, Warehouse
from pricebench.paths import DEFAULT_WAREHOUSE

bank_app = typer.Typer(help="Make a task bank.", rich_markup_mode=None)


@bank_app.command(
    "hotel", epilog="Example: pricebench bank hotel --seed 7 --out conjoint_tasks.csv"
)
def bank_hotel(
    kind: Annotated[
        Kind, typer.Option(help="Pairs and triples (conjoint), or quintets (fiveopt).")
    ] = Kind.conjoint,
    seed: Annotated[
        int | None, typer.Option(help="Seed of every draw; the published one if none.")
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(help="Tasks; 3,600 as published (fiveopt: 300) if none."),
    ] = None,
    pool: Annotated[
        Path | None,
        typer.Option(
            help="Hotels to draw from, as hotel_pool.json has them; our own if none.",
            metavar="FILE",
        ),
    ] = None,
    orthogonal: Annotated[
        bool,
        typer.Option(
            "--orthogonal",
            help="Price and review score independent of the stars; says how efficient.",
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write the tasks to this file.", metavar="FILE")
    ] = None,
    latin: Annotated[
        Path | None,
        typer.Option(
            help="Write Latin-square orders of the options to this file.",
            metavar="FILE",
        ),
    ] = None,
    show: Annotated[
        int | None,
        typer.Option(help="Print what models are asked about it.", metavar="TASK"),
    ] = None,
    variant: Annotated[
        str, typer.Option(help="The prompt variant that --show prints.")
    ] = "base",
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Make a bank of hotel tasks.

    The published procedure on any pool of hotels; the sha256 of the task file, alone on
    a line, is the bank's identity.
    """
    from pricebench.bank import make_hotel_bank

    make_hotel_bank(
        warehouse,
        kind,
        seed=seed,
        size=size,
        pool=pool,
        orthogonal=orthogonal,
        out=out,
        latin=latin,
        show=show,
        variant=variant,
    )


@bank_app.command(
    "purchase",
    epilog="Example: pricebench bank purchase --seed 8008 --size 48 --out bank.json",
)
def bank_purchase(
    seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 8008,
    size: Annotated[int, typer.Option(help="Scenarios in it.")] = 48,
    out: Annotated[
        Path | None, typer.Option(help="Write the bank to this file.", metavar="FILE")
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(help="Print what models are asked about it.", metavar="SCENARIO"),
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Make a bank of purchase decisions.

    Its sha256 stands alone on a line. Seed 8008 and size 48 give the published bank.
    """
    from pricebench.bank_purchase import print_bank

    print_bank(warehouse, seed, size, out, show)


@bank_app.command(
    "search",
    epilog="Example: pricebench bank search --size 100 --seed mine --out runs/mine",
)
def bank_search(
    size: Annotated[int, typer.Option(help="Cells: products to be found.")] = 100,
    seed: Annotated[
        str, typer.Option(help="Of the order in which cells are filled; any text.")
    ] = "pricebench-v1",
    grid_method: Annotated[
        GridMethod,
        typer.Option(
            help="Whether shops that sell everything take turns, or one has all its "
            "turns before the next."
        ),
    ] = GridMethod.interleaved,
    retailers: Annotated[
        Path | None,
        typer.Option(help="Retailers with weights; the published ones if none."),
    ] = None,
    categories: Annotated[
        Path | None,
        typer.Option(help="Categories with weights; the published ones if none."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the grid to this run folder.", metavar="FOLDER"),
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Make a grid of retailers and categories for product search.

    The sha256 of the grid stands alone on a line. A grid of another size is another
    bank: quotas are shared out anew.
    """
    from pricebench.bank_search import print_grid

    print_grid(
        warehouse,
        size=size,
        seed=seed,
        method=grid_method,
        retailers=retailers,
        categories=categories,
        out=out,
    )
