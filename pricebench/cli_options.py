"""Options that every verb shares."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pricebench.paths import WAREHOUSE_VARIABLE, absolute_warehouse
from pricebench.render import Format

Warehouse = Annotated[
    Path,
    typer.Option(
        "--warehouse",
        envvar=WAREHOUSE_VARIABLE,
        metavar="PATH",
        help="The warehouse file.",
        callback=absolute_warehouse,
    ),
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show the whole error of a failure.")
]
Shape = Annotated[Format, typer.Option("--format", help="How the result is printed.")]
