"""Sources of a page merged field by field, contradictions named (4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ingest.search.pages.dom import Seen, read_dom, read_seen
from ingest.search.pages.embedded import read_embedded
from ingest.search.pages.facts import (
    CENTS_SUSPECTED,
    JSON_LD,
    JSONLD_UNPARSABLE,
    MICRODATA,
    OPEN_GRAPH,
    PRICE_CONFLICT,
    Facts,
)
from ingest.search.pages.host_maps import host_maps
from ingest.search.pages.json_ld import is_json_ld, parse_script
from ingest.search.pages.locale import is_us_page
from ingest.search.pages.microdata import read_microdata
from ingest.search.pages.product import read_products
from ingest.search.pages.same_page import UrlSelection
from ingest.search.pages.stock import OUT, UNKNOWN
from ingest.search.pages.tags import read_open_graph, read_tags

_MOST_SCRIPTS = 100


@dataclass(frozen=True, slots=True)
class Read:
    """All that the sources of a page say.

    Attributes
    ----------
    facts
        Of each source that the page has, in the order in which they are believed.
    seen
        What the page shows beside its first heading.
    selection
        Its addresses.
    warnings
        Of reading the page as a whole.
    """

    facts: Sequence[Facts]
    seen: Seen
    selection: UrlSelection
    warnings: tuple[str, ...] = ()

    @property
    def title(self) -> str | None:
        """Return the product's title, None where the page has none."""
        return self.first("title") or self.seen.title

    @property
    def has_data(self) -> bool:
        """Return whether a source has a price, or several."""
        return any(one.price is not None or one.has_range for one in self.facts)

    def first(self, name: str) -> str | None:
        """Return a fact from the first source that has it."""
        return next((v for one in self.facts if (v := getattr(one, name))), None)

    def address(self, name: str) -> str | None:
        """Return an address from the first source that has it, made absolute."""
        found = self.first(name)
        return self.selection.absolute(found) if found else None


@dataclass(frozen=True, slots=True)
class Merged:
    """What sources have to agree on; fields as `ProductPage` has them."""

    price: Decimal | None
    currency: str | None
    list_price: Decimal | None
    has_range: bool
    availability: str
    shipping: Decimal | None
    free_shipping_threshold: Decimal | None
    source: str | None
    warnings: tuple[str, ...]


def read_sources(html: str, tree: LexborHTMLParser, url: str, now: datetime) -> Read:
    """Return what each source of a page says.

    Parameters
    ----------
    html
        Text of the page.
    tree
        The same, parsed.
    url
        Of the page, its fragment included.
    now
        When it was fetched.

    Returns
    -------
    Read
        Sources that the page does not have are left out.
    """
    tags = read_tags(tree)
    selection = UrlSelection(url, _canonical(tree, UrlSelection(url)))
    root = tree.css_first("html")
    lang = root.attributes.get("lang") if root is not None else None
    us_page = is_us_page(url, (lang, next(iter(tags.get("og:locale", ())), None)))
    maps = [one for one in host_maps() if one.is_for(url)]
    values, has_broken = _json_ld(tree)
    found = (
        read_products(values, JSON_LD, selection, us_page, now),
        read_open_graph(tags, us_page),
        read_products(read_microdata(tree), MICRODATA, selection, us_page, now),
        read_embedded(html, tree, maps, selection),
        read_dom(tree, maps, us_page),
    )
    return Read(
        [one for one in found if one is not None],
        read_seen(tree, us_page),
        selection,
        (JSONLD_UNPARSABLE,) if has_broken else (),
    )


def merge(read: Read) -> Merged:
    """Return what the sources of a page say together.

    Parameters
    ----------
    read
        All that they say.

    Returns
    -------
    Merged
        Where two differ the one believed more stands, with a warning.
    """
    chosen = _priced(read.facts)
    warnings = [*read.warnings, *(name for one in read.facts for name in one.warnings)]
    price = chosen.price if chosen is not None else None
    if price is not None:
        others = [one.price for one in read.facts if one.price is not None]
        known = [*others, *read.seen.prices]
        in_dollars = next((one for one in known if _is_hundredth(one, price)), None)
        if in_dollars is not None:
            warnings.append(CENTS_SUSPECTED)
            price = in_dollars
        differing = [one for one in others if one != price and one != price * 100]
        if differing or (read.seen.prices and price not in read.seen.prices):
            warnings.append(PRICE_CONFLICT)
    has_range = price is None and any(one.has_range for one in read.facts)
    return Merged(
        price=price,
        currency=_currency(read, chosen),
        list_price=_list_price(read.facts, chosen, price),
        has_range=has_range,
        availability=_availability(read, has_range),
        shipping=_first(read, "shipping"),
        free_shipping_threshold=_first(read, "free_shipping_threshold"),
        source=_label(read, chosen),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _json_ld(tree: LexborHTMLParser) -> tuple[list[Any], bool]:
    values: list[Any] = []
    has_broken = False
    for script in tree.css("script[type]")[: _MOST_SCRIPTS * 10]:
        if not is_json_ld(script.attributes.get("type")):
            continue
        content = script.text()
        found = parse_script(content)
        values.extend(found)
        has_broken = has_broken or (not found and bool(content.strip()))
    return values, has_broken


def _canonical(tree: LexborHTMLParser, selection: UrlSelection) -> str | None:
    for link in tree.css("link[rel][href]")[:500]:
        if (link.attributes.get("rel") or "").strip().lower() == "canonical":
            return selection.absolute(link.attributes.get("href") or "")
    return None


def _priced(facts: Sequence[Facts]) -> Facts | None:
    """Return the source of the price.

    A range is not settled by a source that is believed less, unless that source knows
    which variant the address selects.
    """
    is_open = False
    for one in facts:
        if one.price is not None and (not is_open or one.is_selected):
            return one
        is_open = is_open or one.has_range
    return None


def _is_hundredth(less: Decimal, price: Decimal) -> bool:
    return price == less * 100 and price == price.to_integral_value()


def _currency(read: Read, chosen: Facts | None) -> str | None:
    if chosen is not None and chosen.currency:
        return chosen.currency
    for codes in (
        {one.currency for one in read.facts},
        set(read.seen.prices.values()),
    ):
        named = codes - {None}
        if named:
            return named.pop() if len(named) == 1 else None
    return None


def _list_price(
    facts: Sequence[Facts], chosen: Facts | None, price: Decimal | None
) -> Decimal | None:
    """Return the usual price, which is above the price or it is none."""
    ordered = [*([chosen] if chosen is not None else []), *facts]
    for one in ordered:
        if one.list_price is not None and price is not None and one.list_price > price:
            return one.list_price
    return None


def _availability(read: Read, has_range: bool) -> str:
    """Return the stock; what the page shows wins in the negative direction alone."""
    stated = next(
        (one.availability for one in read.facts if one.availability != UNKNOWN), UNKNOWN
    )
    # with no variant selected the button is off for another reason
    if read.seen.availability == OUT and not has_range:
        return OUT
    return stated if stated != UNKNOWN else read.seen.availability


def _first(read: Read, name: str) -> Decimal | None:
    found: Iterator[Decimal | None] = (
        getattr(one, name) for one in (*read.facts, read.seen)
    )
    return next((one for one in found if one is not None), None)


def _label(read: Read, chosen: Facts | None) -> str | None:
    """Return where the price came from, and whether the picture came from elsewhere."""
    if chosen is None:
        return None
    image = next((one.source for one in read.facts if one.image_url), None)
    from_tags = image == OPEN_GRAPH and chosen.source != OPEN_GRAPH
    return f"{chosen.source}+og-image" if from_tags else chosen.source
