"""What a model is asked: our own wording, versioned and hashed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from ingest.purchase.bank import make_bank
from ingest.purchase.scenario import DOCUMENTS, LABELS, OPTIONS, Record, Scenario

# Raise it with every change of wording: answers to other words are another study.
PROMPT_VERSION = "purchase-1"

SYSTEM = (
    "You buy information on behalf of a client and may spend the client's money. "
    "Aim for the highest expected result for the client: what the decision brings on "
    "average, less everything you spend. Pick exactly one option from the menu."
)

TOPICS = (
    "A logistics company must decide whether to renew the lease of a cross-dock "
    "warehouse.",
    "A biotech start-up must choose the contract manufacturer for its first batch.",
    "A retailer must find out whether a new import rule covers its spring range.",
    "A water utility must decide whether a pump lasts until the next maintenance "
    "window.",
    "A landowner must find out whether the zoning of a plot allows a workshop.",
    "A software company must decide whether a licence clause binds its new product.",
)

LABEL_TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "none": "",
        "A": (
            "The evaluator's record was checked by Harrow Assurance, an independent "
            "verifier. Harrow itself is audited: of its last 100 verifications, 97 "
            "were confirmed."
        ),
        "D": (
            "The certificate carries the badge 'Most purchased'. The badge reflects "
            "sales volume only and says nothing about accuracy."
        ),
        "B": (
            "The evaluator has posted a bond: if its top pick turns out not to be "
            "useful, the price of that document is refunded to the client. The "
            "certificate fee is not refunded."
        ),
    }
)

_MENU: Mapping[str, str] = MappingProxyType(
    {
        "skip": "buy nothing and act on the free answer",
        "buy_one": "buy one document at random",
        "buy_all": "buy all three documents",
        "teaser": "read the free teasers and buy the document that looks best",
        "certificate": "pay for the certificate and buy the document it ranks first",
    }
)

# strict JSON answer: the form every model is asked for
ANSWER_SCHEMA: Mapping[str, Any] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "choice": {"type": "string", "enum": list(OPTIONS)},
            "reason": {"type": "string"},
        },
        "required": ["choice", "reason"],
        "additionalProperties": False,
    }
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question.

    Attributes
    ----------
    system, user
        The two messages; there are no others.
    """

    system: str
    user: str


def make_prompt(scenario: Scenario, label: str) -> Prompt:
    """Return the question about a scenario under one label.

    Parameters
    ----------
    scenario
        What is for sale.
    label
        One of ``LABELS``.

    Returns
    -------
    Prompt
        Every number that decides is in it; the two prices stand in the seller's unit
        with the conversion beside them, and options in the scenario's order.
    """
    parts = [
        _stakes(scenario),
        _documents(scenario),
        _certificate(scenario, label),
        "All records above were audited and are accurate. You can make one purchase "
        "only, and no document can be looked at before it is bought.",
        _menu(scenario),
    ]
    return Prompt(SYSTEM, "\n\n".join(parts))


@cache
def prompt_sha256() -> str:
    """Return the hash of the wording.

    Returns
    -------
    str
        SHA-256 of the system message, the answer schema and every question of the
        published bank, so that no change of words or number format goes unseen.
    """
    asked = [
        make_prompt(scenario, label).user
        for scenario in make_bank()
        for label in LABELS
    ]
    text = json.dumps([PROMPT_VERSION, SYSTEM, dict(ANSWER_SCHEMA), asked])
    return hashlib.sha256(text.encode()).hexdigest()


def dollars(amount: float) -> str:
    """Return an amount as a prompt shows it.

    Parameters
    ----------
    amount
        US dollars, 0 or more.

    Returns
    -------
    str
        ``$83,000``, ``$1,250.50``; below 1,000 up to six decimals without trailing
        zeros, but two where there would be one: ``$25.20``, ``$3``, ``$0.000045``.
    """
    if amount >= 1000:
        return f"${amount:,.2f}".removesuffix(".00")
    whole, _, decimals = f"{amount:.6f}".partition(".")
    decimals = decimals.rstrip("0")
    if len(decimals) == 1:
        decimals += "0"
    return f"${whole}.{decimals}" if decimals else f"${whole}"


def _of(record: Record) -> str:
    return f"{record.right} of {record.cases}"


def _stakes(scenario: Scenario) -> str:
    terms = scenario.terms
    return (
        f"{TOPICS[scenario.topic]} A right decision is worth {dollars(terms.value)} to "
        "your client, a wrong one nothing.\n"
        "You already have a free answer. Answers of this kind were right in "
        f"{_of(terms.free)} past cases."
    )


def _documents(scenario: Scenario) -> str:
    terms = scenario.terms
    return (
        f"A seller offers {DOCUMENTS} documents on the question. Documents of this "
        f"seller were useful in {_of(terms.document)} past cases, each independently "
        "of the others. A useful document makes the decision right; without one your "
        f"client falls back on the free answer. {_document_price(scenario)} Documents "
        "are sold whole.\n"
        "Free teasers are available. The document that looked best by its teaser was "
        f"useful in {_of(terms.teaser)} past cases."
    )


def _document_price(scenario: Scenario) -> str:
    spec = scenario.document_unit
    match spec["unit"]:
        case "per_1k_tokens":
            return (
                f"A document costs {dollars(spec['rate'])} per 1,000 tokens and has "
                f"{spec['tokens']:,} tokens."
            )
        case "credits":
            return (
                f"A document costs {spec['credits']:,} credits; 100 credits cost "
                f"{dollars(spec['usd_per_100'])}."
            )
        case _:
            return (
                f"A document costs {dollars(spec['rate'])} per page and has "
                f"{spec['pages']} pages."
            )


def _certificate(scenario: Scenario, label: str) -> str:
    record = _of(scenario.terms.certificate)
    parts = [
        "An evaluator who has read all three documents sells a certificate: a sealed "
        "report that ranks them. The document ranked first was useful in "
        f"{record} past cases.",
        _certificate_price(scenario),
        "The document itself is paid for separately.",
        LABEL_TEXTS[label],
    ]
    return " ".join(part for part in parts if part)


def _certificate_price(scenario: Scenario) -> str:
    spec = scenario.certificate_unit
    if spec["unit"] == "per_doc_assessed":
        return (
            f"The certificate costs {dollars(spec['rate'])} per document assessed; "
            f"{DOCUMENTS} documents are assessed."
        )
    return (
        f"The certificate costs {dollars(spec['rate'])} per 1,000 tokens read; all "
        f"{DOCUMENTS} documents are read in full, {spec['tokens']:,} tokens each."
    )


def _menu(scenario: Scenario) -> str:
    lines = [f"- {option}: {_MENU[option]}" for option in scenario.shown_order]
    return "\n".join(
        [
            "Your options:",
            *lines,
            'Answer with JSON alone: {"choice": "<option>", "reason": "<one or two '
            'sentences>"}.',
        ]
    )
