"""What shops ask for shipping: the table a run is locked to, and its look-up (7.2).

The figures' look-up is the macro ``apply_shipping_policy`` in dbt: it prices corrected
offers again and is the home of the rule. This one stamps what a page check or the
settling of references finds into the artifacts; one table of cases holds both to the
same answers.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from ingest.errors import LoadError
from ingest.parsed_file import FileId
from ingest.search.address import host_of
from ingest.search.artifact import POLICY_FILE
from ingest.search.read_bank import CENT, FREE
from ingest.search.read_files import read_policy

# shipped blank, with what was found as hints: every amount wants a dated check first
SEED = Path(__file__).with_name(POLICY_FILE)
FIRST_PARTY, ANY = "first_party", "any"

_AMOUNTS = (
    *("threshold", "below_fee", "at_or_above_fee", "min_order", "surcharge_pct"),
)
# what a shop's own name may carry where it is named as the seller
_OWN = r"(?:the)?{label}(?:com|inc|llc|corp|us|services?)*"


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One rule of the table.

    Attributes
    ----------
    row_id
        Its name.
    domain
        Registrable domain that it is for; None: it applies to nothing.
    seller_scope
        ``first_party``: what the shop sells itself; ``any``: everything on its pages.
    threshold
        Item price from which ``at_or_above_fee`` holds, inclusive; None: not known.
    below_fee, at_or_above_fee
        Shipping of one order; None below: not known, at or above: 0.00.
    min_order
        Least item price that is sold alone; None: none.
    surcharge_pct
        Percent of the item price on top, 5 for 5 %; None: none.
    category_scope
        The one category that it is for; None: all.
    effective_from, effective_to
        First and last day, both included; None: open.
    """

    row_id: str
    domain: str | None
    seller_scope: str
    threshold: Decimal | None = None
    below_fee: Decimal | None = None
    at_or_above_fee: Decimal | None = None
    min_order: Decimal | None = None
    surcharge_pct: Decimal | None = None
    category_scope: str | None = None
    effective_from: date | None = None
    effective_to: date | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """The table of a run.

    Attributes
    ----------
    rows
        Its rules.
    sha256
        Hash of the file.
    """

    rows: tuple[PolicyRow, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Terms:
    """What a rule asks for one order of an item.

    Attributes
    ----------
    row_id
        The rule.
    shipping
        None: not known, or the order is too small to be placed.
    fees
        The surcharge, 0.00 where there is none.
    is_below_minimum
        The item cannot be bought alone.
    """

    row_id: str
    shipping: Decimal | None
    fees: Decimal
    is_below_minimum: bool = False


def read_table(
    data: bytes, name: str = POLICY_FILE, buyer_zip: str | None = None
) -> Policy:
    """Read a shipping policy as strictly as a load does.

    Parameters
    ----------
    data
        The bytes of the CSV.
    name
        How messages call it.
    buyer_zip
        Of the run; None: of any.

    Returns
    -------
    Policy

    Raises
    ------
    LoadError
        For a row that breaks the contract, one with an amount that nobody has checked
        (its ``checked_at`` or ``checked_by`` is blank, search.md 12), or one for buyers
        at another ZIP, whom no look-up tells apart.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    parsed = read_policy(FileId(name, sha256, sha256), "", data)
    for row in parsed.quarantined:
        raise LoadError(f"{name}, line {row.source_row}: {row.field}: {row.reason}")
    found = parsed.table.to_pylist()
    for record in found:
        zip_scope = record["zip_scope"]
        if buyer_zip is not None and zip_scope not in (None, buyer_zip):
            raise LoadError(
                f"{name}: row {record['row_id']} is for ZIP {zip_scope}, the buyer of "
                f"this run is at {buyer_zip}; leave it out"
            )
        filled = [key for key in _AMOUNTS if record[key] is not None]
        blank = [key for key in ("checked_at", "checked_by") if not record[key]]
        if filled and blank:
            raise LoadError(
                f"{name}: row {record['row_id']} has a {filled[0]} and no {blank[0]}; "
                "look it up at the shop and say when and by whom"
            )
    return Policy(tuple(map(_row, found)), sha256)


def _row(record: dict[str, Any]) -> PolicyRow:
    names = PolicyRow.__dataclass_fields__
    return PolicyRow(**{name: record[name] for name in names})


def find_row(
    rows: Iterable[PolicyRow],
    *,
    host: str,
    seller_scope: str | None,
    category: str,
    day: date,
) -> PolicyRow | None:
    """Return the most specific rule in force for an offer.

    Parameters
    ----------
    rows
        The table.
    host
        Of the offer's page.
    seller_scope
        ``first_party``; anything else matches only rules for any seller.
    category
        Of the product.
    day
        Of the check.

    Returns
    -------
    PolicyRow or None
        A rule for the category before one for all, one for the shop's own goods before
        one for any seller, a longer domain before a shorter, the newest, the first by
        name.
    """
    matching = [
        row
        for row in rows
        if row.domain is not None
        and (host == row.domain or host.endswith(f".{row.domain}"))
        and row.seller_scope in (ANY, seller_scope)
        and row.category_scope in (None, category)
        and (row.effective_from or date.min) <= day <= (row.effective_to or date.max)
    ]

    def order(row: PolicyRow) -> tuple[bool, bool, int, int, str]:
        newest = (row.effective_from or date.min).toordinal()
        length = len(row.domain or "")
        is_general = row.category_scope is None
        return is_general, row.seller_scope == ANY, -length, -newest, row.row_id

    return min(matching, key=order, default=None)


def terms_of(row: PolicyRow, price: Decimal) -> Terms:
    """Return what a rule asks for one order of one item.

    Parameters
    ----------
    row
        The rule.
    price
        Of the item.

    Returns
    -------
    Terms
        The surcharge is rounded half up to the cent.
    """
    percent = row.surcharge_pct or Decimal(0)
    fees = (price * percent / 100).quantize(CENT, ROUND_HALF_UP)
    too_small = row.min_order is not None and row.min_order > price
    if too_small or row.threshold is None:
        shipping = None
    elif price >= row.threshold:
        shipping = FREE if row.at_or_above_fee is None else row.at_or_above_fee
    else:
        shipping = row.below_fee
    return Terms(row.row_id, shipping, fees, too_small)


@dataclass(frozen=True, slots=True)
class Shipping:
    """What one order costs beside the item.

    Attributes
    ----------
    amount
        None: not known, which is not nothing.
    fees
        The surcharge of the rule; None where there is none.
    source
        ``policy_table`` or ``page``; None where the amount is not known.
    row_id
        The rule that matched, whether or not it had an answer.
    is_below_minimum
        The item cannot be bought alone.
    """

    amount: Decimal | None = None
    fees: Decimal | None = None
    source: str | None = None
    row_id: str | None = None
    is_below_minimum: bool = False


def shipping_of(
    policy: Policy,
    *,
    url: str,
    seller: str | None,
    category: str,
    day: date,
    price: Decimal,
    on_page: Decimal | None,
) -> Shipping:
    """Return what one order costs: by the table, and by the page where it is silent.

    Parameters
    ----------
    policy
        The table.
    url
        Of the offer.
    seller
        Its seller scope.
    category
        Of the product.
    day
        Of the check.
    price
        Of the item, in cents.
    on_page
        Shipping as the page states it.

    Returns
    -------
    Shipping
        A rule without an answer leaves the amount to the page, and keeps its surcharge
        and its least order.
    """
    row = find_row(
        policy.rows, host=host_of(url), seller_scope=seller, category=category, day=day
    )
    if row is None:
        return Shipping(on_page, source=None if on_page is None else "page")
    terms = terms_of(row, price)
    fees = terms.fees if row.surcharge_pct else None
    if terms.is_below_minimum:
        return Shipping(None, fees, None, row.row_id, True)
    if terms.shipping is not None:
        return Shipping(terms.shipping, fees, "policy_table", row.row_id)
    return Shipping(on_page, fees, None if on_page is None else "page", row.row_id)


def seller_scope(url: str, seller: str | None) -> str | None:
    """Return whose goods a page sells, as far as it says.

    Parameters
    ----------
    url
        Of the page.
    seller
        Whom a buyer buys from; None: the page does not say.

    Returns
    -------
    str or None
        ``first_party`` where the seller bears the shop's own name, ``any`` for another
        seller; None: not known, which matches only rules for any seller.
    """
    if not seller or not seller.strip():
        return None
    labels = host_of(url).split(".")
    name = re.sub(r"[^a-z0-9]", "", seller.lower())
    own = any(
        re.fullmatch(_OWN.format(label=re.escape(label.replace("-", ""))), name)
        for label in labels[:-1]
        if label
    )
    return FIRST_PARTY if own else ANY
