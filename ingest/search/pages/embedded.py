"""State that a page embeds for its scripts, read through the map of its shop (4.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ingest.search.pages.currency import currency_code
from ingest.search.pages.facts import EMBEDDED, Facts
from ingest.search.pages.host_maps import HostMap, Variants
from ingest.search.pages.money import parse_charge, parse_structured
from ingest.search.pages.nodes import text
from ingest.search.pages.same_page import UrlSelection
from ingest.search.pages.stock import IN_STOCK, OUT, UNKNOWN, availability, condition

_DEEPEST = 32


def read_embedded(
    html: str, tree: LexborHTMLParser, maps: Iterable[HostMap], selection: UrlSelection
) -> Facts | None:
    """Return what the state of a page says of its product.

    Parameters
    ----------
    html
        Text of the page.
    tree
        The same, parsed.
    maps
        Of its shop.
    selection
        Addresses of the page.

    Returns
    -------
    Facts or None
        Of the first map that finds a title or a price.
    """
    for one in maps:
        for state in _states(html, tree, one):
            facts = _facts(state, one, selection)
            if facts.title or facts.price or facts.has_range:
                return facts
    return None


def _states(html: str, tree: LexborHTMLParser, one: HostMap) -> Iterator[Any]:
    if one.whole:
        yield from _json(html)
    if one.script:
        for script in tree.css(one.script)[:5]:
            yield from _json(script.text())
    if one.assigned:
        pattern = rf"(?<![\w.$]){re.escape(one.assigned)}\s{{0,9}}=\s{{0,9}}"
        for found in re.finditer(pattern, html):
            yield from _json(html, found.end())


def _json(script: str, start: int = 0) -> Iterator[Any]:
    decoder = json.JSONDecoder(strict=False, parse_float=Decimal)
    place = (
        start
        + len(script[start : start + 99])
        - len(script[start : start + 99].lstrip())
    )
    try:
        yield decoder.raw_decode(script, place)[0]
    except (ValueError, RecursionError, ArithmeticError):
        return


def _facts(state: Any, one: HostMap, selection: UrlSelection) -> Facts:
    values = {name: at(state, path) for name, path in one.fields.items()}
    is_selected, prices = False, set[Decimal]()
    if one.variants is not None:
        members = list(_members(state, one.variants))
        chosen = [own for name, own in members if name in selection.values()]
        is_selected = len(chosen) == 1
        open_now = [own for _, own in members if _stock(own) != OUT]
        counted = chosen or open_now or [own for _, own in members]
        prices = {
            price
            for own in counted
            if (price := _money(own.get("price"), one)) is not None
        }
        if is_selected or len(prices) == 1:
            values |= {name: value for name, value in counted[0].items() if value}
        if is_selected:
            values["availability"] = chosen[0].get("availability")
    has_range = len(prices) > 1
    price = None if has_range else _money(values.get("price"), one)
    list_price = None if has_range else _money(values.get("list_price"), one)
    stated = text(values.get("condition"))
    return Facts(
        EMBEDDED,
        title=text(values.get("title")),
        brand=text(values.get("brand")),
        image_url=text(values.get("image_url")),
        price=price,
        currency=currency_code(text(values.get("currency"))),
        list_price=list_price if list_price != price else None,
        has_range=has_range,
        is_selected=is_selected,
        availability=_stock(values),
        condition=condition(stated) if stated else None,
        gtin=text(values.get("gtin")),
        mpn=text(values.get("mpn")),
        sku=text(values.get("sku")),
        size=text(values.get("size")),
        color=text(values.get("color")),
        shipping=parse_charge(values.get("shipping")),
    )


def at(state: Any, path: str) -> Any:
    """Return what stands at a path of keys and numbers in a state, None for nothing."""
    for key in path.split(".")[:_DEEPEST]:
        if isinstance(state, dict):
            state = state.get(key)
        elif isinstance(state, list) and key.isdigit() and int(key) < len(state):
            state = state[int(key)]
        else:
            return None
    return state


def _members(state: Any, variants: Variants) -> Iterator[tuple[str, dict[str, Any]]]:
    members = at(state, variants.at)
    for member in members[:2_000] if isinstance(members, list) else ():
        name = text(at(member, variants.id)) or ""
        yield (
            name.lower(),
            {fact: at(member, path) for fact, path in variants.fields.items()},
        )


def _money(value: Any, one: HostMap) -> Decimal | None:
    price = parse_structured(value)
    is_whole = isinstance(value, int) or (isinstance(value, str) and value.isdigit())
    if price is not None and one.minor_units and is_whole:
        return price.scaleb(-one.minor_units)
    return price


def _stock(values: Mapping[str, Any]) -> str:
    value = values.get("availability")
    if isinstance(value, bool):
        return IN_STOCK if value else OUT
    return availability(value) if value is not None else UNKNOWN
