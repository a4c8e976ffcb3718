"""The verbs that ask models."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pricebench.run_request import PROTOCOL, Request, asking

run_app = typer.Typer(help="Ask a model, resuming by itself.", rich_markup_mode=None)


@run_app.command(
    "hotel",
    epilog="Example: pricebench run hotel --model openai/gpt-5.4-nano --max-usd 2",
)
@asking
def run_hotel(
    request: Request,
    *,
    variant: Annotated[
        str,
        typer.Option(
            help="Prompt variant: base, json, reorder, persona, cot and more."
        ),
    ] = "base",
    subset: Annotated[
        str | None,
        typer.Option(
            help="r1 or r2 (first draw or two of each pair), or so many tasks.",
            metavar="r1|r2|N",
        ),
    ] = None,
    bank: Annotated[
        Path | None,
        typer.Option(
            help="Tasks to ask about, a file or a release; by default drawn from our "
            "own hotels.",
            metavar="PATH",
        ),
    ] = None,
) -> None:
    """Ask a model the hotel questions, each in both orders.

    Protocol: temperature 0, top_p 1, 16 tokens (variant cot 512, temp07 0.7), once.
    Every reply goes to a journal the moment it arrives: after a stop of any kind the
    same command asks what is still open and nothing twice. At the end the journal is
    loaded; `pricebench build` then scores it.
    """
    from pricebench.run import run_hotel

    run_hotel(request, variant=variant, subset=subset, bank_path=bank)


@run_app.command(
    "purchase",
    epilog="Example: pricebench run purchase --model openai/gpt-5.4-nano --max-usd 2",
)
@asking
def run_purchase(
    request: Request,
    *,
    labels: Annotated[
        str | None,
        typer.Option(
            help="Labels that are shown, of none, A, D and B; by default all.",
            metavar="LABEL,…",
        ),
    ] = None,
    subset: Annotated[
        int | None, typer.Option(help="Ask about the first so many scenarios.")
    ] = None,
) -> None:
    """Ask a model the purchase questions.

    Protocol: reasoning low, the provider's temperature, 8,000 tokens, three times.
    Every reply goes to a journal the moment it arrives: after a stop of any kind the
    same command asks what is still open and nothing twice. At the end the journal is
    loaded; `pricebench build` then scores it.
    """
    from pricebench.run import run_purchase

    run_purchase(request, labels=labels, subset=subset)


@run_app.command(
    "audit",
    epilog="Example: pricebench run audit --model openai/gpt-5.4-nano --max-usd 5",
)
@partial(asking, without=PROTOCOL)
def run_audit(
    request: Request,
    *,
    yes: Annotated[
        bool, typer.Option("--yes", help="Take the price as confirmed.")
    ] = False,
    hotel_subset: Annotated[
        str | None,
        typer.Option(help="As --subset of `run hotel`.", metavar="r1|r2|N"),
    ] = None,
    purchase_subset: Annotated[
        int | None, typer.Option(help="As --subset of `run purchase`.")
    ] = None,
) -> None:
    """Pilot, price, hotel and purchase runs, build, board.

    A pilot of either instrument gives one price, which a person confirms on the
    terminal. Then both runs are asked as their protocols have it, loaded, built and
    shown. --max-usd holds for everything together, pilots and earlier sessions
    included; --pilot ends with the price. After a stop the same command goes on.
    """
    from pricebench.run_audit import run_audit

    run_audit(
        request, yes=yes, hotel_subset=hotel_subset, purchase_subset=purchase_subset
    )
