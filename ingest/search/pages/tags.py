"""Meta tags of a page: Open Graph and ``product:*`` (4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from selectolax.lexbor import LexborHTMLParser

from ingest.search.pages.currency import currency_code
from ingest.search.pages.facts import OPEN_GRAPH, Facts
from ingest.search.pages.money import parse_charge, parse_structured, read_amounts
from ingest.search.pages.stock import UNKNOWN, availability, condition

_MOST = 500
_PRICES = ("product:price:amount", "og:price:amount", "product:price")
_SALE = ("product:sale_price:amount", "product:sale_price")
_CURRENCIES = (
    *("product:price:currency", "og:price:currency", "product:sale_price:currency"),
)

Tags = Mapping[str, Sequence[str]]


def read_tags(tree: LexborHTMLParser) -> dict[str, list[str]]:
    """Return the meta tags of a page that are not empty.

    Parameters
    ----------
    tree
        The page.

    Returns
    -------
    dict of str to list of str
        ``property`` or ``name`` in small letters to contents in order.
    """
    found: dict[str, list[str]] = {}
    for tag in tree.css("meta[property],meta[name]")[:_MOST]:
        attributes = tag.attributes
        name = (attributes.get("property") or attributes.get("name") or "").lower()
        content = (attributes.get("content") or "").strip()
        if name and content:
            found.setdefault(name, []).append(content)
    return found


def read_open_graph(tags: Tags, us_page: bool) -> Facts:
    """Return what meta tags say of a product.

    Parameters
    ----------
    tags
        Of the page.
    us_page
        A bare ``$`` is USD.

    Returns
    -------
    Facts
        Several prices are a range.
    """
    sale = _money(tags, _SALE)
    usual = _money(tags, _PRICES)
    prices = sale or usual
    price = next(iter(prices)) if len(prices) == 1 else None
    stated = _first(tags, *_CURRENCIES)
    written = _first(tags, *(_SALE if sale else _PRICES))
    word = _first(tags, "product:availability", "og:availability", "availability")
    state = _first(tags, "product:condition", "og:condition")
    return Facts(
        OPEN_GRAPH,
        title=_first(tags, "og:title"),
        brand=_first(tags, "product:brand", "og:brand"),
        image_url=_first(tags, "og:image:secure_url", "og:image", "og:image:url"),
        canonical_url=_first(tags, "og:url"),
        price=price,
        currency=currency_code(stated) or read_amounts(written or "", us_page).currency,
        list_price=_list_price(tags, usual if sale else set(), price),
        has_range=len(prices) > 1,
        availability=availability(word) if word else UNKNOWN,
        condition=condition(state) if state else None,
        gtin=_first(tags, "product:gtin", "product:ean", "product:upc", "product:isbn"),
        mpn=_first(tags, "product:mfr_part_no"),
        sku=_first(tags, "product:retailer_item_id", "product:sku"),
        size=_first(tags, "product:size"),
        color=_first(tags, "product:color"),
        shipping=_shipping(tags),
    )


def _first(tags: Tags, *names: str) -> str | None:
    return next((tags[name][0] for name in names if name in tags), None)


def _money(tags: Tags, names: Sequence[str]) -> set[Decimal]:
    """Return the different prices under the first of some names that has one."""
    for name in names:
        found = {
            price for one in tags.get(name, ()) if (price := parse_structured(one))
        }
        if found:
            return found
    return set()


def _list_price(
    tags: Tags, usual: set[Decimal], price: Decimal | None
) -> Decimal | None:
    stated = usual or _money(tags, ("product:original_price:amount",))
    found = next(iter(stated)) if len(stated) == 1 else None
    return found if found != price else None


def _shipping(tags: Tags) -> Decimal | None:
    code = _first(tags, "product:shipping_cost:currency")
    amount = parse_charge(_first(tags, "product:shipping_cost:amount"))
    return amount if code == "USD" else None
