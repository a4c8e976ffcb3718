"""The cells of a grid: their ids, their seeded order and what ``cells.json`` holds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingest.search.grid.config import Category, GridConfig
from ingest.search.grid.fill import METHODS, Matrix, fill_grid, quotas
from ingest.search.grid.long_tail import strata
from ingest.search.grid.quotas import largest_remainder
from ingest.search.write_artifact import artifact_text, time_text
from ingest.sources import COLLECTED

CELLS_FILE = "cells.json"
PLANNED = "planned"
LARGEST = 10_000


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the grid: one product to be found.

    Attributes
    ----------
    cell_id
        ``retailer.category.NN``; never changes.
    position
        Place in the shuffled order, from 0.
    retailer, kind, category, subcategory
        As in the configuration; a sub-category only where the category has some.
    stratum
        ``large`` or ``small`` in the long tail, else None.
    """

    cell_id: str
    position: int
    retailer: str
    kind: str
    category: str
    subcategory: str | None = None
    stratum: str | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid with what it was made from.

    Attributes
    ----------
    size, seed, method
        As asked for.
    quotas
        ``retailer`` and ``category`` -> name -> cells, of those with any.
    cells
        In order of position.
    inputs
        File -> hash, of the configuration.
    """

    size: int
    seed: str
    method: str
    quotas: Mapping[str, Mapping[str, int]]
    cells: tuple[Cell, ...]
    inputs: Mapping[str, str]

    @property
    def sha256(self) -> str:
        """Return the grid's identity: it changes with no clock and no product found."""
        return body_sha256(self.body({}))

    def body(self, states: Mapping[str, str]) -> dict[str, Any]:
        """Return what ``cells.json`` holds beside its header, without the identity.

        Parameters
        ----------
        states
            Cell -> status, of those that are no longer planned.

        Returns
        -------
        dict
        """
        return {
            **{"n": self.size, "seed": self.seed, "grid_method": self.method},
            "quotas": self.quotas,
            "cells": [_record(one, states) for one in self.cells],
        }


def make_grid(
    config: GridConfig, size: int, seed: str, method: str = METHODS[0]
) -> Grid:
    """Return the grid of a size.

    Parameters
    ----------
    config
        Retailers and categories.
    size
        Cells.
    seed
        Of the shuffle.
    method
        How the categories of shops that sell everything are chosen.

    Returns
    -------
    Grid
        The same for the same arguments.

    Raises
    ------
    LoadError
        Where a retailer bound to categories finds no room in them.
    """
    matrix = fill_grid(config, size, method)
    planned = _planned(config, matrix)
    places = {one: place for place, one in enumerate(shuffled(planned, seed))}
    cells = [Cell(name, places[name], *rest) for name, rest in planned.items()]
    shops, kinds = quotas(config, size)
    return Grid(
        size,
        seed,
        method,
        {"retailer": _some(shops), "category": _some(kinds)},
        tuple(sorted(cells, key=lambda one: one.position)),
        config.inputs,
    )


def shuffled(cell_ids: Iterable[str], seed: str) -> list[str]:
    """Return cells in their seeded order (search.md 2.5).

    Parameters
    ----------
    cell_ids
        In any order.
    seed
        Of the shuffle.

    Returns
    -------
    list of str
        By the hash of seed and id, so that a cell that is added moves no two others.
    """
    return sorted(
        cell_ids, key=lambda one: hashlib.sha256(f"{seed}|{one}".encode()).hexdigest()
    )


def grid_text(
    grid: Grid,
    states: Mapping[str, str],
    *,
    run_id: str,
    created: datetime,
    updated: datetime,
    tool_version: str,
    source: str = COLLECTED,
) -> str:
    """Return ``cells.json``.

    Parameters
    ----------
    grid
        The grid.
    states
        Cell -> status, of those that are no longer planned.
    run_id, tool_version, source
        For the header.
    created, updated
        When the grid was made and last changed, UTC.

    Returns
    -------
    str
        The artifact; ``grid_sha256`` is the grid's identity.
    """
    body = {**grid.body(states), "grid_sha256": grid.sha256}
    return artifact_text(
        "cells",
        body,
        run_id=run_id,
        created_at=time_text(created),
        at=updated,
        inputs=grid.inputs,
        tool_version=tool_version,
        source=source,
    )


def body_sha256(body: Mapping[str, Any]) -> str:
    """Return the identity of a grid by what ``cells.json`` holds.

    Parameters
    ----------
    body
        With ``n``, ``seed``, ``grid_method``, ``quotas`` and ``cells``; what else it
        holds, and the status of its cells, does not count.

    Returns
    -------
    str
        SHA-256 of its JSON with sorted keys and the separators ``,`` and ``:``.
    """
    kept = {key: body[key] for key in ("n", "seed", "grid_method", "quotas")}
    kept["cells"] = [
        {key: value for key, value in cell.items() if key != "status"}
        for cell in body["cells"]
    ]
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _some(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


_Rest = tuple[str, str, str, str | None, str | None]
_Key = tuple[str, str, int]


def _planned(config: GridConfig, matrix: Matrix) -> dict[str, _Rest]:
    """Return the cells in canonical order, by id, with what stands beside it."""
    found: dict[str, _Rest] = {}
    strata_of = _strata(config, matrix)
    parts = {one.name: _subcategories(config, one, matrix) for one in config.categories}
    for shop in config.retailers:
        for category, count in matrix[shop.name].items():
            for number in range(1, count + 1):
                key = (shop.name, category, number)
                name = f"{shop.name}.{category}.{number:02}"
                part = parts[category].get(key)
                stratum = strata_of.get(key)
                found[name] = (shop.name, shop.kind, category, part, stratum)
    return found


def _strata(config: GridConfig, matrix: Matrix) -> dict[_Key, str]:
    tails = [one.name for one in config.retailers if one.kind == "longtail"]
    keys = [
        (tail, category.name, number)
        for category in config.categories
        for tail in tails
        for number in range(1, matrix[tail][category.name] + 1)
    ]
    return dict(zip(keys, strata(len(keys)), strict=True))


def _subcategories(
    config: GridConfig, category: Category, matrix: Matrix
) -> dict[_Key, str]:
    """Return the sub-category of each cell: an even split, largest deficit first."""
    if not category.subcategories:
        return {}
    keys = [
        (shop, (shop.name, category.name, number))
        for shop in config.retailers
        for number in range(1, matrix[shop.name][category.name] + 1)
    ]
    deficit = largest_remainder(dict.fromkeys(category.subcategories, 1), len(keys))
    found = {}
    for shop, key in keys:
        bound = dict(shop.allowed).get(category.name)
        if bound is not None:
            deficit[bound] -= 1
            found[key] = bound
    for _, key in keys:
        if key not in found:
            found[key] = max(deficit, key=deficit.__getitem__)
            deficit[found[key]] -= 1
    return found


def _record(cell: Cell, states: Mapping[str, str]) -> dict[str, Any]:
    return {
        **{"cell_id": cell.cell_id, "position": cell.position},
        **{"retailer": cell.retailer, "kind": cell.kind, "category": cell.category},
        **{"subcategory": cell.subcategory, "stratum": cell.stratum},
        "source_list": {
            "name": f"best sellers: {cell.subcategory or cell.category}",
            "url": None,
        },
        "status": states.get(cell.cell_id, PLANNED),
    }
