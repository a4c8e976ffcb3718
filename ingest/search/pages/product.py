"""From a chosen product of schema.org to what it says of price, stock and itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from ingest.search.pages.delivery import read_delivery
from ingest.search.pages.facts import (
    DOES_NOT_SHIP,
    PRICE_CONFLICT,
    PRICE_EXPIRED,
    PRODUCT_AMBIGUOUS,
    VARIANT_UNCONFIRMED,
    Facts,
)
from ingest.search.pages.json_ld import Candidate, choose_product, find_products
from ingest.search.pages.nodes import Node, each, text, word
from ingest.search.pages.offer import Choice, choose_offer, offers_of
from ingest.search.pages.same_page import UrlSelection
from ingest.search.pages.stock import IN_STOCK, NEW, NOT_NEW, UNKNOWN, condition

_GTINS = ("gtin", "gtin13", "gtin12", "gtin14", "gtin8", "isbn")


def read_products(
    values: Sequence[Any],
    source: str,
    selection: UrlSelection,
    us_page: bool,
    now: datetime,
) -> Facts | None:
    """Return what a page's nodes say of the product that it sells.

    Parameters
    ----------
    values
        Nodes of its JSON-LD or made from its microdata.
    source
        Which of the two.
    selection
        Addresses of the page.
    us_page
        A bare ``$`` is USD.
    now
        When it was fetched.

    Returns
    -------
    Facts or None
        None where the nodes hold no product; with nothing but a warning where they hold
        several and nothing tells them apart.
    """
    candidates = find_products(values)
    if not candidates:
        return None
    chosen = choose_product(candidates, selection)
    if chosen is None:
        is_open = any(not one.is_aside for one in candidates)
        return Facts(source, warnings=(PRODUCT_AMBIGUOUS,)) if is_open else None
    return _facts(chosen, source, selection, us_page, now)


def _facts(
    chosen: Candidate,
    source: str,
    selection: UrlSelection,
    us_page: bool,
    now: datetime,
) -> Facts:
    choice = _choice(chosen, selection, us_page, now)
    first = choice.offers[0] if choice.offers else None
    owners = {id(one.owner) for one in choice.offers}
    # the variant, then its group: what a variant leaves out it shares with the others
    own = [first.owner] if first is not None and len(owners) == 1 else []
    told = [*own, chosen.node]
    delivery = read_delivery(*([first.node] if first else []), *told)
    has_price = first is not None and not choice.has_range
    return Facts(
        source,
        title=_first_text(told, "name"),
        brand=_first_text(told, "brand", "manufacturer"),
        image_url=next((url for node in told for url in _images(node)), None),
        price=first.price if first and has_price else None,
        currency=first.currency if first else None,
        list_price=first.list_price if first and has_price else None,
        has_range=choice.has_range,
        is_selected=choice.is_selected and bool(chosen.variants),
        availability=_availability(choice),
        condition=_condition(choice, told),
        gtin=_first_text(told, *_GTINS),
        mpn=_first_text(told, "mpn"),
        sku=_first_text(told, "sku"),
        size=_first_text(own or told, "size"),
        color=_first_text(own or told, "color"),
        shipping=delivery.shipping,
        free_shipping_threshold=delivery.free_threshold,
        warnings=tuple(
            _warnings(chosen, choice, selection, us_page, now, delivery.does_not_ship)
        ),
    )


def _choice(
    chosen: Candidate, selection: UrlSelection, us_page: bool, now: datetime
) -> Choice:
    offers = [
        offer for node in chosen.variants for offer in offers_of(node, us_page, now)
    ]
    # the group's own offers repeat those of its variants
    offers = offers or offers_of(chosen.node, us_page, now)
    return choose_offer(offers, selection, chosen.selected)


def _warnings(
    chosen: Candidate,
    choice: Choice,
    selection: UrlSelection,
    us_page: bool,
    now: datetime,
    does_not_ship: bool,
) -> Iterator[str]:
    prices = {one.price for one in choice.offers}
    for twin in chosen.twins:
        again = choose_offer(offers_of(twin, us_page, now), selection)
        if any(one.price not in prices for one in again.offers if one.price):
            yield PRICE_CONFLICT
    if any(one.is_expired for one in choice.offers) and not choice.has_range:
        yield PRICE_EXPIRED
    if selection.fragment() and not choice.is_selected:
        yield VARIANT_UNCONFIRMED
    if does_not_ship:
        yield DOES_NOT_SHIP


def _availability(choice: Choice) -> str:
    found = {one.availability for one in choice.offers}
    if len(found) == 1:
        return found.pop()
    return IN_STOCK if IN_STOCK in found else UNKNOWN


def _condition(choice: Choice, told: Sequence[Node]) -> str | None:
    if any(not one.is_new for one in choice.offers):
        return NOT_NEW
    stated = next(
        (found for one in told if (found := word(one.get("itemCondition")))), ""
    )
    return condition(stated) if stated else (NEW if choice.offers else None)


def _first_text(told: Sequence[Node], *keys: str) -> str | None:
    for node in told:
        for key in keys:
            found = text(node.get(key))
            if found:
                return found
    return None


def _images(node: Node) -> Iterator[str]:
    for image in each(node.get("image")):
        if isinstance(image, dict):
            image = text(image.get("url")) or text(image.get("contentUrl"))
        if isinstance(image, str) and image.strip():
            yield image.strip()
