"""Grids of the search instrument, as a person asks for them."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from pricebench import console
from pricebench.errors import CommandError
from pricebench.paths import refuse_as_output

if TYPE_CHECKING:
    from ingest.search.grid.cells import Grid
    from ingest.search.grid.config import GridConfig


class GridMethod(StrEnum):
    """How the categories of shops that sell everything are chosen."""

    interleaved = "interleaved"
    retailer_major = "retailer_major"


def print_grid(
    warehouse: Path,
    *,
    size: int,
    seed: str,
    method: GridMethod,
    retailers: Path | None,
    categories: Path | None,
    out: Path | None,
) -> None:
    """Make a grid and print its hash, alone on a line.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse, which no grid may be written over.
    size, seed, method
        Of the grid.
    retailers, categories : Path or None
        Its configuration; the published weights by default.
    out : Path or None
        The run folder that it is written to.

    Raises
    ------
    CommandError
        For a size that no grid has, or an output that belongs to the warehouse.
    LoadError
        Where the configuration cannot be read, a shop finds no room in its categories,
        or the folder holds another grid or cannot be written.
    """
    from ingest.search.grid.cells import LARGEST, make_grid
    from ingest.search.grid.config import read_config
    from ingest.search.grid.files import write_grid
    from ingest.search.sourcing.tables import ROOM, write_templates

    if not 1 <= size <= LARGEST:
        raise CommandError(
            f"a grid has 1 to {LARGEST:,} cells, not {size:,}: give another --size"
        )
    if out is not None:
        refuse_as_output(out, warehouse)
    config = read_config(retailers, categories)
    grid = make_grid(config, size, seed, method.value)
    if out is None:
        console.note("no file written: name a run folder with --out")
    else:
        new = write_grid(
            *(out, config, grid),
            at=datetime.now(UTC),
            tool_version=version("pricebench"),
            source=_source(config),
        )
        kept = "" if new else " already; what was found for it stays"
        write_templates(out, grid.cells)
        console.note(f"grid of {size:,} cells is in {out}{kept}")
        console.note(f"tables to be filled in before products are sought: {out / ROOM}")
    for line in describe_grid(config, grid):
        console.note(line)
    console.emit(grid.sha256)


def _source(config: GridConfig) -> str:
    """Return ``simulated`` where every shop of a grid is one of the offline world."""
    from ingest.sources import COLLECTED, SIMULATED
    from ingest.world.shops import HOSTS

    is_made_up = all(
        shop.domains and set(shop.domains) <= set(HOSTS) for shop in config.retailers
    )
    return SIMULATED if is_made_up else COLLECTED


def describe_grid(config: GridConfig, grid: Grid) -> list[str]:
    """Return a grid as a table: retailers with any cells, by category.

    Parameters
    ----------
    config : GridConfig
        What it was made from.
    grid : Grid
        The grid.

    Returns
    -------
    list of str
        A heading and a line per retailer, aligned.
    """
    names = [one.name for one in config.categories]
    counted: dict[tuple[str, str], int] = {}
    for cell in grid.cells:
        key = (cell.retailer, cell.category)
        counted[key] = counted.get(key, 0) + 1
    rows = [
        [shop.name, *(str(counted.get((shop.name, name), 0)) for name in names)]
        for shop in config.retailers
        if shop.name in grid.quotas["retailer"]
    ]
    table = [["retailer", *names], *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0])]
            + [text.rjust(w) for text, w in zip(row[1:], widths[1:], strict=True)]
        )
        for row in table
    ]
