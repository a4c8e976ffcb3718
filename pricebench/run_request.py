"""What a person may tell every run: one declaration for all instruments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from pricebench.cli_options import Debug, Warehouse
from pricebench.paths import DEFAULT_WAREHOUSE


class Reasoning(StrEnum):
    """How much a model is asked to reason; default sends nothing."""

    none = "none"
    low = "low"
    medium = "medium"
    high = "high"
    default = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The options that all instruments share; None leaves what the protocol says."""

    model: Annotated[
        str,
        typer.Option(
            help="The model, provider first: openai/gpt-5.4-nano.", metavar="ID"
        ),
    ]
    api_base: Annotated[
        str | None,
        typer.Option(
            help="An OpenAI-compatible endpoint, local servers included; by default "
            "the provider's own.",
            metavar="URL",
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the bank; by default the published one.", min=0),
    ] = None
    size: Annotated[
        int | None,
        typer.Option(help="Size of the bank; by default the published one.", min=1),
    ] = None
    repeats: Annotated[
        int | None,
        typer.Option(help="Times each question is asked; the protocol's if none."),
    ] = None
    temperature: Annotated[
        float | None, typer.Option(help="The protocol's if none.", min=0.0)
    ] = None
    reasoning: Annotated[
        Reasoning | None,
        typer.Option(help="Effort, the protocol's if none; default sends nothing."),
    ] = None
    route: Annotated[
        str | None,
        typer.Option(
            help="For routers: cheapest, or providers in order.", metavar="ROUTE"
        ),
    ] = None
    max_tokens: Annotated[
        int | None,
        typer.Option(help="Limit of a reply in tokens; the protocol's if none.", min=1),
    ] = None
    price: Annotated[
        str | None,
        typer.Option(
            help="Dollars per million prompt and reply tokens, where the endpoint "
            "states no cost: 0.05,0.40.",
            metavar="IN,OUT",
        ),
    ] = None
    max_usd: Annotated[
        float | None,
        typer.Option(help="Begin no call once the run has cost this.", min=0.0),
    ] = None
    concurrency: Annotated[int, typer.Option(help="Calls in flight.", min=1)] = 8
    per_minute: Annotated[
        float | None, typer.Option(help="Calls begun in a minute, at most.", min=0.01)
    ] = None
    timeout: Annotated[
        float, typer.Option(help="Seconds to wait for a reply.", min=1.0)
    ] = 600.0
    pilot: Annotated[
        bool,
        typer.Option(
            "--pilot", help="Ask 16 questions; estimate validity, cost and time."
        ),
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked; ask nothing.")
    ] = False
    no_cache: Annotated[
        bool,
        typer.Option(
            "--no-cache", help="Ask anew what was asked before with the same settings."
        ),
    ] = False
    out: Annotated[
        Path, typer.Option(help="Folder of the journals.", metavar="FOLDER")
    ] = Path("runs")
    warehouse: Warehouse = DEFAULT_WAREHOUSE
    debug: Debug = False


# what an audit leaves at what the protocols say
PROTOCOL = (*("seed", "size", "repeats", "temperature", "reasoning", "max_tokens"),)


def asking(
    verb: Callable[..., None], without: Collection[str] = ()
) -> Callable[..., None]:
    """Give a verb the shared options beside its own.

    Parameters
    ----------
    verb
        Takes a `Request` first; every other parameter is an option of its own and
        stands behind ``--model``.
    without
        Shared options that it does not have.

    Returns
    -------
    callable
        What typer makes a command of.
    """
    _, *own = inspect.signature(verb, eval_str=True).parameters.values()
    hints = get_type_hints(Request, include_extras=True)
    shared = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
            annotation=hints[one.name],
        )
        for one in fields(Request)
        if one.name not in without
    ]
    names = [one.name for one in shared]

    def command(**typed: Any) -> None:
        request = Request(**{name: typed.pop(name) for name in names})
        verb(request, **typed)

    command.__doc__ = verb.__doc__
    # typer reads parameters off the signature alone
    options = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
    parameters = [shared[0], *options, *shared[1:]]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {}
    return command
