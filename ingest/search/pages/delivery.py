"""Shipping that a page states as data, to a buyer in New York (7.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ingest.search.pages.currency import USD, currency_code
from ingest.search.pages.money import LEAST, parse_charge
from ingest.search.pages.nodes import Node, each, nodes, text

_UNITED_STATES = frozenset({"us", "usa", "united states", "united states of america"})
_BUYER_STATE = frozenset({"ny", "new york", "us-ny"})


@dataclass(frozen=True, slots=True)
class Delivery:
    """What shipping details say.

    Attributes
    ----------
    shipping
        The least that is asked of every buyer; None where they do not say.
    free_threshold
        Item price from which it is free.
    does_not_ship
        They name the buyer's country and say that nothing is sent there.
    """

    shipping: Decimal | None = None
    free_threshold: Decimal | None = None
    does_not_ship: bool = False


def read_delivery(*stated: Node) -> Delivery:
    """Return the shipping of an offer to a buyer in New York.

    Parameters
    ----------
    stated
        Nodes that may hold ``shippingDetails``: the offer, then what it sells.

    Returns
    -------
    Delivery
        From the first that holds details for the buyer.
    """
    for node in stated:
        details = [one for one in nodes(node.get("shippingDetails")) if _reaches(one)]
        if not details:
            continue
        sent = [one for one in details if one.get("doesNotShip") not in (True, "true")]
        thresholds = {found for one in sent for found in _thresholds(one)}
        rates = [rate for one in sent if (rate := _rate(one)) is not None]
        if thresholds:  # what is free from a price on is not free to every buyer
            rates = [rate for rate in rates if rate]
        return Delivery(
            min(rates, default=None),
            thresholds.pop() if len(thresholds) == 1 else None,
            does_not_ship=not sent,
        )
    return Delivery()


def _reaches(details: Node) -> bool:
    places = list(nodes(details.get("shippingDestination")))
    return not places or any(_is_the_buyers(place) for place in places)


def _is_the_buyers(place: Node) -> bool:
    countries = [text(one) for one in each(place.get("addressCountry"))]
    regions = [text(one) for one in each(place.get("addressRegion"))]
    in_country = not countries or any(
        country and country.lower() in _UNITED_STATES for country in countries
    )
    return in_country and (
        not regions
        or any(region and region.lower() in _BUYER_STATE for region in regions)
    )


def _rate(details: Node) -> Decimal | None:
    for rate in each(details.get("shippingRate")):
        if not isinstance(rate, dict):
            continue
        # a rate that holds from some order value on is not asked of every buyer
        if any(key in rate for key in ("eligibleTransactionVolume", "orderValue")):
            continue
        amount = parse_charge(rate.get("value", rate.get("price")))
        low, high = (
            parse_charge(rate.get("minValue")),
            parse_charge(rate.get("maxValue")),
        )
        if amount is None and low == high:
            amount = low
        if amount is not None and _in_dollars(rate):
            return amount
    return None


def _thresholds(details: Node) -> Iterator[Decimal]:
    for value in each(details.get("freeShippingThreshold")):
        amount = parse_charge(_amount(value))
        if amount is not None and amount >= LEAST and _in_dollars(value):
            yield amount


def _amount(value: Any) -> Any:
    return value.get("value", value.get("price")) if isinstance(value, dict) else value


def _in_dollars(value: Any) -> bool:
    stated = value if isinstance(value, dict) else {}
    code = text(stated.get("currency")) or text(stated.get("priceCurrency"))
    return code is None or currency_code(code) == USD
