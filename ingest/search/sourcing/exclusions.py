"""Why an item of a ranked list is passed over: ten reasons in a fixed order (3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from ingest.search.grid.config import Retailer
from ingest.search.pages.state import BLOCKED, DEAD, OK, UNREADABLE
from ingest.search.sourcing.brands import normal_brand
from ingest.search.sourcing.markers import (
    digital_marker,
    hidden_price_marker,
    not_here_marker,
    not_new_marker,
    pickup_marker,
)
from ingest.search.sourcing.visit import Seated, Shipping, Visit

CODES = (
    "X01_URL_TAKEN",
    "X02_DIGITAL_OR_CARD",
    "X03_UNEXTRACTABLE",
    "X04_NOT_NEW",
    "X05_OUT_OF_STOCK",
    "X06_PRICE_HIDDEN",
    "X07_NOT_US",
    "X08_NOT_ONLINE",
    "X09_BRAND_SEATED",
    "X10_SHIPPING_UNKNOWN",
)
URL_TAKEN = CODES[0]
UNEXTRACTABLE = CODES[2]
# states in which a page says nothing, in words
_STATES = {
    BLOCKED: "refused by every fetcher",
    DEAD: "the page is gone",
    UNREADABLE: "no product can be read from the page",
}
_NO_STOCK = {
    "not_now": "it can be ordered later only",
    "out": "sold out",
    "unknown": "the page does not say whether it can be ordered",
}
_CENT = Decimal("0.01")


class Exclusion(NamedTuple):
    """A reason: its code and the evidence in words."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that was looked at, with what decides about it.

    Attributes
    ----------
    visit
        Its page.
    urls
        Canonical addresses of its link and of the page behind it.
    retailer, category
        Of the cell.
    store
        Name of the long-tail site, None elsewhere.
    seated
        What is taken already.
    aliases
        Of brands.
    currency
        That the rules compare in.
    shipping
        Resolves the shipping; None where that is not asked here.
    """

    visit: Visit
    urls: tuple[str, ...]
    retailer: Retailer
    category: str
    store: str | None
    seated: Seated
    aliases: Mapping[str, str]
    currency: str = "USD"
    shipping: Callable[[], Shipping | None] | None = None

    @property
    def brand(self) -> str | None:
        """Return its brand; a store's name for what it sells under its own label."""
        stated = self.visit.page.brand
        if stated is not None and normal_brand(stated):
            return stated
        return self.store


def find_exclusion(one: Candidate) -> Exclusion | None:
    """Return the first reason to pass an item over.

    Parameters
    ----------
    one
        The item.

    Returns
    -------
    Exclusion or None
        None: it is chosen.
    """
    for code, check in zip(CODES, _CHECKS, strict=True):
        detail = check(one)
        if detail is not None:
            return Exclusion(code, detail)
    return None


def url_taken(urls: tuple[str, ...], seated: Seated) -> str | None:
    """Return which canonical address another cell has chosen, None for none."""
    taken = next((url for url in urls if url in seated.urls), None)
    return None if taken is None else f"another cell has {taken}"


def _url(one: Candidate) -> str | None:
    return url_taken(one.urls, one.seated)


def _digital(one: Candidate) -> str | None:
    found = digital_marker(one.visit.page.title or "", one.visit.text)
    return None if found is None else f"the page says {found!r}"


def _unextractable(one: Candidate) -> str | None:
    page = one.visit.page
    if page.state != OK:
        why = one.visit.refusal
        return _STATES.get(page.state, page.state) + (f" ({why})" if why else "")
    lacks = []
    if not page.title:
        lacks.append("title")
    # a price that is there and hidden is X06
    if page.price is None and not _hidden_price(one):
        lacks.append("price")
    if page.price is not None and page.price < _CENT:
        lacks.append("price of a cent or more")
    if one.visit.picture is None:
        lacks.append("picture")
    if one.brand is None and not one.retailer.brand_optional:
        lacks.append("brand")
    return f"no {', no '.join(lacks)}" if lacks else None


def _not_new(one: Candidate) -> str | None:
    page = one.visit.page
    found = not_new_marker(page.title or "", one.category)
    if found is not None:
        return f"title contains {found!r}"
    return None if page.condition == "new" else "the page says that it is not new"


def _stock(one: Candidate) -> str | None:
    return _NO_STOCK.get(one.visit.page.availability)


def _hidden_price(one: Candidate) -> str | None:
    page = one.visit.page
    if page.has_range:
        return "several prices and no variant selected"
    found = hidden_price_marker(one.visit.text) if page.price is None else None
    return None if found is None else f"the page says {found!r}"


def _foreign(one: Candidate) -> str | None:
    currency = one.visit.page.currency
    if currency != one.currency:
        return f"priced in {currency or 'a currency that the page does not name'}"
    found = not_here_marker(one.visit.text)
    return None if found is None else f"the page says {found!r}"


def _store_only(one: Candidate) -> str | None:
    if one.visit.page.availability == "store_only":
        return "sold in stores only"
    found = pickup_marker(one.visit.text)
    return None if found is None else f"the page says {found!r}"


def _brand_seated(one: Candidate) -> str | None:
    if one.brand is None:
        return None
    holders = one.seated.retailers(normal_brand(one.brand, one.aliases))
    if one.retailer.own_brands:
        holders -= {one.retailer.name}
    if not holders:
        return None
    return f"brand {one.brand} is at {', '.join(sorted(holders))}"


def _unknown_shipping(one: Candidate) -> str | None:
    if one.shipping is None or one.shipping() is not None:
        return None
    return "neither policy nor page settles the shipping"


_CHECKS = (
    *(_url, _digital, _unextractable, _not_new, _stock, _hidden_price, _foreign),
    *(_store_only, _brand_seated, _unknown_shipping),
)
