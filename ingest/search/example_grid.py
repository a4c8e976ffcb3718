"""The made-up grid: cells, the order of products, and how each was come by."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ingest.search.example_pages import Page
from ingest.search.market import PRODUCTS, Product
from ingest.search.write_artifact import time_text

# cells that no product could be found for
UNFILLED = (("longtail", "electronics"), ("amazon", "grocery"))
_KINDS = {"amazon": "generalist", "longtail": "longtail", "petpantry": "locked"}
_EXCLUSIONS = (
    *("X05_OUT_OF_STOCK", "X09_BRAND_SEATED", "X04_NOT_NEW", "X06_PRICE_HIDDEN"),
)
_STEP = 3
_LIST_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the grid.

    Attributes
    ----------
    cell_id, retailer, category
        As in the grid.
    number
        Of the product that fills it, from 1; None for a cell that stays empty.
    position
        Place in the shuffled order, from 0.
    """

    cell_id: str
    retailer: str
    category: str
    number: int | None
    position: int

    @property
    def product(self) -> Product | None:
        """Return the product that fills it."""
        return None if self.number is None else PRODUCTS[self.number - 1]


def cells(seed: str) -> list[Cell]:
    """Return the cells in their shuffled order.

    Parameters
    ----------
    seed
        Of the shuffle.

    Returns
    -------
    list of Cell
        In order of the hash of seed and cell.
    """
    wanted: list[tuple[str, str, int | None]] = [
        (one.retailer, one.category, number) for number, one in enumerate(PRODUCTS, 1)
    ]
    wanted += [(*one, None) for one in UNFILLED]
    counted: dict[tuple[str, str], int] = {}
    named = []
    for retailer, category, number in wanted:
        place = counted[retailer, category] = counted.get((retailer, category), 0) + 1
        named.append((f"{retailer}.{category}.{place:02}", retailer, category, number))
    named.sort(key=lambda one: hashlib.sha256(f"{seed}|{one[0]}".encode()).hexdigest())
    return [Cell(*one, position) for position, one in enumerate(named)]


def cell_record(cell: Cell) -> dict[str, Any]:
    """Return a cell as the grid holds it."""
    longtail = cell.retailer == "longtail"
    return {
        **{"cell_id": cell.cell_id, "position": cell.position},
        **{"retailer": cell.retailer, "kind": _KINDS[cell.retailer]},
        **{"category": cell.category},
        "subcategory": "pet" if cell.category == "other" else None,
        "stratum": ("small", "large")[cell.position % 3 > 0] if longtail else None,
        "source_list": {"name": f"best sellers: {cell.category}", "url": None},
        "status": "unfilled" if cell.number is None else "filled",
    }


def log_record(cell: Cell, page: Page | None, at: datetime) -> dict[str, Any]:
    """Return what the sourcing log holds of a cell.

    Parameters
    ----------
    cell
        The cell.
    page
        The reference page that was chosen; None where the list was exhausted.
    at
        When the list was fetched, UTC.

    Returns
    -------
    dict
        A record with its events.
    """
    host = page.offer.shop.host if page else f"{cell.retailer}.example"
    chosen = _STEP * (1 + cell.position % 3) if page else None
    events: list[dict[str, Any]] = []
    if cell.retailer == "longtail":
        events.append(
            {
                **{"type": "site_walk", "at": time_text(at), "ranking": "made up"},
                "candidates": [
                    {
                        **{"rank": 1, "domain": "cluttered.example"},
                        **{"outcome": "rejected", "filter": "F03", "note": "stalls"},
                    },
                    {"rank": 2, "domain": host, "outcome": "selected"},
                ],
            }
        )
    events.append(
        {
            **{"type": "list_fetch", "at": time_text(at + timedelta(minutes=1))},
            **{"url": f"https://{host}/best/{cell.category}", "fetcher": "http"},
            **{"http_status": 200, "evidence": None, "items_seen": _LIST_LENGTH},
            "order_extractor": {"kind": "selector"},
        }
    )
    items = [_item(rank, chosen, host, page) for rank in range(1, _LIST_LENGTH + 1)]
    events.append({"type": "walk", "items": items})
    return {
        **{"cell_id": cell.cell_id, "events": events},
        "selected": {"url": page.url, "rank": chosen, "walk_pass": 1} if page else None,
        "status": "filled" if page else "unfilled",
    }


def _item(
    rank: int, chosen: int | None, host: str, page: Page | None
) -> dict[str, Any]:
    if page is not None and rank == chosen:
        return {
            **{"rank": rank, "url": page.url, "title": page.title},
            "outcome": "selected",
        }
    item: dict[str, Any] = {
        **{"rank": rank, "url": f"https://{host}/best/{rank}"},
        "title": f"Best seller {rank}",
    }
    if rank % _STEP == 0 and (chosen is None or rank < chosen):
        code = _EXCLUSIONS[rank // _STEP % len(_EXCLUSIONS)]
        item |= {"outcome": "excluded", "code": code}
    return item
