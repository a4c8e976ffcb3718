"""What a page shows: facts by a shop's own selectors, and evidence against its data.

Any page's visible price and stock are evidence alone: they can contradict structured
data, never take its place (4.1, 4.5, test 12 of 10.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from ingest.search.pages.facts import DOM, Facts
from ingest.search.pages.host_maps import HostMap
from ingest.search.pages.money import read_amounts, read_free_threshold, read_shipping
from ingest.search.pages.stock import OUT, UNKNOWN, availability, condition, says_gone
from ingest.search.pages.visible import is_aside, visible_text

_MOST_TAGS = 300
_MOST_PRICES = 8
_LONGEST_PRICE, _LONGEST_STOCK = 200, 80
_PRICES = "[class*=price i],[id*=price i],[data-testid*=price i],[itemprop=price]"
_STOCK = (
    "[class*=availab i],[id*=availab i],[class*=stock i],[id*=stock i],[id*=buybox i]"
)
_SHIPPING = "[class*=shipping i],[id*=shipping i],[class*=delivery i],[id*=delivery i]"
_BUTTONS = "button,input[type=submit],[role=button]"
_BUY = re.compile(
    r"\badd to (?:cart|bag|basket|trolley)\b|\bbuy (?:it )?now\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the product's part of a page shows.

    Attributes
    ----------
    title
        Of its first heading.
    prices
        Single prices beside it, with their currencies where these are shown.
    availability
        ``out`` where a disabled button or the words beside it say so; a state in one
        word, where the page shows that; else ``unknown``.
    shipping, free_shipping_threshold
        In the texts about shipping beside it.
    """

    title: str | None = None
    prices: Mapping[Decimal, str | None] = field(default_factory=dict)
    availability: str = UNKNOWN
    shipping: Decimal | None = None
    free_shipping_threshold: Decimal | None = None


def read_dom(
    tree: LexborHTMLParser, maps: Iterable[HostMap], us_page: bool
) -> Facts | None:
    """Return what a page shows where its shop's own selectors point.

    Parameters
    ----------
    tree
        The page.
    maps
        Of its shop.
    us_page
        A bare ``$`` is USD.

    Returns
    -------
    Facts or None
        None where the shop has no selectors.
    """
    selectors = {name: css for one in maps for name, css in one.dom.items()}
    if not selectors:
        return None
    shown = {name: _shown(tree, css) for name, css in selectors.items()}
    price = read_amounts(shown.get("price") or "", us_page)
    usual = read_amounts(shown.get("list_price") or "", us_page)
    stock, state = shown.get("availability"), shown.get("condition")
    shipping = shown.get("shipping") or ""
    listed = price.list_price or usual.price or usual.list_price
    return Facts(
        DOM,
        title=shown.get("title"),
        brand=shown.get("brand"),
        image_url=shown.get("image_url"),
        price=price.price,
        currency=price.currency,
        list_price=listed if listed != price.price else None,
        has_range=price.has_range or price.is_from,
        availability=_stock(stock or ""),
        condition=condition(state) if state else None,
        gtin=shown.get("gtin"),
        mpn=shown.get("mpn"),
        sku=shown.get("sku"),
        size=shown.get("size"),
        color=shown.get("color"),
        shipping=read_shipping(shipping, us_page),
        free_shipping_threshold=read_free_threshold(shipping, us_page),
    )


def read_seen(tree: LexborHTMLParser, us_page: bool) -> Seen:
    """Return what any page shows beside its first heading.

    Parameters
    ----------
    tree
        The page.
    us_page
        A bare ``$`` is USD.

    Returns
    -------
    Seen
        Related products, menus and carts left out as far as their names tell.
    """
    heading = tree.css_first("h1")
    shipping = [visible_text(tag) for tag in _beside(tree, _SHIPPING)]
    short = [one for one in shipping if one and len(one) <= _LONGEST_PRICE]
    charges = (read_shipping(one, us_page) for one in short)
    thresholds = (read_free_threshold(one, us_page) for one in short)
    return Seen(
        title=visible_text(heading) or None if heading is not None else None,
        prices=dict(_prices(tree, us_page)),
        availability=_seen_stock(tree),
        shipping=next((one for one in charges if one is not None), None),
        free_shipping_threshold=next(
            (one for one in thresholds if one is not None), None
        ),
    )


def _shown(tree: LexborHTMLParser, css: str) -> str | None:
    """Return the first text or attribute that is not empty where a selector points."""
    css, _, attribute = css.partition("@")
    try:
        tags = tree.css(css)[:5]
    except (SelectolaxError, ValueError):
        return None
    for tag in tags:
        found = tag.attributes.get(attribute) if attribute else visible_text(tag)
        if found and found.strip():
            return found.strip()
    return None


def _beside(tree: LexborHTMLParser, css: str) -> Iterator[LexborNode]:
    """Yield the outermost tags of a kind that belong to the product's part."""
    taken: set[int] = set()
    for tag in tree.css(css)[:_MOST_TAGS]:
        if not is_aside(tag, taken):
            taken.add(tag.mem_id)
            yield tag


def _prices(
    tree: LexborHTMLParser, us_page: bool
) -> Iterator[tuple[Decimal, str | None]]:
    """Yield single prices that stand after the first heading."""
    is_after, found = False, 0
    taken: set[int] = set()
    for tag in tree.css(f"h1,{_PRICES}")[:_MOST_TAGS]:
        if tag.tag == "h1":
            is_after = True
            continue
        if not is_after or is_aside(tag, taken):
            continue
        shown = visible_text(tag)
        if not shown or len(shown) > _LONGEST_PRICE:
            continue
        taken.add(tag.mem_id)
        read = read_amounts(shown, us_page)
        if read.price is not None:
            yield read.price, read.currency
            found += 1
        if found == _MOST_PRICES:
            return


def _seen_stock(tree: LexborHTMLParser) -> str:
    states = []
    for tag in tree.css(_BUTTONS)[:_MOST_TAGS]:
        attributes = tag.attributes
        label = visible_text(tag) or attributes.get("value") or ""
        is_off = "disabled" in attributes or attributes.get("aria-disabled") == "true"
        if _BUY.search(label) and not is_aside(tag, set()):
            states.append(is_off)
        elif (
            says_gone(label)
            and len(label) <= _LONGEST_STOCK
            and not is_aside(tag, set())
        ):
            states.append(True)
    if states and all(states):
        return OUT
    shown = [visible_text(tag) for tag in _beside(tree, _STOCK)]
    found = [_stock(one) for one in shown if one and len(one) <= _LONGEST_STOCK]
    if OUT in found:
        return OUT
    return next((one for one in found if one != UNKNOWN), UNKNOWN)


def _stock(shown: str) -> str:
    if says_gone(shown):
        return OUT
    return availability(shown.strip(" .!"))
