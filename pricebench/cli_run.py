"""The verbs that ask models."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pricebench.cli_options import Debug, Warehouse
from pricebench.paths import DEFAULT_WAREHOUSE

run_app = typer.Typer(help="Ask a model, resuming by itself.", rich_markup_mode=None)


class Reasoning(StrEnum):
    """How much a model is asked to reason; default sends nothing."""

    none = "none"
    low = "low"
    medium = "medium"
    high = "high"
    default = "default"


@run_app.command(
    "purchase",
    epilog="Example: pricebench run purchase --model openai/gpt-5.4-nano --max-usd 2",
)
def run_purchase(
    model: Annotated[
        str,
        typer.Option(
            help="The model, provider first: openai/gpt-5.4-nano.", metavar="ID"
        ),
    ],
    api_base: Annotated[
        str | None,
        typer.Option(
            help="An OpenAI-compatible endpoint, local servers included; by default "
            "the provider's own.",
            metavar="URL",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bank.", min=0)] = 8008,
    size: Annotated[int, typer.Option(help="Scenarios of the bank.", min=1)] = 48,
    subset: Annotated[
        int | None, typer.Option(help="Ask about the first so many scenarios.")
    ] = None,
    repeats: Annotated[int, typer.Option(help="Times each question is asked.")] = 3,
    temperature: Annotated[
        float | None, typer.Option(help="By default the provider's.", min=0.0)
    ] = None,
    reasoning: Annotated[
        Reasoning, typer.Option(help="Reasoning effort; default sends none.")
    ] = Reasoning.low,
    route: Annotated[
        str | None,
        typer.Option(
            help="For routers: cheapest, or providers in order.", metavar="ROUTE"
        ),
    ] = None,
    max_tokens: Annotated[
        int, typer.Option(help="Limit of a reply in tokens.", min=1)
    ] = 8000,
    price: Annotated[
        str | None,
        typer.Option(
            help="Dollars per million prompt and reply tokens, where the endpoint "
            "states no cost: 0.05,0.40.",
            metavar="IN,OUT",
        ),
    ] = None,
    max_usd: Annotated[
        float | None,
        typer.Option(help="Begin no call once the run has cost this.", min=0.0),
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Calls in flight.", min=1)] = 8,
    per_minute: Annotated[
        float | None, typer.Option(help="Calls begun in a minute, at most.", min=0.01)
    ] = None,
    timeout: Annotated[
        float, typer.Option(help="Seconds to wait for a reply.", min=1.0)
    ] = 600.0,
    pilot: Annotated[
        bool,
        typer.Option(
            "--pilot", help="Ask 16 questions; estimate validity, cost and time."
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked; ask nothing.")
    ] = False,
    out: Annotated[
        Path, typer.Option(help="Folder of the journals.", metavar="FOLDER")
    ] = Path("runs"),
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Ask a model the purchase questions.

    Every reply goes to a journal the moment it arrives: after a stop of any kind the
    same command asks what is still open and nothing twice. At the end the journal is
    loaded; `pricebench build` then scores it.
    """
    from ingest.run_calls import Limits
    from pricebench.run import Request, run_purchase

    run_purchase(
        Request(
            model=model,
            api_base=api_base,
            temperature=temperature,
            reasoning=None if reasoning is Reasoning.default else reasoning.value,
            route=route,
            max_tokens=max_tokens,
            price=price,
            timeout_s=timeout,
            limits=Limits(concurrency, per_minute, max_usd),
            pilot=pilot,
            dry_run=dry_run,
            out=out,
            warehouse=warehouse,
        ),
        seed=seed,
        size=size,
        subset=subset,
        repeats=repeats,
    )
