"""One table of cases for both look-ups of the shipping policy: Python and SQL.

The expected values are arithmetic on the rows above them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

DAY = date(2026, 11, 2)


def row(
    row_id: str, domain: str | None = "shop.example", **more: Any
) -> dict[str, Any]:
    money = ("threshold", "below_fee", "at_or_above_fee", "min_order", "surcharge_pct")
    made = {
        **{"row_id": row_id, "domain": domain, "seller_scope": "any"},
        **dict.fromkeys((*money, "category_scope", "effective_from", "effective_to")),
        **more,
    }
    return made | {key: Decimal(made[key]) for key in money if made[key] is not None}


@dataclass(frozen=True)
class Case:
    """An offer, the rows it meets, and what comes of it; None: no row at all."""

    rows: tuple[dict[str, Any], ...]
    expected: tuple[str, str | None, str, bool] | None  # row, shipping, fees, too small
    price: str = "20.00"
    host: str = "shop.example"
    seller_scope: str = "unknown"
    category: str = "grocery"
    day: date = DAY


FREE_FROM_35 = row("a", threshold="35.00", below_fee="6.99")
CASES = {
    # E5 of search.md 8.3: the threshold is inclusive
    "below the threshold": Case((FREE_FROM_35,), ("a", "6.99", "0.00", False), "34.99"),
    "at the threshold": Case((FREE_FROM_35,), ("a", "0.00", "0.00", False), "35.00"),
    "a fee above it": Case(
        (row("a", threshold="35.00", at_or_above_fee="1.50"),),
        ("a", "1.50", "0.00", False),
        "35.01",
    ),
    "always free": Case((row("a", threshold="0.00"),), ("a", "0.00", "0.00", False)),
    "a blank threshold is unknown": Case(
        (row("a", below_fee="4.99", at_or_above_fee="0.00"),),
        ("a", None, "0.00", False),
    ),
    "a blank fee below is unknown": Case(
        (row("a", threshold="35.00"),), ("a", None, "0.00", False)
    ),
    # E13: 5 % of 100.00
    "a surcharge": Case(
        (row("a", threshold="0.00", surcharge_pct="5"),),
        ("a", "0.00", "5.00", False),
        "100.00",
    ),
    # 5 % of 0.10 is half a cent, of 0.09 it is less; 2.5 % of 1.00 is 2.5 cents
    "half a cent rounds up": Case(
        (row("a", threshold="0.00", surcharge_pct="5"),),
        ("a", "0.00", "0.01", False),
        "0.10",
    ),
    "less than half rounds down": Case(
        (row("a", threshold="0.00", surcharge_pct="5"),),
        ("a", "0.00", "0.00", False),
        "0.09",
    ),
    "two and a half cents": Case(
        (row("a", threshold="0.00", surcharge_pct="2.5"),),
        ("a", "0.00", "0.03", False),
        "1.00",
    ),
    # E14: 6.00 against a least order of 25.00
    "an order too small": Case(
        (row("a", threshold="0.00", min_order="25.00"),),
        ("a", None, "0.00", True),
        "6.00",
    ),
    "the least order itself": Case(
        (row("a", threshold="0.00", min_order="25.00"),),
        ("a", "0.00", "0.00", False),
        "25.00",
    ),
    "no row for the shop": Case((row("a", "other.example"),), None),
    "a row without a domain": Case((row("a", None, threshold="0.00"),), None),
    "a host below the domain": Case(
        (row("a", threshold="0.00"),),
        ("a", "0.00", "0.00", False),
        host="m.shop.example",
    ),
    "a host that ends alike": Case(
        (row("a", threshold="0.00"),), None, host="myshop.example"
    ),
    "the longer domain": Case(
        (row("a", threshold="0.00"), row("b", "eu.shop.example", threshold="0.00")),
        ("b", "0.00", "0.00", False),
        host="eu.shop.example",
    ),
    "own goods": Case(
        (row("a", seller_scope="first_party", threshold="0.00"),),
        ("a", "0.00", "0.00", False),
        seller_scope="first_party",
    ),
    "another seller's goods": Case(
        (row("a", seller_scope="first_party", threshold="0.00"),),
        None,
        seller_scope="any",
    ),
    "goods of a seller nobody knows": Case(
        (row("a", seller_scope="first_party", threshold="0.00"),), None
    ),
    "own goods before any": Case(
        (
            row("a", threshold="0.00"),
            row("b", seller_scope="first_party", threshold="0.00"),
        ),
        ("b", "0.00", "0.00", False),
        seller_scope="first_party",
    ),
    # search.md 13: category before seller scope
    "the category before the seller": Case(
        (
            row("a", seller_scope="first_party", threshold="0.00"),
            row("b", category_scope="grocery", threshold="0.00"),
        ),
        ("b", "0.00", "0.00", False),
        seller_scope="first_party",
    ),
    "the seller before the domain": Case(
        (
            row("a", "eu.shop.example", threshold="0.00"),
            row("b", seller_scope="first_party", threshold="0.00"),
        ),
        ("b", "0.00", "0.00", False),
        host="eu.shop.example",
        seller_scope="first_party",
    ),
    "another category": Case(
        (row("a", category_scope="toys_hobby", threshold="0.00"),), None
    ),
    "not yet in force": Case(
        (row("a", effective_from=date(2026, 11, 3), threshold="0.00"),), None
    ),
    "its first day": Case(
        (row("a", effective_from=DAY, threshold="0.00"),),
        ("a", "0.00", "0.00", False),
    ),
    # search.md 13: effective_to is inclusive
    "its last day": Case(
        (row("a", effective_to=DAY, threshold="0.00"),),
        ("a", "0.00", "0.00", False),
    ),
    "no longer in force": Case(
        (row("a", effective_to=date(2026, 11, 1), threshold="0.00"),), None
    ),
    "the newest": Case(
        (
            row("a", effective_from=date(2026, 1, 1), threshold="0.00"),
            row("b", effective_from=date(2026, 7, 1), threshold="0.00"),
            row("c", threshold="0.00"),
        ),
        ("b", "0.00", "0.00", False),
    ),
    "the first by name": Case(
        (row("b", threshold="0.00"), row("a", threshold="0.00")),
        ("a", "0.00", "0.00", False),
    ),
}
