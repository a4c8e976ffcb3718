"""What every agent is told: one text per track, the same for all (search.md 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ingest.search.protocol import RULES
from ingest.search.records import part_of
from ingest.search.write_artifact import text_sha256

_TRACK = {
    "exact": (
        "Find the SAME product: same brand and model, same generation, same size or "
        "capacity of one item. {colour} The number of items in a pack may differ. "
        "Accessories, spare parts, refills and bundles with extra goods do not count, "
        "nor do goods locked to another region, voltage or carrier."
    ),
    "equiv": (
        "Find the same product or an EQUIVALENT one, of any brand and model: it does "
        "the same for a US buyer, at a comparable quality, and one item has the same "
        "size or capacity or one that serves as well. The number of items in a pack, "
        "and a colour that does not change its use, may differ. Accessories, spare "
        "parts, refills and bundles with extra goods do not count."
    ),
}
_COLOUR = {
    True: "It is fashion: colour and design must match too.",
    False: "Colour and finish may differ.",
}
_TEXT = """\
A buyer in the United States looks at the product below and wants to pay less for it.
Search the web for product pages where it can be bought for less, right now.

The product
- title: {title}
- brand: {brand}
- page: {url}
- item price: ${price}
- mandatory shipping to the buyer: ${shipping}
- other mandatory fees: ${fees}
- landed cost (all of these together): ${landed}
- items in the pack: {pack_count}
- the picture, if one is attached, shows it

The buyer
- has every order shipped to ZIP code {buyer_zip}
- holds no paid membership

What counts
{track}

Rules
- Give at most {max_listings} listings, and only ones that are cheaper than the product
  above. {compared}
- The cost of a listing is its landed cost: item price plus all shipping and fees that
  this buyer must pay on an order of that listing alone, before sales tax.
- Use standing prices that anybody gets: no coupons, first-order or welcome prices,
  member prices, subscriptions, instalments or trade-ins.
- Each must be new, in stock now, and shipped to the ZIP code above.
- Give the address of the product's own page in the shop: no search page, no page that
  compares prices, no redirect.
- If you find nothing cheaper, an empty list is a right answer.

Answer with one JSON object and nothing else, in this form:
{{"listings": [{{"url": "https://…", "title": "…", "retailer": "…", "seller": null,
"item_price": "0.00", "shipping_price": "0.00", "landed_price": "0.00",
"currency": "USD", "pack_count": 1, "condition": "new", "in_stock": true,
"note": null}}]}}
Prices are US dollars as text with two decimals. "seller" is who sells it where that is
not the shop itself; "pack_count" is the number of items that the price buys.
"""
_COMPARED = {
    "per_unit": (
        "Because the product is a pack of several items, compare the landed cost of "
        "one item: landed cost divided by the number of items."
    ),
    "total": "Compare the landed cost of one order.",
}


def prompt_sha256(track: str) -> str:
    """Return the hash of the text of a track, before a product is filled in."""
    parts = [_TEXT, _TRACK[track], *_COLOUR.values(), *_COMPARED.values()]
    return text_sha256("\n".join(parts))


def prompt(
    task: Mapping[str, Any], track: str, rules: Mapping[str, Any] = RULES
) -> str:
    """Return what an agent is told about a product.

    Parameters
    ----------
    task
        A record of ``tasks.json``.
    track
        exact or equiv.
    rules
        The protocol of the run: ZIP code and number of listings.

    Returns
    -------
    str
        The same for every agent.
    """
    pack, shipping = part_of(task, "pack"), part_of(task, "shipping")
    return _TEXT.format(
        title=_line(task.get("title")),
        brand=_line(task.get("brand")) or "not stated",
        url=task.get("url"),
        price=task.get("price"),
        shipping=shipping.get("amount"),
        fees=shipping.get("fees") or "0.00",
        landed=task.get("landed"),
        pack_count=pack.get("count") or 1,
        buyer_zip=rules["buyer_zip"],
        max_listings=rules["max_listings"],
        track=_TRACK[track].format(colour=_COLOUR[bool(task.get("is_fashion"))]),
        compared=_COMPARED["per_unit" if task.get("basis") == "per_unit" else "total"],
    )


def _line(value: Any) -> str:
    """Return a text of a page as one line, so that it cannot pose as a rule."""
    return " ".join(str(value or "").split())
