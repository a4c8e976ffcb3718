"""Which of a product's offers a buyer gets, and at what price (4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Any

from ingest.search.pages.currency import USD, currency_code
from ingest.search.pages.money import parse_charge, parse_structured, read_amounts
from ingest.search.pages.nodes import (
    Node,
    each,
    last_part,
    nodes,
    text,
    types,
    word,
)
from ingest.search.pages.same_page import UrlSelection
from ingest.search.pages.stock import IN_STOCK, NEW, UNKNOWN, availability, condition

_MOST_OFFERS = 2_000
_USUAL_PRICES = frozenset(
    {
        *("listprice", "msrp", "srp", "strikethroughprice", "regularprice"),
        *("invoiceprice", "minimumadvertisedprice"),
    }
)
_SHOWN_AS_LIST = frozenset({"listprice", "strikethroughprice"})
_CHARGES = frozenset({"deliverychargespecification", "paymentchargespecification"})
_INHERITED = ("priceCurrency", "availability", "itemCondition", "seller")
_NAMED_BY = ("sku", "productID", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "mpn")


@dataclass(frozen=True, slots=True)
class Offer:
    """One offer of a product or of one of its variants.

    Attributes
    ----------
    owner
        Node of the product or variant that it sells.
    price, currency, list_price
        As `Facts` has them.
    is_range
        Its prices differ and none is selected.
    availability
        As `ProductPage` has it.
    is_new
        Its condition is new.
    names
        Identifiers of it and of what it sells, in small letters.
    urls
        Its own addresses, as written.
    seller
        Name in small letters; None where it has none.
    is_expired
        The price was to end before now.
    node
        The offer itself.
    """

    owner: Node
    node: Node
    price: Decimal | None = None
    currency: str | None = None
    list_price: Decimal | None = None
    is_range: bool = False
    availability: str = UNKNOWN
    is_new: bool = True
    names: frozenset[str] = frozenset()
    urls: tuple[str, ...] = ()
    seller: str | None = None
    is_expired: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The offers that a buyer gets: one, several of one price, or a range.

    Attributes
    ----------
    offers
        Those that decide, the first of them for what prices do not differ in.
    has_range
        There is no single price.
    is_selected
        The address selects them.
    """

    offers: tuple[Offer, ...] = ()
    has_range: bool = False
    is_selected: bool = False


def offers_of(owner: Node, us_page: bool, now: datetime) -> list[Offer]:
    """Return the offers of a product's node, aggregates taken apart.

    Parameters
    ----------
    owner
        Node of the product or variant.
    us_page
        A bare ``$`` is USD.
    now
        When the page was fetched.

    Returns
    -------
    list of Offer
        In the order of the page; a range where an aggregate does not say more.
    """
    found: list[Offer] = []
    for node in _apart(owner.get("offers"), {}, 0):
        if len(found) == _MOST_OFFERS:
            break
        found.append(_offer(owner, node, us_page, now))
    return found


def choose_offer(
    offers: Sequence[Offer], selection: UrlSelection, selected: Node | None = None
) -> Choice:
    """Return the offers that a buyer of a page gets.

    Parameters
    ----------
    offers
        Of the product and its variants.
    selection
        Addresses of the page.
    selected
        Node of the variant that stands on the page itself, if one does.

    Returns
    -------
    Choice
        Without offers where there are none.
    """
    values = selection.values()
    named = [one for one in offers if one.names & values]
    if not named:
        named = [one for one in offers if any(map(selection.is_asked, one.urls))]
    if not named and selected is not None:
        named = [one for one in offers if one.owner is selected]
    pool = _default_seller(_new_first(named or list(offers)), selection)
    if not pool:
        return Choice()
    # what can be bought now, in dollars; where nothing can, what there is
    ready = [one for one in pool if one.availability in (IN_STOCK, UNKNOWN)]
    dollars = [one for one in ready if one.currency in (USD, None)]
    left = dollars or ready or pool
    priced = [one for one in left if one.price is not None or one.is_range]
    prices = {(one.price, one.currency) for one in priced}
    has_range = len(prices) > 1 or any(one.is_range for one in priced)
    return Choice(tuple(priced or left), has_range, is_selected=bool(named))


def _apart(value: Any, above: Node, depth: int) -> Iterator[Node]:
    """Yield single offers, and aggregates that hold none, with what they inherit."""
    if depth > 5:
        return
    for node in nodes(value):
        whole = {**above, **node}
        inside = [
            one
            for one in _apart(
                node.get("offers"),
                {key: whole[key] for key in _INHERITED if key in whole},
                depth + 1,
            )
            if any(key in one for key in ("price", "priceSpecification", "lowPrice"))
        ]
        if inside and "price" not in node:
            yield from inside
        else:
            yield whole


def _offer(owner: Node, node: Node, us_page: bool, now: datetime) -> Offer:
    specs = list(nodes(node.get("priceSpecification")))
    listed = _list_price(specs)
    stated = _money(node.get("price"))
    source, is_range = node, False
    if stated is None:
        usable = [one for one in specs if _is_standing(one)]
        current = [
            one for one in usable if not (_is_over(now, one) or _is_ahead(now, one))
        ] or usable
        lowest = min(
            (one for one in current if _money(one.get("price")) is not None),
            key=lambda one: _money(one.get("price")) or Decimal(0),
            default=None,
        )
        if lowest is not None:
            source, stated = lowest, _money(lowest.get("price"))
        else:
            stated, is_range = _between([node, *usable])
    both = [node, owner]
    return Offer(
        owner=owner,
        node=node,
        price=stated,
        currency=_currency(source, us_page) or _currency(node, us_page),
        list_price=listed if listed != stated else None,
        is_range=is_range,
        availability=availability(word(node.get("availability"))),
        is_new=condition(word(node.get("itemCondition"))) == NEW,
        names=frozenset(name for one in both for name in _names(one)),
        urls=tuple(
            url for one in both for url in each(one.get("url")) if isinstance(url, str)
        ),
        seller=(text(node.get("seller")) or "").lower() or None,
        is_expired=stated is not None and _is_over(now, source, node),
    )


def _money(value: Any) -> Decimal | None:
    """Return a price, None for several values as for none."""
    found = list(each(value))
    return parse_structured(found[0]) if len(found) == 1 else None


def _between(spans: Iterable[Node]) -> tuple[Decimal | None, bool]:
    """Return the price of a span whose ends meet, or that its ends differ."""
    for span in spans:
        low = _money(span.get("lowPrice", span.get("minPrice")))
        high = _money(span.get("highPrice", span.get("maxPrice")))
        if low is not None and (low == high or str(span.get("offerCount")) == "1"):
            return low, False
        if low is not None or high is not None:
            return None, True
    return None, False


def _list_price(specs: Iterable[Node]) -> Decimal | None:
    for spec in specs:
        if last_part(spec.get("priceType")) in _SHOWN_AS_LIST:
            return _money(spec.get("price"))
    return None


def _is_standing(spec: Node) -> bool:
    """Return whether a specification is the price of one item to everybody."""
    kind = last_part(spec.get("priceType"))
    quantity = spec.get("eligibleQuantity")
    least = quantity.get("minValue") if isinstance(quantity, dict) else None
    return not (
        kind in _USUAL_PRICES
        or "member" in kind
        or "validForMemberTier" in spec
        or types(spec) & _CHARGES
        or any(key in spec for key in ("referenceQuantity", "billingDuration"))
        or (least is not None and parse_charge(least) not in (0, 1))
    )


def _currency(node: Node, us_page: bool) -> str | None:
    """Return the code that stands beside a price, else the mark within it."""
    stated = currency_code(text(node.get("priceCurrency")))
    if stated:
        return stated
    for key in ("price", "lowPrice", "minPrice"):
        if isinstance(node.get(key), str):
            return read_amounts(node[key], us_page).currency
    return None


def _names(node: Node) -> Iterator[str]:
    for key in _NAMED_BY:
        name = text(node.get(key))
        if name:
            yield name.lower()
    # "…/variants/123", "urn:sku:123"
    name = last_part(node.get("@id"))
    if name:
        yield name


def _is_over(now: datetime, *stated: Node) -> bool:
    """Return whether the first end that is stated lies before now."""
    for node in stated:
        for key in ("validThrough", "priceValidUntil"):
            end = _time(text(node.get(key)), at_end=True)
            if end is not None:
                return end < now
    return False


def _is_ahead(now: datetime, spec: Node) -> bool:
    start = _time(text(spec.get("validFrom")), at_end=False)
    return start is not None and start > now


def _time(stated: str | None, *, at_end: bool) -> datetime | None:
    """Return a time; a day alone is its first or last moment, no zone is UTC."""
    try:
        found = datetime.fromisoformat(stated or "")
    except ValueError:
        return None
    if at_end and len(stated or "") <= len("2026-11-30"):
        found = datetime.combine(found, time.max)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _new_first(offers: list[Offer]) -> list[Offer]:
    """Leave out used ones where a new one stands beside them."""
    return [one for one in offers if one.is_new] or offers


def _default_seller(offers: list[Offer], selection: UrlSelection) -> list[Offer]:
    """Leave out other sellers where one of several is the shop itself."""
    if len({one.seller for one in offers}) < 2:
        return offers
    own = [one for one in offers if one.seller is None or selection.is_shop(one.seller)]
    return own or offers
