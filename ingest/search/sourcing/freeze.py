"""Freezing a page into a product of the bank (search.md 1.4)."""

from __future__ import annotations

import hashlib
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ingest.search.grid.cells import Cell
from ingest.search.sourcing.visit import SAVED, Shipping
from ingest.search.sourcing.walk import Chosen
from ingest.search.write_artifact import time_text

CENT = Decimal("0.01")
_FASHION = "apparel"
_SAVED_SOURCE = "saved-dom"
_WORDS = 3


def task_record(cell: Cell, chosen: Chosen, number: int) -> dict[str, Any]:
    """Return a product as ``tasks.json`` holds it.

    Parameters
    ----------
    cell
        The cell that it fills.
    chosen
        What the walk gave, with a title, a price and a picture.
    number
        Its place among the products, from 1.

    Returns
    -------
    dict
        Shipping and what follows from it are null where they are not settled. The pack
        is what the parser read; a person confirms ambiguous ones.
    """
    page, visit = chosen.visit.page, chosen.visit
    if page.title is None or page.price is None or visit.picture is None:
        raise ValueError(f"{page.final_url} has no title, price or picture")
    task_id = f"t{number:03}"
    price, picture, pack = cents(page.price), visit.picture, page.pack
    warnings = list(page.warnings)
    if chosen.brand is None:
        warnings.append("brand_missing")
    elif chosen.brand != page.brand:
        warnings.append("brand_from_store")
    return {
        **{"task_id": task_id, "label": f"{task_id}-{_slug(page.title)}"},
        **{"cell_id": cell.cell_id, "position": cell.position},
        **{"retailer": cell.retailer, "category": cell.category},
        **{"title": page.title, "brand": chosen.brand, "url": page.final_url},
        "url_canonical": chosen.url_canonical,
        "image": {
            **{"sha256": picture.sha256, "source_url": page.image_url},
            **{"width": picture.width, "height": picture.height},
        },
        **{"price": str(price), "currency": page.currency},
        "list_price": None if page.list_price is None else str(cents(page.list_price)),
        "pack": {
            **{"count": pack.count, "unit_size": pack.unit_size, "unit": pack.unit},
            **{"contents": pack.contents, "ambiguous": pack.ambiguous},
            **{"evidence": pack.evidence, "source": "parser"},
        },
        "is_fashion": cell.category == _FASHION,
        **{"condition": page.condition, "availability": page.availability},
        **{"gtin": page.gtin, "mpn": page.mpn, "sku": page.sku},
        "variant": {name: page.variant.get(name) for name in ("size", "color")},
        "extraction": {
            "source": _SAVED_SOURCE if visit.fetcher == SAVED else page.source,
            "evidence": hashlib.sha256(visit.html).hexdigest(),
            **{"at": time_text(visit.at), "warnings": warnings},
        },
        **_shipping(price, chosen.shipping, time_text(visit.at)),
        "basis": "per_unit" if pack.count > 1 else "total",
    }


def cents(amount: Decimal) -> Decimal:
    """Return an amount in whole cents, halves up."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def _shipping(price: Decimal, found: Shipping | None, at: str) -> dict[str, Any]:
    names = ("amount", "fees", "source", "policy_row", "at", "note")
    if found is None:
        return {"shipping": dict.fromkeys(names), "landed": None}
    amount, fees = cents(found.amount), cents(found.fees)
    values = (str(amount), str(fees), found.source, found.policy_row, at, found.note)
    return {
        "shipping": dict(zip(names, values, strict=True)),
        "landed": str(price + amount + fees),
    }


def _slug(title: str) -> str:
    words = re.findall(r"[a-z0-9]+", title.lower())[:_WORDS]
    return "-".join(words)[:40] or "product"
