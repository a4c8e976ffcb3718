"""The verb that lets a person settle what machines cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pricebench.cli_options import Debug
from pricebench.review.wish import DEFAULT_PORT, DEFAULT_SEED, Wish


def review(
    run: Annotated[
        Path | None,
        typer.Argument(
            help="The run folder; by default runs/$PRICEBENCH_DIR.", metavar="[RUN]"
        ),
    ] = None,
    references: Annotated[
        bool,
        typer.Option(
            "--references", help="Settle shipping and packs of the products first."
        ),
    ] = False,
    write: Annotated[
        bool,
        typer.Option("--write", help="Write verify_<track>.html and serve nothing."),
    ] = False,
    sample: Annotated[
        str | None,
        typer.Option(
            help="Draw so many candidates at random too, at least 30 of each panel "
            "verdict, to learn how often the panel errs.",
            metavar="SHARE",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of that draw.", min=0)] = DEFAULT_SEED,
    second: Annotated[
        bool,
        typer.Option("--second", help="Rule as a second reviewer, who sees no ruling."),
    ] = False,
    agreement: Annotated[
        bool,
        typer.Option("--agreement", help="Print how far two reviewers agree."),
    ] = False,
    port: Annotated[
        int, typer.Option(help="Where to serve on 127.0.0.1.", min=1, max=65535)
    ] = DEFAULT_PORT,
    debug: Debug = False,
) -> None:
    """Rule on candidates of a search run in a browser.

    The address appears once the run is scored, after half a minute; the page is served
    to this machine alone until ctrl-C. Every ruling is written to
    verify_labels_<track>.json at once; `pricebench report search` counts them.
    """
    from pricebench.review.serve import review as serve
    from pricebench.review.serve import show_agreement

    if agreement:
        show_agreement(run)
        return
    serve(run, Wish(references, write, sample, seed, second, port))
