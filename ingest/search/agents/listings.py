"""Listings from what an agent wrote, read alike for every agent (search.md 5.6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ingest.search.address import canonical
from ingest.search.agents.answer_json import find_listings
from ingest.search.agents.shapes import addresses
from ingest.search.pages.currency import MARK, currency_code, mark_code
from ingest.search.pages.money import parse_charge, read_shipping
from ingest.search.protocol import RULES

REPAIRED = "repaired"  # the JSON of the answer was broken and could be mended
NEGATIVE = "negative_amount"  # such a claim is left out
UNREADABLE = "unreadable_amount"
INCONSISTENT = "landed_inconsistent"  # landed is not item and shipping, by over a cent
ASSUMED = "currency_assumed"  # none was stated
UNRESOLVED = "redirect_unresolved"
WARNINGS = (REPAIRED, NEGATIVE, UNREADABLE, INCONSISTENT, ASSUMED, UNRESOLVED)

# addresses of search services that only lead on to a page (search.md 10.1, row 27)
_REDIRECTOR = re.compile(
    r"https?://vertexaisearch\.cloud\.google\.com/grounding-api-redirect/\S+"
)
_CENT = Decimal("0.01")
_LARGEST = Decimal("9999999999.99")
_LONGEST = 2000
_LARGEST_PACK = 10**6
_MINUS = re.compile(r"^\W*[-\u2212\u2013]\W*\d|^\(.*\d.*\)$")
_USD = re.compile(r"(?:US ?)?\$|USD?", re.IGNORECASE)
_FLAGS = {
    **dict.fromkeys(("true", "yes", "in stock", "instock", "in_stock"), True),
    **dict.fromkeys(("false", "no", "out of stock", "outofstock"), False),
}

ReadMoney = Callable[[object], Decimal | None]
ReadShipping = Callable[[str], Decimal | None]


@dataclass(frozen=True, slots=True)
class Listings:
    """What was read from an answer.

    Attributes
    ----------
    kept
        Listings as a raw artifact holds them.
    dropped
        How many stood beyond the limit.
    duplicates
        How many named a page that an earlier one names.
    refused
        Address and reason of each that names no public page.
    """

    kept: tuple[dict[str, Any], ...]
    dropped: int = 0
    duplicates: int = 0
    refused: tuple[dict[str, Any], ...] = ()


def redirectors(text: str, citations: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses in an answer that only lead on to another page.

    Parameters
    ----------
    text
        Of the answer.
    citations
        Its sources.

    Returns
    -------
    tuple of str
        Each once, those of listings first.
    """
    if not any(_REDIRECTOR.search(one) for one in (text, *citations)):
        return ()
    listed, _ = find_listings(text)
    urls = [one.get("url") for one in listed or ()]
    return tuple(
        one for one in addresses([*urls, *citations]) if _REDIRECTOR.fullmatch(one)
    )


def read_listings(
    text: str,
    start: str,
    *,
    redirects: Mapping[str, str | None] | None = None,
    read_money: ReadMoney = parse_charge,
    read_shipping_text: ReadShipping = read_shipping,
    most: int = int(RULES["max_listings"]),
) -> Listings | None:
    """Return the listings of an answer.

    Parameters
    ----------
    text
        All that the agent wrote.
    start
        What the ids of its listings start with: agent, track and task.
    redirects
        Redirecting address -> where it leads, None where that is not known.
    read_money, read_shipping_text
        How an amount, and a text about shipping, are read (search.md 4.4).
    most
        Listings that are kept.

    Returns
    -------
    Listings or None
        None where the text holds no list. Duplicates go first, then what stands beyond
        the limit; ranks are those of what is kept.
    """
    listed, is_repaired = find_listings(text)
    if listed is None:
        return None
    read = _Reader(redirects or {}, read_money, read_shipping_text, is_repaired)
    found: dict[str, dict[str, Any]] = {}
    duplicates, refused = 0, []
    for claim in listed:
        try:
            one = read.listing(claim)
        except ValueError as error:
            url = claim.get("url")
            refused.append({"url": str(url)[:_LONGEST], "reason": str(error)})
            continue
        if one["url_canonical"] in found:
            duplicates += 1
        else:
            found[one["url_canonical"]] = one
    kept = tuple(
        {"listing_id": f"{start}.{rank:02}", "rank": rank, **one}
        for rank, one in enumerate([*found.values()][:most], start=1)
    )
    return Listings(kept, max(0, len(found) - most), duplicates, tuple(refused))


@dataclass(frozen=True, slots=True)
class _Reader:
    redirects: Mapping[str, str | None]
    read_money: ReadMoney
    read_shipping: ReadShipping
    is_repaired: bool

    def listing(self, claim: Mapping[str, Any]) -> dict[str, Any]:
        """Return one listing; raise ValueError where it names no public page."""
        warnings = [REPAIRED] if self.is_repaired else []
        url = str(claim.get("url") or "").strip()
        leads_to = self.redirects.get(url) or url
        if leads_to == url and _REDIRECTOR.fullmatch(url):
            warnings.append(UNRESOLVED)
        address = canonical(leads_to)
        item = self._amount(claim, "item_price", warnings)
        shipping = self._amount(claim, "shipping_price", warnings)
        landed = self._amount(claim, "landed_price", warnings)
        if claim.get("landed_price") is None and None not in (item, shipping):
            landed = _sum(item, shipping)
        elif None not in (item, shipping, landed):
            difference = abs(_sum(item, shipping) - (landed or Decimal(0)))
            if difference > _CENT:
                warnings.append(INCONSISTENT)
        image = addresses([claim.get("image_url")])
        return {
            "url": url,
            "url_canonical": address,
            **{name: _words(claim.get(name)) for name in ("title", "retailer")},
            "seller": _words(claim.get("seller")),
            "item_price": _money(item),
            "shipping_price": _money(shipping),
            "landed_price": _money(landed),
            "currency": _currency(claim, warnings),
            "pack_count": _pack(claim.get("pack_count")),
            "condition": _words(claim.get("condition")),
            "in_stock": _flag(claim.get("in_stock")),
            "image_url": image[0] if image else None,
            "note": _words(claim.get("note")),
            "warnings": list(dict.fromkeys(warnings)),
        }

    def _amount(
        self, claim: Mapping[str, Any], name: str, warnings: list[str]
    ) -> Decimal | None:
        value = claim.get(name)
        if value is None or value == "":
            return None
        amount = self.read_money(value)
        if amount is None and name == "shipping_price" and isinstance(value, str):
            amount = self.read_shipping(value)
        if amount is None or amount > _LARGEST:
            warnings.append(NEGATIVE if _is_negative(value) else UNREADABLE)
            return None
        if amount == 0 and name == "item_price":
            warnings.append(UNREADABLE)
            return None
        return amount.quantize(_CENT, ROUND_HALF_UP)


def _sum(one: Decimal | None, other: Decimal | None) -> Decimal:
    return (one or Decimal(0)) + (other or Decimal(0))


def _is_negative(value: object) -> bool:
    if isinstance(value, int | float):
        return value < 0
    return isinstance(value, str) and _MINUS.match(value.strip()) is not None


def _money(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:.2f}"


def _currency(claim: Mapping[str, Any], warnings: list[str]) -> str:
    """Return the code of a claim's currency: stated, in a price, else US dollars."""
    stated = _words(claim.get("currency"))
    if stated:
        is_dollar = _USD.fullmatch(stated) is not None
        return "USD" if is_dollar else currency_code(stated) or stated.upper()
    marks = {mark for text in _prices(claim) for mark in re.findall(MARK, text)}
    codes = {code for code in map(mark_code, marks) if code is not None}
    if len(codes) == 1:
        return codes.pop()
    warnings.append(ASSUMED)
    return str(RULES["currency"])


def _prices(claim: Mapping[str, Any]) -> Iterator[str]:
    for name in ("item_price", "shipping_price", "landed_price"):
        if isinstance(claim.get(name), str):
            yield claim[name]


def _words(value: object) -> str | None:
    """Return a text on one line, None where there is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    return " ".join(value.split())[:_LONGEST] or None


def _pack(value: object) -> int | None:
    """Return a whole number from 1, written as a number or as its digits."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,6}\s*", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 1 <= value < _LARGEST_PACK else None


def _flag(value: object) -> bool | None:
    if isinstance(value, str):
        return _FLAGS.get(value.strip().casefold())
    return value if isinstance(value, bool) else None
