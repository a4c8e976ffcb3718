"""Reading a purchase question back: the numbers that decide, and the label shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ingest.purchase.prompt import LABEL_TEXTS
from ingest.purchase.scenario import (
    CERTIFICATE_UNITS,
    DOCUMENT_UNITS,
    LABELS,
    Record,
    Terms,
    certificate_price,
    document_price,
)

_NUMBER = r"[\d,]+(?:\.\d+)?"
_STAKE = re.compile(rf"A right decision is worth \$({_NUMBER})")
# free answer, document, teaser, certificate: the order in which a prompt tells them
_RECORDS = re.compile(r"in (\d+) of (\d+) past cases")
# by unit, its numbers in the order of ``DOCUMENT_UNITS`` and ``CERTIFICATE_UNITS``
_DOCUMENT = {
    "per_1k_tokens": re.compile(
        rf"A document costs \$({_NUMBER}) per 1,000 tokens and has ({_NUMBER}) tokens"
    ),
    "credits": re.compile(
        rf"A document costs ({_NUMBER}) credits; 100 credits cost \$({_NUMBER})"
    ),
    "per_page": re.compile(
        rf"A document costs \$({_NUMBER}) per page and has ({_NUMBER}) pages"
    ),
}
_CERTIFICATE = {
    "per_doc_assessed": re.compile(
        rf"The certificate costs \$({_NUMBER}) per document assessed"
    ),
    "per_1k_tokens_read": re.compile(
        rf"The certificate costs \$({_NUMBER}) per 1,000 tokens read; all \d+ "
        rf"documents are read in full, ({_NUMBER}) tokens each"
    ),
}


class PurchaseQuestion(NamedTuple):
    """What a purchase prompt shows."""

    terms: Terms
    label: str


def read_purchase_question(text: str) -> PurchaseQuestion | None:
    """Return what a purchase prompt shows.

    Parameters
    ----------
    text
        A user message as ``ingest.purchase.prompt`` writes it.

    Returns
    -------
    PurchaseQuestion or None
        The numbers as a reader works them out, prices in dollars; None for any other
        text.
    """
    stake = _STAKE.search(text)
    found = _RECORDS.findall(text)
    document = _unit(text, _DOCUMENT, DOCUMENT_UNITS)
    certificate = _unit(text, _CERTIFICATE, CERTIFICATE_UNITS)
    if stake is None or len(found) != 4 or document is None or certificate is None:
        return None
    free, useful, teaser, picked = (Record(int(k), int(n)) for k, n in found)
    terms = Terms(
        value=_number(stake[1]),
        free=free,
        document=useful,
        teaser=teaser,
        certificate=picked,
        document_price=document_price(document),
        certificate_price=certificate_price(certificate),
    )
    shown = (label for label, words in LABEL_TEXTS.items() if words and words in text)
    return PurchaseQuestion(terms, next(shown, LABELS[0]))


def _unit(
    text: str,
    patterns: Mapping[str, re.Pattern[str]],
    keys: Mapping[str, tuple[str, ...]],
) -> dict[str, Any] | None:
    for unit, pattern in patterns.items():
        found = pattern.search(text)
        if found:
            numbers = map(_number, found.groups())
            return {"unit": unit, **dict(zip(keys[unit], numbers, strict=True))}
    return None


def _number(text: str) -> float:
    return float(text.replace(",", ""))
