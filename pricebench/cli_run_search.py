"""The verbs that make a search run, phase by phase."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pricebench.cli_options import Debug
from pricebench.cli_search import Tracks

run_search_app = typer.Typer(
    help="Make a search run: source, shipping, agents, judge, audit, in this order.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


Run = Annotated[
    Path | None,
    typer.Argument(
        help="The run folder; by default runs/$PRICEBENCH_DIR.", metavar="[RUN]"
    ),
]
World = Annotated[
    str | None,
    typer.Option(
        help="Address of the offline world (`pricebench simulate serve`), which then "
        "stands for the internet.",
        metavar="URL",
    ),
]
Systems = Annotated[
    str | None, typer.Option(help="Agents with commas between.", metavar="A,B")
]
First = Annotated[int | None, typer.Option(help="The first so many products.")]
Places = Annotated[
    str | None,
    typer.Option("--range", help="Products A to B by position.", metavar="A-B"),
]
Only = Annotated[
    str | None,
    typer.Option(help="Labels or ids of products, commas between.", metavar="LABEL"),
]
Track = Annotated[Tracks, typer.Option(help="Which track.")]
MaxUsd = Annotated[
    float | None,
    typer.Option(help="Begin no call once this much was spent.", min=0.0),
]
Concurrency = Annotated[int, typer.Option(help="Calls in flight.", min=1)]
PerMinute = Annotated[
    float | None, typer.Option(help="Calls begun in a minute, at most.", min=0.01)
]


@run_search_app.command(
    "source", epilog="Example: pricebench run search source runs/run1 --by ada"
)
def run_source(
    run: Run = None,
    first: Annotated[
        int | None, typer.Option(help="Stop after so many cells.", min=1)
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Who saved pages and answered filters.")
    ] = None,
    second_pass: Annotated[
        bool,
        typer.Option(
            "--second-pass", help="Walk the ranks between, where none is left."
        ),
    ] = False,
    skip_refused: Annotated[
        bool,
        typer.Option(
            "--skip-refused", help="Pass over a product whose page nobody gets."
        ),
    ] = False,
    world: World = None,
    debug: Debug = False,
) -> None:
    """Fill the grid with products from ranked lists.

    The grid is `pricebench bank search --out RUN`; every third item of a list is looked
    at, and what was passed over stands in sourcing_log.json with its reason.
    """
    from ingest.search.scope import Scope
    from pricebench.run_search import Job, source
    from pricebench.search_run import run_folder

    job = Job(run_folder(run, holds="cells.json"), Scope(), world)
    source(
        job,
        first=first,
        by=by,
        second_pass=second_pass,
        skip_refused=skip_refused,
    )


@run_search_app.command(
    "shipping", epilog="Example: pricebench run search shipping runs/run1"
)
def run_shipping(
    run: Run = None,
    policy: Annotated[
        Path | None,
        typer.Option(help="Shipping policy to lock into the run.", metavar="CSV"),
    ] = None,
    first: First = None,
    places: Places = None,
    only: Only = None,
    world: World = None,
    debug: Debug = False,
) -> None:
    """Settle shipping and packs of the references.

    First by the locked policy table, then by the page, then by a person with
    `pricebench review RUN --references`. Agents are refused until all is settled.
    """
    from ingest.search.scope import read_scope
    from pricebench.run_search import Job, shipping
    from pricebench.search_run import run_folder

    scope = read_scope(first=first, places=places, only=only)
    shipping(Job(run_folder(run), scope, world), policy=policy)


@run_search_app.command(
    "agents",
    epilog="Example: pricebench run search agents runs/run1 --systems gpt --max-usd 20",
)
def run_agents(
    run: Run = None,
    seats: Annotated[
        Path | None,
        typer.Option(
            help="YAML that replaces or adds seats; by default the published five.",
            metavar="FILE",
        ),
    ] = None,
    systems: Systems = None,
    first: First = None,
    places: Places = None,
    only: Only = None,
    track: Track = Tracks.both,
    max_usd: MaxUsd = None,
    concurrency: Concurrency = 4,
    per_minute: PerMinute = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Ask again where an answer stands; recorded."),
    ] = False,
    latency_probe: Annotated[
        int,
        typer.Option(
            help="Ask a batched agent about so many products once more, one by one, "
            "for its latency.",
            min=0,
        ),
    ] = 0,
    world: World = None,
    debug: Debug = False,
) -> None:
    """Ask agents for cheaper ways to buy each product.

    --max-usd, --concurrency and --per-minute hold for each agent on each track. Every
    reply stands in a journal the moment it arrives; the same command goes on.
    """
    from ingest.run_calls import Limits
    from ingest.search.scope import read_scope
    from pricebench.run_search import Job, agents
    from pricebench.search_run import run_folder

    scope = read_scope(
        systems=systems, first=first, places=places, only=only, track=track.value
    )
    limits = Limits(concurrency, per_minute, max_usd)
    job = Job(run_folder(run), scope, world)
    agents(job, seats=seats, limits=limits, force=force, latency_probe=latency_probe)


@run_search_app.command(
    "judge", epilog="Example: pricebench run search judge runs/run1 --max-usd 20"
)
def run_judge(
    run: Run = None,
    judges: Annotated[
        str | None,
        typer.Option(
            help="Models of different labs, commas between; by default the published "
            "three.",
            metavar="IDS",
        ),
    ] = None,
    api_base: Annotated[
        str | None,
        typer.Option(
            help="An OpenAI-compatible endpoint for all of them.", metavar="URL"
        ),
    ] = None,
    seed: Annotated[
        str, typer.Option(help="Of the order in which candidates are shown.")
    ] = "0",
    systems: Systems = None,
    first: First = None,
    places: Places = None,
    only: Only = None,
    track: Track = Tracks.both,
    max_usd: MaxUsd = None,
    concurrency: Concurrency = 8,
    per_minute: PerMinute = None,
    timeout: Annotated[
        float, typer.Option(help="Seconds to wait for a reply.", min=1.0)
    ] = 600.0,
    world: World = None,
    debug: Debug = False,
) -> None:
    """Have a blind panel judge what agents found.

    Judges see titles, brands, packs and pictures of the pages, never agent, price or
    rank. A page is looked at once, a vote is asked for once, whatever ends the process.
    """
    from ingest.run_calls import Limits
    from ingest.search.scope import read_scope
    from pricebench.run_search import Job, judge
    from pricebench.search_run import run_folder

    scope = read_scope(
        systems=systems, first=first, places=places, only=only, track=track.value
    )
    judge(
        Job(run_folder(run), scope, world),
        judges=judges,
        api_base=api_base,
        seed=seed,
        limits=Limits(concurrency, per_minute, max_usd),
        timeout_s=timeout,
    )


@run_search_app.command(
    "audit", epilog="Example: pricebench run search audit runs/run1 --again"
)
def run_audit(
    run: Run = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Check pages once more that could not be read."),
    ] = False,
    systems: Systems = None,
    first: First = None,
    places: Places = None,
    only: Only = None,
    track: Track = Tracks.both,
    world: World = None,
    debug: Debug = False,
) -> None:
    """Check link, stock, condition, price, pack and shipping of what was found.

    What a machine cannot settle waits for a person: `pricebench review RUN`.
    """
    from ingest.search.scope import read_scope
    from pricebench.run_search import Job, audit
    from pricebench.search_run import run_folder

    scope = read_scope(
        systems=systems, first=first, places=places, only=only, track=track.value
    )
    audit(Job(run_folder(run), scope, world), again=again)
