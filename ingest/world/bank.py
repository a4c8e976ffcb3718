"""A run folder on the catalogue: its products as tasks, ready for agents."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from ingest.errors import LoadError
from ingest.search.example_run import POLICY_COLUMNS, policy_row
from ingest.search.write_artifact import artifact_text, text_sha256, time_text
from ingest.sources import SIMULATED
from ingest.world.catalogue import STORES, Item, catalogue
from ingest.world.shops import shop_page
from ingest.world.truth import landed

RUN_ID = "offline-world"
_TOOL = SIMULATED


def world_bank(at: datetime, products: int | None = None) -> dict[str, bytes]:
    """Return the files of a run whose references are frozen and settled.

    Parameters
    ----------
    at
        When they were frozen, UTC.
    products
        The first so many of the catalogue; None: all 24.

    Returns
    -------
    dict
        Name within the run folder -> content: ``cells.json``, ``tasks.json``, the
        shipping policy and pictures. Every artifact says that it is simulated.

    Raises
    ------
    LoadError
        For more products than there are, or none.
    """
    most = len(catalogue())
    if products is not None and not 1 <= products <= most:
        raise LoadError(f"products: {products}; the world has 1 to {most}")
    items = catalogue()[:products]
    cells = {"n": len(items), "seed": "0", "grid_method": "interleaved"}
    quotas = {
        "retailer": dict(Counter(one.product.retailer for one in items)),
        "category": dict(Counter(one.product.category for one in items)),
    }
    files = {f"images/{_sha256(image)}.jpg": image for image in map(_image, items)}
    texts = {"shipping_policy.csv": policy_csv()}
    records = [
        _cell(item, name) for item, name in zip(items, _names(items), strict=True)
    ]
    body = {**cells, "quotas": quotas, "cells": records}
    texts["cells.json"] = _artifact("cells", body, at, {})
    made_of = {name: text_sha256(text) for name, text in texts.items()}
    tasks = [
        _task(item, cell["cell_id"], at)
        for item, cell in zip(items, records, strict=True)
    ]
    texts["tasks.json"] = _artifact("tasks", {"tasks": tasks}, at, made_of)
    return files | {name: text.encode() for name, text in texts.items()}


def policy_csv() -> str:
    """Return the shipping policy of the shops that have one."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, POLICY_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(policy_row(shop) for shop in STORES if shop.rule)
    return stream.getvalue()


def task_id(item: Item) -> str:
    """Return the id of a product's task."""
    return f"t{item.reference.number:03}"


def _artifact(
    kind: str, body: dict[str, Any], at: datetime, inputs: dict[str, str]
) -> str:
    return artifact_text(
        kind,
        body,
        run_id=RUN_ID,
        at=at,
        inputs=inputs,
        tool_version=_TOOL,
        source=SIMULATED,
    )


def _names(items: Sequence[Item]) -> list[str]:
    counted: Counter[str] = Counter()
    named = []
    for item in items:
        key = f"{item.product.retailer}.{item.product.category}"
        counted[key] += 1
        named.append(f"{key}.{counted[key]:02}")
    return named


def _cell(item: Item, name: str) -> dict[str, Any]:
    reference = item.reference
    return {
        **{"cell_id": name, "position": reference.number - 1, "kind": "locked"},
        **{"retailer": item.product.retailer, "category": item.product.category},
        **{"subcategory": None, "stratum": None, "status": "filled"},
        "source_list": {
            "name": f"best sellers: {item.product.category}",
            "url": f"https://{reference.offer.shop.host}/best/{item.product.category}",
        },
    }


def _task(item: Item, cell_id: str, at: datetime) -> dict[str, Any]:
    reference, product = item.reference, item.product
    offer, paid = reference.offer, landed(reference)
    if paid is None:
        raise ValueError(f"{reference.url}: nobody knows what it costs")
    price, pack = Decimal(offer.price), offer.pack or 1
    picture = _image(item)
    return {
        "task_id": task_id(item),
        "label": f"{task_id(item)}-{product.name.split(' ')[0].lower()}",
        **{"cell_id": cell_id, "position": reference.number - 1},
        **{"retailer": product.retailer, "category": product.category},
        **{"title": reference.title, "brand": product.brand},
        **{"url": reference.url, "url_canonical": reference.url},
        "image": {
            **{"sha256": _sha256(picture), "width": 64, "height": 64},
            "source_url": f"https://{offer.shop.host}/img/{reference.code}.jpg",
        },
        **{"price": offer.price, "currency": "USD", "list_price": None},
        "pack": {
            **{"count": pack, "unit_size": None, "unit": None, "contents": None},
            **{"ambiguous": False, "source": "parser"},
            "evidence": f"title: '{reference.title}'",
        },
        "is_fashion": item.is_fashion,
        **{"condition": "new", "availability": "in_stock"},
        **{"gtin": None, "mpn": None, "sku": None},
        "variant": {"size": None, "color": None},
        "extraction": {
            **{"source": "json-ld", "evidence": None},
            **{"at": time_text(at), "warnings": []},
        },
        "shipping": {
            "amount": str(paid - price - offer.shop.fees(price)),
            "fees": str(offer.shop.fees(price)),
            "source": "policy_table" if offer.shop.rule else "page",
            **{"policy_row": offer.shop.rule, "at": time_text(at), "note": None},
        },
        "landed": str(paid),
        "basis": "per_unit" if pack > 1 else "total",
    }


def _image(item: Item) -> bytes:
    reference = item.reference
    return shop_page(reference.offer.shop.host, f"/img/{reference.code}.jpg").content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
