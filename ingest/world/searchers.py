"""Search agents of the world: what each finds, and what it says it found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from ingest.search.market import CENT
from ingest.world.catalogue import Item, Listing, catalogue
from ingest.world.truth import cost, finds, is_valid, landed, state

# what an agent takes for shipping where nobody states it
_UNKNOWN = Decimal("0.00")
_INVENTED = Decimal("0.60")
_MOST = 10

Found = tuple[Listing, ...]


@dataclass(frozen=True, slots=True)
class Searcher:
    """A search agent by its skill.

    Attributes
    ----------
    name
        Its model is ``simulated/<name>``.
    skill
        Product and track -> what it finds, in the order in which it lists them.
    says
        Instead of listings; None: it lists what it finds.
    claims
        Share of the true price that it claims.
    invents
        It adds a link that leads nowhere.
    stop
        ``answered``, ``refused`` or ``truncated``.
    """

    name: str
    skill: Callable[[Item, str], Iterable[Listing]]
    says: str | None = None
    claims: Decimal = Decimal(1)
    invents: bool = False
    stop: str = "answered"

    def found(self, item: Item, track: str) -> Found:
        """Return what it lists of the catalogue, ten at most."""
        if self.says is not None:
            return ()
        room = _MOST - self.invents
        return tuple(self.skill(item, track))[:room]

    def best(self, item: Item, track: str) -> Fraction | None:
        """Return the cost of its cheapest find that counts.

        Parameters
        ----------
        item
            The product.
        track
            exact or equiv.

        Returns
        -------
        Fraction or None
            None: nothing that it lists counts and is cheaper.
        """
        counted = {one.code for one in finds(item, track)}
        costs = [
            found
            for one in self.found(item, track)
            if one.code in counted and (found := cost(item, one)) is not None
        ]
        return min(costs, default=None)

    def answer(self, item: Item, track: str) -> str:
        """Return its answer, in the form that every agent is asked for."""
        if self.says is not None:
            return self.says
        listed = [_listing(one, self.claims) for one in self.found(item, track)]
        if self.invents:
            listed.append(_invented(item))
        return json.dumps({"listings": listed})


def _claimed(item: Item, track: str) -> list[Listing]:
    """Return valid offers that seem cheaper, whether or not they can be verified."""
    limit = cost(item, item.reference) or Fraction(0)
    pack = item.reference.offer.pack or 1

    def seems(listing: Listing) -> Fraction:
        paid = landed(listing)
        total = Decimal(listing.offer.price) if paid is None else paid
        return Fraction(total) / (1 if pack == 1 else listing.offer.pack or 1)

    listed = [
        one
        for one in item.listings[1:]
        if is_valid(item, one, track) and seems(one) < limit
    ]
    return sorted(listed, key=lambda one: (seems(one), one.code))


def _everything(item: Item, track: str) -> Iterator[Listing]:
    """Yield all that is cheaper and orderable as far as a page can tell."""
    yield from (one for one in _claimed(item, track) if state(one) != "rejected")


def _nearest(item: Item, track: str) -> Iterator[Listing]:
    """Yield the two finds whose cost is nearest to the reference's."""
    ranked = sorted(finds(item, track), key=lambda one: cost(item, one) or Fraction(0))
    yield from ranked[-2:]


def _careless(item: Item, track: str) -> Iterator[Listing]:
    """Yield whatever has a low price: parts, used goods, sold-out pages and all."""
    sold = sorted(item.listings[1:], key=lambda one: Decimal(one.offer.price))
    yield from sold[:3]


def _one_shop(item: Item, track: str) -> Iterator[Listing]:
    """Yield what one shop sells."""
    host = "fortdepot.example"
    found = _everything(item, track)
    yield from (one for one in found if one.offer.shop.host == host)


def _nothing(item: Item, track: str) -> Iterator[Listing]:
    yield from ()


_SAID = "I would rather not help with shopping."
_CUT = '{"listings": [{"url": "https://'
SEARCHERS: Mapping[str, Searcher] = MappingProxyType(
    {
        one.name: one
        for one in (
            Searcher("finds-all", _everything),
            Searcher("finds-nearest-two", _nearest),
            Searcher("one-shop", _one_shop),
            Searcher("careless", _careless),
            Searcher("boaster", _everything, claims=_INVENTED),
            Searcher("inventor", _nearest, invents=True),
            Searcher("empty-handed", _nothing),
            Searcher("refuser", _nothing, _SAID, stop="refused"),
            Searcher("rambler", _nothing, "There are cheaper ones, look around!"),
            Searcher(
                "cut-short",
                _nothing,
                '{"listings": [{"url": "https://',
                stop="truncated",
            ),
        )
    }
)


def _listing(listing: Listing, share: Decimal) -> dict[str, Any]:
    offer = listing.offer
    price = (Decimal(offer.price) * share).quantize(CENT, ROUND_HALF_UP)
    shipping = offer.shop.shipping(Decimal(offer.price))
    paid = _UNKNOWN if shipping is None else shipping
    return {
        "url": listing.url,
        "title": listing.title,
        "retailer": offer.shop.name,
        "seller": None,
        "item_price": str(price),
        "shipping_price": str(paid),
        "landed_price": str(price + paid),
        "currency": offer.shop.currency,
        "pack_count": offer.pack,
        "condition": "new",
        "in_stock": True,
        "note": None,
    }


def _invented(item: Item) -> dict[str, Any]:
    made = _listing(item.reference, _INVENTED)
    host = item.reference.offer.shop.host
    return {**made, "url": f"https://{host}/p/x{item.reference.code}"}


def find_item(url: str) -> Item | None:
    """Return the product whose reference stands at an address.

    Parameters
    ----------
    url
        Of the reference page, whatever its scheme and further parameters.

    Returns
    -------
    Item or None
    """
    rest = url.partition("://")[2].removeprefix("www.")
    host, _, path = rest.partition("/")
    for item in catalogue():
        page = item.reference
        if host.partition(":")[0] == page.offer.shop.host:
            plain = page.page_path.partition("?")[0].lstrip("/")
            if path.partition("?")[0].rstrip("/") == plain:
                return item
    return None
