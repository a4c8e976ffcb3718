"""The verbs that simulate subjects with known habits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ingest.world.place import DEFAULT_PORT
from pricebench.cli_options import Debug, Warehouse
from pricebench.paths import DEFAULT_WAREHOUSE

simulate_app = typer.Typer(
    help="Simulate shoppers with known tastes, buyers with known habits.",
    rich_markup_mode=None,
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


@simulate_app.command(
    "purchase",
    epilog="Example: pricebench simulate purchase --buyer rational "
    "--buyer arithmetic-slips=0.1 && pricebench build",
)
def simulate_purchase(
    buyers: Annotated[
        list[str] | None,
        typer.Option(
            "--buyer",
            help="One of the cast, with =SHARE where it has one; repeatable. By "
            "default all: rational, always-skip, always-certificate, "
            "arithmetic-slips, badge-swayed, bond-blind, noisy, failing-calls, "
            "spent-budget.",
            metavar="NAME[=SHARE]",
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(help="Scenarios of the bank, each asked 12 times."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of every draw; by default that of the published bank."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the bank and the runs files here too.", metavar="FOLDER"
        ),
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Load simulated decisions.

    Buyers with known habits decide on a bank under every label, three times each. The
    files that --out writes can be loaded with `pricebench load purchase`.
    """
    from pricebench.load import load_purchase_simulation
    from pricebench.paths import refuse_as_output

    if out is not None:
        refuse_as_output(out, warehouse)
    load_purchase_simulation(warehouse, buyers=buyers, size=size, seed=seed, out=out)


@simulate_app.command("serve", epilog="Example: pricebench simulate serve --port 8797")
def simulate_serve(
    port: Annotated[
        int,
        typer.Option(
            help="Where to serve on 127.0.0.1; 0 for a free port.", min=0, max=65535
        ),
    ] = DEFAULT_PORT,
    latency: Annotated[
        float, typer.Option(help="Seconds that a model takes to answer.", min=0.0)
    ] = 0.0,
    files: Annotated[
        Path | None,
        typer.Option(
            help="Write the tables of a search run on it here: retailers, categories, "
            "lists, shipping policy, seats.",
            metavar="FOLDER",
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Serve scripted models, shops and search agents.

    To this machine alone until ctrl-C: an OpenAI-compatible endpoint whose models are
    shoppers with known tastes, buyers with known habits and judges; four small shops;
    and search agents of known skill in the shapes of their providers. A word behind the
    id makes a model misbehave: simulated/balanced+storm.
    """
    from pricebench.world import serve_world

    serve_world(port, latency, files)
