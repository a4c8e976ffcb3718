"""The made-up panel, the checks of pages and the person who settles the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from ingest.search.example_pages import Page
from ingest.search.market import RELATIONS
from ingest.search.write_artifact import time_text

SEATS = (
    {"slot": "a", "lab": "North", "model": "simulated/judge-north"},
    {"slot": "b", "lab": "South", "model": "simulated/judge-south"},
    {"slot": "c", "lab": "West", "model": "simulated/judge-west"},
)
REVIEWER = "Robin"
SECOND = "Sascha"
_WORDS = {"V": "valid", "I": "invalid", "-": None}
_LOST, _ERRS, _MENDED = 0.03, 0.04, 0.05


def is_valid(page: Page, track: str) -> bool:
    """Return whether a track should take a page."""
    return RELATIONS[page.offer.relation][track == "equiv"]


def grade(page: Page, track: str, at: datetime, random: Random) -> dict[str, Any]:
    """Return the votes on a page and the panel's verdict.

    Parameters
    ----------
    page
        The page.
    track
        exact or equiv.
    at
        When it was judged, UTC.
    random
        Source of errors and lost votes.

    Returns
    -------
    dict
        A record of a grades artifact.
    """
    truth = "V" if is_valid(page, track) else "I"
    drawn = "".join(_vote(truth, random) for _ in SEATS)
    stated = page.offer.votes
    if stated and (track == "exact" or page.offer.relation == "equivalent"):
        drawn = stated
    votes = [
        {
            **{"judge": seat["slot"], "verdict": _WORDS[vote]},
            "error": "no_verdict" if vote == "-" else None,
            "reason": None if vote == "-" else f"{page.offer.relation} product",
            "raw": "" if vote == "-" else f'{{"verdict": "{_WORDS[vote]}"}}',
            "repaired": vote != "-" and random.random() < _MENDED,
            "attempts": 2 if vote == "-" else 1,
            "at": time_text(at),
            "usage": {"input_tokens": 700, "output_tokens": 30, "cost_usd": "0.0021"},
        }
        for seat, vote in zip(SEATS, drawn, strict=True)
    ]
    count = {word: drawn.count(letter) for letter, word in _WORDS.items()}
    verdict = next((word for word in ("valid", "invalid") if count[word] >= 2), None)
    return {
        "votes": votes,
        "n_valid": count["valid"],
        "n_invalid": count["invalid"],
        "n_missing": count[None],
        "verdict": verdict or "no_majority",
    }


def _vote(truth: str, random: Random) -> str:
    luck = random.random()
    if luck < _LOST:
        return "-"
    return truth if luck >= _LOST + _ERRS else {"V": "I", "I": "V"}[truth]


def audit(
    page: Page, claimed: Sequence[str], is_self: bool, per_unit: bool, at: datetime
) -> dict[str, Any]:
    """Return what a machine found on a page.

    Parameters
    ----------
    page
        The page.
    claimed
        Item prices that agents claim.
    is_self
        It is the reference page.
    per_unit
        The reference is a multipack, so that the pack decides.
    at
        When it was checked, UTC.

    Returns
    -------
    dict
        A record of an audit artifact.
    """
    status, reason = _status(page, is_self, per_unit)
    offer, shop = page.offer, page.offer.shop
    read = not shop.is_walled
    shipping, landed = page.shipping, page.landed
    return {
        "checks": _checks(page, status, reason, at),
        "http_status": 200 if read else 403,
        "final_url": page.url,
        "availability": offer.availability if read else None,
        "condition": offer.condition if read else None,
        "price": offer.price if read else None,
        "currency": shop.currency if read else None,
        "shipping": str(shipping) if read and shipping is not None else None,
        "fees": str(page.fees) if read and shop.surcharge_pct else None,
        "landed": str(landed) if read and landed is not None else None,
        "shipping_source": ("policy_table" if shop.rule else "page") if read else None,
        "seller_scope": "first_party" if read else None,
        "pack_count": offer.pack if read else None,
        "claimed_price": claimed[0],
        "price_mismatch": read and any(one != offer.price for one in claimed),
        "status": status,
        "reason": reason,
    }


def _status(page: Page, is_self: bool, per_unit: bool) -> tuple[str, str | None]:
    """Return status and reason by the rules of verification, the strictest first."""
    offer, shop = page.offer, page.offer.shop
    rules = (
        (is_self, "rejected", "self_match"),
        (shop.is_walled, "temporarily_unverifiable", "blocked"),
        (offer.availability != "in_stock", "rejected", "out_of_stock"),
        (offer.condition != "new", "rejected", "not_new"),
        (shop.currency != "USD", "rejected", "not_usd"),
        (
            shop.min_order is not None
            and page.price < type(page.price)(shop.min_order),
            *("rejected", "min_order"),
        ),
        (per_unit and offer.pack is None, "needs_human", "ambiguous_pack"),
        (page.shipping is None, "temporarily_unverifiable", "shipping_unknown"),
    )
    for holds, status, reason in rules:
        if holds:
            return status, reason
    return "verified", None


def _checks(
    page: Page, status: str, reason: str | None, at: datetime
) -> list[dict[str, Any]]:
    offer, shop = page.offer, page.offer.shop
    if shop.is_walled:
        return [_check("link", "dom", "unknown", None, None, at, "bot wall")]
    evidence, pack, shipping = page.evidence, offer.pack, page.shipping
    table = "policy_table" if shop.rule else "dom"
    return [
        _check("link", "dom", "pass", page.url, evidence, at),
        _check(
            *("stock", "json-ld", "fail" if reason == "out_of_stock" else "pass"),
            *(offer.availability, evidence, at),
        ),
        _check(
            *("condition", "dom", "fail" if reason == "not_new" else "pass"),
            *(offer.condition, evidence, at),
        ),
        _check("price", "json-ld", "pass", offer.price, evidence, at),
        _check(
            *("pack", "dom", "unknown" if pack is None else "pass"),
            *(None if pack is None else str(pack), evidence, at),
        ),
        _check(
            "shipping",
            table,
            "unknown" if shipping is None else "pass",
            None if shipping is None else str(shipping),
            evidence,
            at,
            shop.rule,
        ),
    ]


def _check(
    kind: str,
    method: str,
    outcome: str,
    value: str | None,
    evidence: str | None,
    at: datetime,
    detail: str | None = None,
) -> dict[str, Any]:
    return {
        **{"kind": kind, "method": method, "outcome": outcome, "value": value},
        **{"evidence": evidence, "at": time_text(at), "detail": detail or ""},
    }


NO_FIELDS: Mapping[str, Any] = dict.fromkeys(
    (
        *("price", "shipping", "fees", "pack_count", "availability", "condition"),
        *("final_url", "currency"),
    )
)


def ruling(
    verdict: str | None,
    at: datetime,
    *,
    validity: str | None = None,
    status: str | None = None,
    reason_code: str | None = None,
    fields: Mapping[str, Any] | None = None,
    sampled: float | None = None,
    blind: str | None = None,
) -> dict[str, Any]:
    """Return a human ruling.

    Parameters
    ----------
    verdict
        Of the panel; None where it gave none.
    at
        When it was ruled, UTC.
    validity, status
        The ruling; None: not ruled on.
    reason_code
        Why the panel is overturned.
    fields
        Corrected values.
    sampled
        Chance with which it was drawn for review; None: it was not drawn.
    blind
        Validity by a second reviewer.

    Returns
    -------
    dict
        A record of a label artifact.
    """
    overturns = verdict in ("valid", "invalid") and validity not in (None, verdict)
    record: dict[str, Any] = {
        "ruling": {"validity": validity, "status": status},
        "fields": {**NO_FIELDS, **(fields or {})},
        "overturns_panel": overturns,
        "reason_code": reason_code if overturns else None,
        **{"note": None, "reviewer": REVIEWER, "at": time_text(at)},
    }
    if sampled is not None:
        record |= {"sampled": True, "inclusion_probability": sampled}
    if blind is not None:
        later = time_text(at + timedelta(hours=1))
        record["blind"] = {
            **{"validity": blind, "status": None, "reviewer": SECOND, "at": later},
        }
    return record
