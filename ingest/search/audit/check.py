"""From a page to a verification: six checks, a status, its reason (search.md 7.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from ingest.search.audit.policy import Policy, Shipping, seller_scope, shipping_of
from ingest.search.capture import Capture
from ingest.search.judges.pool import final_address
from ingest.search.lag import lag_hours
from ingest.search.pages.facts import (
    DOES_NOT_SHIP,
    PRICE_CONFLICT,
    PRODUCT_AMBIGUOUS,
    VARIANT_UNCONFIRMED,
)
from ingest.search.pages.pack import Pack
from ingest.search.pages.page import ProductPage
from ingest.search.read_bank import CENT, FREE
from ingest.search.write_artifact import time_text

Record = Mapping[str, Any]

VERIFIED, UNVERIFIABLE = "verified", "temporarily_unverifiable"
NEEDS_HUMAN, REJECTED = "needs_human", "rejected"
# of several that apply the last one here holds (search.md 13)
GRAVITY = (VERIFIED, UNVERIFIABLE, NEEDS_HUMAN, REJECTED)
# reason -> the status it stands for: the closed set of what an audit says
REASONS: Mapping[str, str] = {
    **dict.fromkeys(("self_match", "dead_link", "out_of_stock", "not_now"), REJECTED),
    **dict.fromkeys(("store_only", "not_new", "not_usd", "min_order"), REJECTED),
    **dict.fromkeys(("conditional_price", "does_not_ship"), REJECTED),
    **dict.fromkeys(("stock_unknown", "price_conflict", "page_changed"), NEEDS_HUMAN),
    **dict.fromkeys(("ambiguous_variant", "ambiguous_pack"), NEEDS_HUMAN),
    **dict.fromkeys(("blocked", "page_down", "unreadable"), UNVERIFIABLE),
    **dict.fromkeys(("price_unknown", "currency_unknown"), UNVERIFIABLE),
    "shipping_unknown": UNVERIFIABLE,
}
# another look may find what this one did not
PASSING_REASONS = ("blocked", "page_down", "unreadable")

# above any price or pack that a shop means: a page may say anything
_MOST = 10**8
_GONE, _WALLED = (404, 410), (401, 403, 429, 503)
_STOCK = {"out": "out_of_stock", "not_now": "not_now", "store_only": "store_only"}
# it is not sure which product or variant the price is of
_OPEN_VARIANT = frozenset({PRODUCT_AMBIGUOUS, VARIANT_UNCONFIRMED})
# how a service warns of a price that only some buyers get; pages read here have none
_CONDITIONAL = ("member_price", "coupon_price", "subscription_price")
_AMOUNTS = (
    *("availability", "condition", "price", "currency", "shipping", "fees", "landed"),
    *("shipping_source", "seller_scope", "pack_count"),
)
_METHODS = {"json-ld": "json-ld", "opengraph": "og"}


class Step(NamedTuple):
    """One check: its kind and outcome, what it found, and why it is no pass."""

    kind: str
    outcome: str
    value: str | None
    reason: str | None = None
    detail: str = ""
    method: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What an audit is about.

    Attributes
    ----------
    task
        The product, as frozen.
    url_canonical
        The candidate's address.
    judged_url
        Where its page had ended when judges were shown it; None: never looked at.
    policy
        The shipping table.
    """

    task: Record
    url_canonical: str
    judged_url: str | None
    policy: Policy


def audited(
    offer: Offer, capture: Capture, at: datetime, evidence: str | None
) -> dict[str, Any]:
    """Return the verification of a candidate, but for what agents claim of it.

    Parameters
    ----------
    offer
        What is verified.
    capture
        The latest look at its page.
    at
        When, UTC.
    evidence
        Hash of the snapshot, None where there is none.

    Returns
    -------
    dict
        A record of an audit artifact. A page that nobody could read has the check of
        its link alone, and no amounts.
    """
    page = _plausible(capture.page)
    final = final_address(page.final_url) or page.final_url
    steps = [_link(offer, capture, final)]
    amounts: dict[str, Any] = dict.fromkeys(_AMOUNTS)
    if steps[0].outcome == "pass":
        scope = seller_scope(final, capture.seller)
        shipping = _costs(offer, page, final, scope, at)
        amounts = _amounts(page, shipping, scope)
        steps += [
            *(_stock(page), _condition(page), _price(page)),
            _pack(page, (offer.task["pack"].get("count") or 1) > 1),
            _shipping(shipping, page.warnings),
        ]
    reasons = [step.reason for step in steps if step.reason]
    if offer.task["url_canonical"] in (offer.url_canonical, final):
        reasons.insert(0, "self_match")
    status = max((REASONS[one] for one in reasons), key=GRAVITY.index, default=VERIFIED)
    method = capture.method or _METHODS.get((page.source or "").split("+")[0], "dom")
    return {
        "checks": [_record(step, method, evidence, at) for step in steps],
        **{"http_status": page.http_status, "final_url": final},
        **amounts,
        "status": status,
        "reason": next((one for one in reasons if REASONS[one] == status), None),
        "lag_hours": lag_hours(offer.task, at),
    }


def with_claims(audit: Record, prices: Iterable[str]) -> dict[str, Any]:
    """Return a verification with what agents of one track claim.

    Parameters
    ----------
    audit
        As ``audited`` gives it.
    prices
        Item prices that agents claim.

    Returns
    -------
    dict
        The lowest claim, and whether any differs from the price of the page; the
        figures compare listing by listing. A claim changes no status (A-11).
    """
    claims = sorted(prices, key=Decimal)
    price = audit["price"]
    differs = [Decimal(one) != Decimal(price) for one in claims if price is not None]
    return {
        **audit,
        "claimed_price": claims[0] if claims else None,
        "price_mismatch": any(differs),
    }


def _link(offer: Offer, capture: Capture, final: str) -> Step:
    page = capture.page
    status, told = page.http_status, capture.error or ""
    if page.state == "dead" or status in _GONE:
        return Step("link", "fail", final, "dead_link", told, "dom")
    if page.state == "blocked" or status in _WALLED:
        return Step("link", "unknown", final, "blocked", told, "dom")
    if page.state != "ok":
        is_down = status is None or status >= 400
        reason = "page_down" if is_down else "unreadable"
        return Step("link", "unknown", final, reason, told, "dom")
    judged = final_address(offer.judged_url)
    if judged is not None and judged != final:
        # the panel saw another page than the one that is priced now
        detail = f"judges were shown {judged}"
        return Step("link", "pass", final, "page_changed", detail, "dom")
    return Step("link", "pass", final, method="dom")


def _plausible(page: ProductPage) -> ProductPage:
    """Return a page without amounts that no artifact can hold: nobody asks them."""
    price = page.price if page.price is None or page.price <= _MOST else None
    pack = page.pack if page.pack.count <= _MOST else Pack(ambiguous=True)
    return replace(page, price=price, pack=pack)


def _stock(page: ProductPage) -> Step:
    word = page.availability
    if word == "in_stock":
        return Step("stock", "pass", word)
    if word in _STOCK:
        return Step("stock", "fail", word, _STOCK[word])
    return Step("stock", "unknown", word, "stock_unknown")


def _condition(page: ProductPage) -> Step:
    if page.condition == "new":
        return Step("condition", "pass", page.condition)
    return Step("condition", "fail", page.condition, "not_new")


def _price(page: ProductPage) -> Step:
    value, warnings = _money(page.price), ", ".join(page.warnings)
    if any(one.startswith(_CONDITIONAL) for one in page.warnings):
        return Step("price", "fail", value, "conditional_price", warnings)
    if page.currency not in (None, "USD"):
        return Step("price", "fail", value, "not_usd", page.currency or "")
    if page.has_range or _OPEN_VARIANT & set(page.warnings):
        return Step("price", "unknown", value, "ambiguous_variant", warnings)
    if page.price is None:
        return Step("price", "unknown", None, "price_unknown", warnings)
    if PRICE_CONFLICT in page.warnings:
        return Step("price", "unknown", value, "price_conflict", warnings)
    if page.currency is None:
        return Step("price", "unknown", value, "currency_unknown", warnings)
    return Step("price", "pass", value, None, warnings)


def _pack(page: ProductPage, per_unit: bool) -> Step:
    # the pack decides only where the reference is a multipack (search.md 13)
    pack = page.pack
    if pack.ambiguous:
        reason = "ambiguous_pack" if per_unit else None
        return Step("pack", "unknown", str(pack.count), reason, pack.evidence or "")
    return Step("pack", "pass", str(pack.count), None, pack.evidence or "")


def _shipping(shipping: Shipping, warnings: Sequence[str]) -> Step:
    detail = shipping.row_id or ""
    if DOES_NOT_SHIP in warnings:
        return Step("shipping", "fail", None, DOES_NOT_SHIP, detail)
    method = "policy_table" if shipping.source == "policy_table" else None
    if shipping.is_below_minimum:
        return Step("shipping", "fail", None, "min_order", detail, "policy_table")
    if shipping.amount is None:
        return Step("shipping", "unknown", None, "shipping_unknown", detail, method)
    return Step("shipping", "pass", _money(shipping.amount), None, detail, method)


def _costs(
    offer: Offer, page: ProductPage, final: str, scope: str | None, at: datetime
) -> Shipping:
    if page.price is None:
        return Shipping()
    on_page = page_shipping(page)
    if page.currency not in (None, "USD"):
        # the table is in dollars
        return Shipping(on_page, source=None if on_page is None else "page")
    return shipping_of(
        offer.policy,
        url=final,
        seller=scope,
        category=offer.task["category"],
        day=at.date(),
        price=_rounded(page.price),
        on_page=on_page,
    )


def page_shipping(page: ProductPage) -> Decimal | None:
    """Return what a page asks for shipping one order of its item.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    Decimal or None
        0.00 from the page's own threshold on; None where it does not say, which is not
        nothing.
    """
    least = page.free_shipping_threshold
    if least is not None and page.price is not None and page.price >= least:
        return FREE
    if page.shipping is None or page.shipping > _MOST:
        return None
    return _rounded(page.shipping)


def _amounts(
    page: ProductPage, shipping: Shipping, scope: str | None
) -> dict[str, Any]:
    landed = None
    if page.price is not None and shipping.amount is not None:
        landed = _rounded(page.price) + shipping.amount + (shipping.fees or FREE)
    return {
        **{"availability": page.availability, "condition": page.condition},
        **{"price": _money(page.price), "currency": page.currency},
        **{"shipping": _money(shipping.amount), "fees": _money(shipping.fees)},
        **{"landed": _money(landed), "shipping_source": shipping.source},
        "seller_scope": scope,
        # an open count stays open, also if the reference turns out to be a multipack
        "pack_count": None if page.pack.ambiguous else page.pack.count,
    }


def _record(
    step: Step, method: str, evidence: str | None, at: datetime
) -> dict[str, Any]:
    return {
        **{"kind": step.kind, "method": step.method or method},
        **{"outcome": step.outcome, "value": step.value, "evidence": evidence},
        **{"at": time_text(at), "detail": _detail(step)},
    }


def _detail(step: Step) -> str:
    return ": ".join(one for one in (step.reason, step.detail) if one)


def _rounded(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def _money(amount: Decimal | None) -> str | None:
    return None if amount is None else str(_rounded(amount))
