"""What a page of the search instrument costs and counts for: plain Python, no SQL.

Half of the second scorer; see ``search_scorer``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

Record = Mapping[str, Any]
_GRAVITY = ("verified", "temporarily_unverifiable", "needs_human", "rejected")


@dataclass(frozen=True)
class Offer:
    """A candidate of one product once everything that is known of it is settled."""

    candidate_id: str
    finders: frozenset[str]
    validity: str
    status: str
    is_self: bool
    cost: Fraction | None
    qualifies: bool
    is_open: bool
    possible: Fraction | None


def settle(
    run: Any, track: str, scenario: str, task: Record, candidate_id: str, units: int
) -> Offer:
    """Return a candidate after its panel, its page and its ruling."""
    record = run.candidates[track][candidate_id]
    audit = run.audits.get(track, {}).get(candidate_id)
    label = run.labels.get(track, {}).get(candidate_id)
    ruling = label["ruling"] if label else {"validity": None, "status": None}
    ruled = label["fields"] if label else {}
    page = audit or {}
    validity = ruling["validity"] or majority(run, track, candidate_id)

    price = _settled(ruled.get("price"), page.get("price"))
    repriced = ruled.get("price") is not None and ruled["price"] != page.get("price")
    url = ruled.get("final_url") or page.get("final_url") or record["url_canonical"]
    row = lookup(run.policy, url, page.get("seller_scope"), task, _day(page))
    shipping, fees, too_small = by_policy(row, price)
    if not (repriced and row):
        stated = _amount(page.get("shipping"))
        negative = _is_negative(page.get("shipping"))
        shipping = stated if stated is not None or negative else shipping
        told = _amount(page.get("fees"))
        fees = told if told is not None else fees
    shipping = _settled(ruled.get("shipping"), shipping)
    fees = _settled(ruled.get("fees"), fees) or Decimal("0.00")

    pack = ruled.get("pack_count") or page.get("pack_count")
    known_pack = bool(pack and pack > 0)
    machine = _machine(page, units, known_pack, shipping, too_small and not repriced)
    recorded = page.get("status", "temporarily_unverifiable")
    status = ruling["status"] or max(recorded, machine, key=_GRAVITY.index)
    if status == "verified" and units > 1 and not known_pack:
        status = "needs_human"
    currency = (
        ruled.get("currency")
        or page.get("currency")
        or ("USD" if ruling["status"] == "verified" else None)
    )
    is_self = (
        record["self_match"]
        or page.get("reason") == "self_match"
        or url == task["url_canonical"]
    )
    cost = _cost(
        price, shipping, fees, scenario, url, units, pack if known_pack else None
    )
    return Offer(
        candidate_id=candidate_id,
        finders=frozenset(one.split(".")[0] for one in record["found_by"]),
        validity=validity,
        status=status,
        is_self=is_self,
        cost=cost,
        qualifies=validity == "valid"
        and status == "verified"
        and currency == "USD"
        and not is_self
        and cost is not None
        and cost > 0,
        is_open=validity != "invalid"
        and not is_self
        and status in ("temporarily_unverifiable", "needs_human")
        and currency in ("USD", None),
        possible=cost
        if cost is not None
        else _claimed(run, track, record, scenario, url, units, pack),
    )


def _machine(
    page: Record, units: int, known_pack: bool, shipping: Any, too_small: bool
) -> str:
    """What the page says by itself: of several that apply, the gravest."""
    if (
        page.get("http_status") in (404, 410)
        or page.get("reason") == "dead_link"
        or page.get("availability") in ("out", "not_now", "store_only")
        or page.get("condition") not in (None, "new")
        or page.get("currency") not in (None, "USD")
        or too_small
    ):
        return "rejected"
    price = _amount(page.get("price"))
    if page.get("availability") == "unknown" or (
        price is not None and units > 1 and not known_pack
    ):
        return "needs_human"
    unread = price is None or shipping is None or page.get("currency") is None
    if unread or any(_is_negative(page.get(one)) for one in ("shipping", "fees")):
        return "temporarily_unverifiable"
    return "verified"


def majority(run: Any, track: str, candidate_id: str) -> str:
    """Return the panel's verdict: more than half of all seats."""
    grade = run.grades.get(track, {}).get(candidate_id)
    votes = [vote["verdict"] for vote in grade["votes"]] if grade else []
    for verdict in ("valid", "invalid"):
        if votes.count(verdict) >= run.judges // 2 + 1:
            return verdict
    return "no_majority"


def reference_cost(
    task: Record,
    refs: Mapping[str, Record],
    policy: Sequence[Record],
    scenario: str,
) -> tuple[Fraction | None, int]:
    """Return what a reference costs by its basis, and how many units it holds."""
    fields = refs.get(task["task_id"], {}).get("fields", {})
    price = _settled(fields.get("price"), task["price"])
    repriced = fields.get("price") is not None and fields["price"] != task["price"]
    named = task["shipping"]["policy_row"]
    row = (
        next((one for one in policy if one["row_id"] == named), None)
        if named
        else lookup(
            policy,
            task["url_canonical"],
            "first_party",
            task,
            _day_of(task["shipping"]),
        )
    )
    shipping, fees, _ = by_policy(row, price)
    if not (repriced and row):
        stated = _amount(task["shipping"]["amount"])
        told = _amount(task["shipping"]["fees"])
        shipping = stated if stated is not None else shipping
        fees = told if told is not None else fees
    shipping = _settled(fields.get("shipping"), shipping)
    fees = _settled(fields.get("fees"), fees) or Decimal("0.00")
    units = fields.get("pack_count") or task["pack"]["count"] or 1
    if shipping is None:
        # not scored in any scenario: a run does not start on such a product
        return None, units
    url = task["url_canonical"]
    return _cost(price, shipping, fees, scenario, url, units, units), units


def lookup(
    policy: Sequence[Record],
    url: str,
    seller: str | None,
    task: Record,
    day: date | None,
) -> Record | None:
    """Return the most specific row of the shipping table that is in force."""
    host = _host(url)

    def applies(row: Record) -> bool:
        return (
            (host == row["domain"] or host.endswith("." + row["domain"]))
            and row["seller_scope"] in ("any", seller)
            and row["category_scope"] in ("", task["category"])
            and day is not None
            and (not row["effective_from"] or row["effective_from"] <= day.isoformat())
            and (not row["effective_to"] or day.isoformat() <= row["effective_to"])
        )

    def specific(row: Record) -> tuple[bool, bool, int]:
        return (
            bool(row["category_scope"]),
            row["seller_scope"] != "any",
            len(row["domain"]),
        )

    return max(filter(applies, policy), key=specific, default=None)


def by_policy(
    row: Record | None, price: Decimal | None
) -> tuple[Decimal | None, Decimal | None, bool]:
    """Return shipping and fees by a row, and whether it refuses so small an order."""
    if row is None or price is None:
        return None, None, False
    percent = Decimal(row["surcharge_pct"] or "0")
    fees = (price * percent / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
    if row["min_order"] and Decimal(row["min_order"]) > price:
        return None, fees, True
    if not row["threshold"]:
        return None, fees, False
    if price >= Decimal(row["threshold"]):
        return Decimal(row["at_or_above_fee"] or "0.00"), fees, False
    return (Decimal(row["below_fee"]) if row["below_fee"] else None), fees, False


def _cost(
    price: Decimal | None,
    shipping: Decimal | None,
    fees: Decimal,
    scenario: str,
    url: str,
    units: int,
    pack: int | None,
) -> Fraction | None:
    if scenario == "prime" and _is_amazon(url):
        shipping = Decimal("0.00")
    if price is None or shipping is None or (units > 1 and not pack):
        return None
    landed = Fraction(price + shipping + fees)
    return landed / pack if units > 1 and pack else landed


def _claimed(
    run: Any,
    track: str,
    record: Record,
    scenario: str,
    url: str,
    units: int,
    pack: int | None,
) -> Fraction | None:
    costs = []
    for listing_id in record["found_by"]:
        agent = listing_id.split(".")[0]
        entry = run.entries[agent, track][record["task_id"]]
        claim = next(x for x in entry["listings"] if x["listing_id"] == listing_id)
        amount = _amount(claim["landed_price"])
        if amount is None and _amount(claim["item_price"]) is not None:
            amount = _amount(claim["item_price"]) + (
                _amount(claim["shipping_price"]) or Decimal("0.00")
            )
        if scenario == "prime" and _is_amazon(url):
            amount = _amount(claim["item_price"])
        size = pack or claim["pack_count"] if units > 1 else 1
        if amount is not None and size:
            costs.append(Fraction(amount) / size)
    return lowest(costs)


def _is_amazon(url: str) -> bool:
    host = _host(url)
    return host == "amazon.com" or host.endswith(".amazon.com")


def _host(url: str) -> str:
    return url.split("://")[1].split("/")[0].lower().removeprefix("www.")


def _amount(value: Any) -> Decimal | None:
    return None if value is None or _is_negative(value) else Decimal(value)


def _is_negative(value: Any) -> bool:
    return value is not None and Decimal(value) < 0


def _settled(ruled: Any, stated: Any) -> Decimal | None:
    return _amount(ruled) if ruled is not None else _amount(stated)


def _day(page: Record) -> date | None:
    times = [check["at"] for check in page.get("checks", [])]
    return date.fromisoformat(max(times)[:10]) if times else None


def _day_of(shipping: Record) -> date | None:
    return date.fromisoformat(shipping["at"][:10]) if shipping["at"] else None


def lowest(costs: Iterable[Fraction | None]) -> Fraction | None:
    """Return the lowest cost that is known."""
    return min((cost for cost in costs if cost is not None), default=None)
