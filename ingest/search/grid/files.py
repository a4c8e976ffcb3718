"""A grid in its run folder: written once, read by everything that fills it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingest.errors import LoadError
from ingest.parsed_file import FileId, RowError
from ingest.search.artifact import Artifact, FileKind, read_artifact
from ingest.search.grid.cells import (
    CELLS_FILE,
    PLANNED,
    Cell,
    Grid,
    body_sha256,
    grid_text,
)
from ingest.search.grid.config import (
    CATEGORIES_FILE,
    RETAILERS_FILE,
    GridConfig,
    read_config,
)
from ingest.search.read_bank import read_cells
from ingest.sources import COLLECTED
from ingest.whole_file import write_whole

_AGAIN = "make the grid anew with pricebench bank search"


@dataclass(frozen=True, slots=True)
class StoredGrid:
    """A grid as it stands in a run folder.

    Attributes
    ----------
    grid, config
        What it was made to be, and from what.
    states
        Cell -> status, of those that are no longer planned.
    artifact
        The file with its header.
    """

    grid: Grid
    config: GridConfig
    states: Mapping[str, str]
    artifact: Artifact


def write_grid(
    folder: Path,
    config: GridConfig,
    grid: Grid,
    *,
    at: datetime,
    tool_version: str,
    source: str = COLLECTED,
) -> bool:
    """Write a grid and what it was made from into a run folder.

    Parameters
    ----------
    folder
        Made if it is absent; its name is the run's.
    config, grid
        The grid.
    at
        When, UTC.
    tool_version, source
        For the header.

    Returns
    -------
    bool
        False where the folder holds this very grid, which is then left as it stands,
        with all that was found for it.

    Raises
    ------
    LoadError
        Where the folder holds another grid or cannot be written.
    """
    if (folder / CELLS_FILE).exists():
        held = read_grid(folder)
        if held.grid.sha256 == grid.sha256 and held.grid.inputs == grid.inputs:
            return False
        raise LoadError(
            f"{folder} holds another grid ({held.grid.sha256[:12]}): a run keeps its "
            "grid; name another folder"
        )
    text = grid_text(
        grid,
        {},
        run_id=folder.resolve().name,
        created=at,
        updated=at,
        tool_version=tool_version,
        source=source,
    )
    for name, content in config.files.items():
        write_whole(folder / name, content)
    # last, so that a grid that stands has what it was made from
    write_whole(folder / CELLS_FILE, text.encode())
    return True


def read_grid(folder: Path) -> StoredGrid:
    """Read the grid of a run folder.

    Parameters
    ----------
    folder
        A run folder.

    Returns
    -------
    StoredGrid

    Raises
    ------
    LoadError
        Where it has none, or its cells or what it was made from were changed.
    """
    path = folder / CELLS_FILE
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LoadError(f"{folder} holds no {CELLS_FILE}: {_AGAIN}") from error
    artifact = read_artifact(CELLS_FILE, data, FileKind("cells"))
    config = read_config(folder / RETAILERS_FILE, folder / CATEGORIES_FILE)
    for name, sha256 in config.inputs.items():
        if artifact.inputs.get(name) != sha256:
            raise LoadError(
                f"{folder / name} is not what {CELLS_FILE} was made from: put it back, "
                f"or {_AGAIN}"
            )
    grid, states = _grid(artifact)
    return StoredGrid(grid, config, states, artifact)


def _grid(artifact: Artifact) -> tuple[Grid, dict[str, str]]:
    """Return the grid and the states of its cells, by the reader of every run."""
    file = FileId(CELLS_FILE, artifact.sha256)
    read = read_cells(artifact, file, artifact.run_id)
    for one in read.quarantined:
        raise LoadError(f"{CELLS_FILE}: {one.field}: {one.reason}; {_AGAIN}")
    body = artifact.body
    try:
        if body_sha256(body) != body["grid_sha256"]:
            raise RowError("cells", "they are not those of its grid_sha256")
    except (KeyError, RowError) as error:
        raise LoadError(f"{CELLS_FILE} was changed by hand: {_AGAIN}") from error
    rows = read.table.to_pylist()
    names = ("cell_id", "position", "retailer", "kind", "category", "subcategory")
    cells = [Cell(*(row[key] for key in (*names, "stratum"))) for row in rows]
    states = {row["cell_id"]: row["status"] for row in rows}
    grid = Grid(
        body["n"],
        body["seed"],
        body["grid_method"],
        body["quotas"],
        tuple(sorted(cells, key=lambda one: one.position)),
        artifact.inputs,
    )
    kept = {name: state for name, state in states.items() if state != PLANNED}
    return grid, kept
