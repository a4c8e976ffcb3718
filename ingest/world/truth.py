"""What is true of the world: what an order costs, and the cheapest one that counts.

Worked out from the catalogue by the definitions of search.md 7.1 and 8.1, in exact
fractions and apart from the code that scores runs, so that one can check the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction

from ingest.search.market import RELATIONS
from ingest.world.catalogue import Item, Listing

# the shape of pages without a single price
_UNSETTLED = "range"


def landed(listing: Listing) -> Decimal | None:
    """Return what a buyer pays for an order, before sales tax.

    Parameters
    ----------
    listing
        An offer.

    Returns
    -------
    Decimal or None
        Price, shipping and fees; None where nobody can tell the shipping.
    """
    shop, price = listing.offer.shop, Decimal(listing.offer.price)
    shipping = shop.shipping(price)
    return None if shipping is None else price + shipping + shop.fees(price)


def cost(item: Item, listing: Listing) -> Fraction | None:
    """Return what is compared: of a multipack the cost of one item, else of the order.

    Parameters
    ----------
    item
        The product.
    listing
        An offer of it.

    Returns
    -------
    Fraction or None
        US dollars; None where it is not known.
    """
    paid = landed(listing)
    if paid is None:
        return None
    if (item.reference.offer.pack or 1) == 1:
        return Fraction(paid)
    pack = listing.offer.pack
    return None if pack is None else Fraction(paid) / pack


def state(listing: Listing) -> str:
    """Return what an exact check of a page finds.

    Parameters
    ----------
    listing
        An offer.

    Returns
    -------
    str
        ``verified``, ``rejected``, ``temporarily_unverifiable`` or ``needs_human``.
    """
    offer = listing.offer
    if listing.idea.link in ("gone", "home"):
        return "rejected"
    if offer.shop.is_walled:
        return "temporarily_unverifiable"
    is_sold = offer.availability == "in_stock" and offer.condition == "new"
    if not is_sold or offer.shop.currency != "USD":
        return "rejected"
    if listing.idea.shape == _UNSETTLED:
        return "needs_human"
    return "temporarily_unverifiable" if landed(listing) is None else "verified"


def is_valid(item: Item, listing: Listing, track: str) -> bool:
    """Return whether an offer is what a track asks for, whatever it costs."""
    exact, equivalent = RELATIONS[listing.offer.relation]
    return listing.offer.condition == "new" and (
        exact if track == "exact" else equivalent
    )


def finds(item: Item, track: str) -> Iterator[Listing]:
    """Yield the offers that count as finds: valid, verified and cheaper.

    Parameters
    ----------
    item
        The product.
    track
        exact or equiv.

    Yields
    ------
    Listing
        In the order of the catalogue.
    """
    limit = cost(item, item.reference)
    for listing in item.listings[1:]:
        found = cost(item, listing)
        if (
            is_valid(item, listing, track)
            and state(listing) == "verified"
            and found is not None
            and limit is not None
            and found < limit
        ):
            yield listing


def oracle(item: Item, track: str) -> Fraction | None:
    """Return the cost of the cheapest find.

    Parameters
    ----------
    item
        The product.
    track
        exact or equiv.

    Returns
    -------
    Fraction or None
        US dollars, of one item where the reference is a multipack; None: nothing
        cheaper counts.
    """
    return cheapest(item, finds(item, track))


def cheapest(item: Item, among: Iterable[Listing]) -> Fraction | None:
    """Return the least cost among offers; None where there is none."""
    costs = [found for one in among if (found := cost(item, one)) is not None]
    return min(costs, default=None)
