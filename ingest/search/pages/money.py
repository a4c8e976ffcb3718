"""Prices and shipping, as data and as visible text; never a guess (4.4).

A wrong price is worse than none: what cannot be read for certain is None.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ingest.search.pages.amounts import LIST, Amount, find_amounts
from ingest.search.pages.currency import CENT, MARK, USD, written_codes
from ingest.search.pages.number import LONGEST, in_bounds, plain_text, read_number

# the least amount that does not print as 0.00
LEAST = Decimal("0.005")
FREE = Decimal("0.00")

_MARKS = re.compile(MARK)
_GROUP_SPACE = re.compile(r"(?<=[0-9])\s(?=[0-9]{3}(?![0-9]))")
_FREE = re.compile(
    r"(?<![\w-])free\b(?!\s(?:returns?|pickup|store|gift|trial|exchange))",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:members?|membership|prime|subscribers?|subscription|with\s(?:a\s)?plus)\b"
    r"|walmart\+",
    re.IGNORECASE,
)
_THRESHOLD_BEFORE = re.compile(
    r"(?:over|above|of|exceed|exceeding|exceeds|than|least|spend|minimum|reach)\s?:?\s?$",
    re.IGNORECASE,
)
_THRESHOLD_AFTER = re.compile(
    r"\s?(?:or\smore|and\s(?:up|over|above)|\+|minimum)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class VisiblePrice:
    """The price in a visible text.

    Attributes
    ----------
    price
        Above zero; None where there is no amount, or no single one.
    currency
        Its code; None where the text does not say.
    list_price
        The usual price beside it (``was``, ``list``, ``reg``).
    is_from
        ``from`` stands directly before the price.
    has_range
        There are several prices, so that none is the price.
    """

    price: Decimal | None = None
    currency: str | None = None
    list_price: Decimal | None = None
    is_from: bool = False
    has_range: bool = False


def parse_structured(value: object) -> Decimal | None:
    """Return a price that a page states as data.

    Parameters
    ----------
    value
        A JSON number, or a string that may carry a currency mark.

    Returns
    -------
    Decimal or None
        Above zero; None for anything else (``Free``, ``Call``, a negative amount).
    """
    amount = parse_charge(value)
    return amount if amount is not None and amount >= LEAST else None


def parse_charge(value: object) -> Decimal | None:
    """Return a charge that a page states as data; unlike a price it may be zero.

    Parameters
    ----------
    value
        A JSON number, or a string that may carry a currency mark.

    Returns
    -------
    Decimal or None
        Zero or more; None for anything else.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        value = repr(value)  # the shortest decimal for it: what the page wrote
        return in_bounds(Decimal(value))
    if isinstance(value, int | Decimal):
        return in_bounds(Decimal(value))
    if not isinstance(value, str) or len(value) > LONGEST:
        return None
    # most are plain numbers, which have no other spelling
    if value.isascii() and (amount := read_number(value)) is not None:
        return amount
    text = plain_text(value)
    marks = set(_MARKS.findall(text))
    amount = read_number(_GROUP_SPACE.sub("", _MARKS.sub("", text).strip()))
    return amount / 100 if amount is not None and marks == {CENT} else amount


def read_amounts(text: str, us_page: bool = True) -> VisiblePrice:
    """Return the price that a visible text shows.

    Parameters
    ----------
    text
        Of the price's part of a page; anything.
    us_page
        The page is for buyers in the United States, so that a bare ``$`` is USD unless
        another currency's code stands in the text.

    Returns
    -------
    VisiblePrice
        Without amounts that words take away: usual prices, discounts, coupons, charges,
        instalments, unit prices, and whatever has a minus sign.
    """
    amounts = _amounts(text, us_page)
    listed = {one.value for one in amounts if one.bound == LIST and _is_price(one)}
    list_price = listed.pop() if len(listed) == 1 else None
    left = _without_each([one for one in amounts if one.bound is None])
    if any(one.value is None for one in left):
        return VisiblePrice(list_price=list_price)
    left = [one for one in left if _is_price(one)]
    values = {(one.value, one.currency) for one in left}
    if len(values) != 1 or any(one.is_range for one in left):
        return VisiblePrice(list_price=list_price, has_range=bool(left))
    price, currency = values.pop()
    is_from = any(one.is_from for one in left)
    return VisiblePrice(price, currency, list_price, is_from)


def read_shipping(text: str, us_page: bool = True) -> Decimal | None:
    """Return the shipping that a text about shipping asks of every buyer.

    Parameters
    ----------
    text
        Visible text beside the word shipping or delivery; anything.
    us_page
        The page is for buyers in the United States.

    Returns
    -------
    Decimal or None
        0.00 where it is free without a condition; None where the text does not say, or
        names another currency.
    """
    plain, amounts = plain_text(text), _amounts(text, us_page)
    charges = [one for one in amounts if not _is_threshold(plain, one)]
    is_bound = len(charges) < len(amounts) or _CONDITION.search(plain)
    if _FREE.search(plain) and not is_bound:
        return FREE
    values = {one.value for one in charges}
    if len(values) != 1 or any(one.currency != USD for one in charges):
        return None
    return values.pop()


def read_free_threshold(text: str, us_page: bool = True) -> Decimal | None:
    """Return the item price from which a text says that shipping is free.

    Parameters
    ----------
    text
        Visible text beside the word shipping or delivery; anything.
    us_page
        The page is for buyers in the United States.

    Returns
    -------
    Decimal or None
        None where it names no such price, several, or one for members alone.
    """
    plain = plain_text(text)
    if not _FREE.search(plain) or _CONDITION.search(plain):
        return None
    values = {
        one.value
        for one in _amounts(text, us_page)
        if one.currency == USD and _is_price(one) and _is_threshold(plain, one)
    }
    return values.pop() if len(values) == 1 else None


def _amounts(text: str, us_page: bool) -> list[Amount]:
    return find_amounts(text, us_page and not written_codes(text) - {USD})


def _is_price(amount: Amount) -> bool:
    return amount.value is not None and amount.value >= LEAST


def _without_each(amounts: Sequence[Amount]) -> list[Amount]:
    """Leave out prices of one piece where the price of all stands beside them."""
    totals = [one for one in amounts if not one.is_each]
    return totals or list(amounts)


def _is_threshold(plain: str, amount: Amount) -> bool:
    before = plain[max(0, amount.start - 24) : amount.start]
    return bool(
        _THRESHOLD_BEFORE.search(before) or _THRESHOLD_AFTER.match(plain, amount.end)
    )
