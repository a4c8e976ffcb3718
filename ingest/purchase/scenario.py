"""One decision: its numbers, what each option is worth, and its published JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any

# the canonical order: it decides ties, and it is what the display order shuffles
OPTIONS = ("skip", "buy_one", "buy_all", "teaser", "certificate")
LABELS = ("none", "A", "D", "B")
BOND = "B"
DOCUMENTS = 3

# price in the seller's unit: what it is counted in -> the keys beside `unit`
DOCUMENT_UNITS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "per_1k_tokens": ("rate", "tokens"),
        "credits": ("credits", "usd_per_100"),
        "per_page": ("rate", "pages"),
    }
)
CERTIFICATE_UNITS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"per_doc_assessed": ("rate",), "per_1k_tokens_read": ("rate", "tokens")}
)


@dataclass(frozen=True, slots=True)
class Record:
    """How often something was right or useful in the past: ``right`` of ``cases``."""

    right: int
    cases: int

    @property
    def share(self) -> float:
        """Return the probability, exactly ``right / cases``."""
        return self.right / self.cases


@dataclass(frozen=True, slots=True)
class Terms:
    """The numbers that decide; money in US dollars.

    Attributes
    ----------
    value
        What a right decision is worth to the client; a wrong one is worth 0.
    free, document, teaser, certificate
        Records of the free answer, a document bought blind, the pick by teasers and the
        pick of the certificate.
    document_price, certificate_price
        Price of one document and of the sealed report.
    """

    value: float
    free: Record
    document: Record
    teaser: Record
    certificate: Record
    document_price: float
    certificate_price: float


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario of a bank.

    Attributes
    ----------
    scenario_id
        ``O8-<seed>-<index>``.
    terms
        The numbers.
    document_unit, certificate_unit
        The two prices as the sellers state them: ``unit`` and the keys that
        ``DOCUMENT_UNITS`` and ``CERTIFICATE_UNITS`` name.
    optimal, optimal_bonded
        Best option of the ordinary and of the bonded menu.
    topic
        Number of the setting, 0 to 5.
    order_seed
        Seed of the order in which the options are shown.
    """

    scenario_id: str
    terms: Terms
    document_unit: Mapping[str, Any]
    certificate_unit: Mapping[str, Any]
    optimal: str
    optimal_bonded: str
    topic: int
    order_seed: int

    def best(self, label: str) -> str:
        """Return the best option of the menu that a label shows."""
        return self.optimal_bonded if label == BOND else self.optimal

    @property
    def shown_order(self) -> tuple[str, ...]:
        """Return the options in the order shown, the same for every label and model."""
        options = list(OPTIONS)
        Random(self.order_seed).shuffle(options)
        return tuple(options)


def document_price(unit: Mapping[str, Any]) -> float:
    """Return the price of a document from the seller's unit, in US dollars.

    Parameters
    ----------
    unit
        ``unit`` and the keys that ``DOCUMENT_UNITS`` names for it.

    Returns
    -------
    float
        Rounded to 8 decimals, as in the published bank.
    """
    match unit["unit"]:
        case "per_1k_tokens":
            return float(round(unit["rate"] * unit["tokens"] / 1000, 8))
        case "credits":
            return float(round(unit["credits"] * unit["usd_per_100"] / 100, 8))
        case _:
            return float(round(unit["rate"] * unit["pages"], 8))


def certificate_price(unit: Mapping[str, Any]) -> float:
    """Return the price of the certificate from the evaluator's unit, in US dollars.

    Parameters
    ----------
    unit
        ``unit`` and the keys that ``CERTIFICATE_UNITS`` names for it; all documents are
        assessed.

    Returns
    -------
    float
        Rounded to 8 decimals, as in the published bank.
    """
    if unit["unit"] == "per_doc_assessed":
        return float(round(unit["rate"] * DOCUMENTS, 8))
    return float(round(unit["rate"] * DOCUMENTS * unit["tokens"] / 1000, 8))


def expected_values(terms: Terms, *, bonded: bool = False) -> dict[str, float]:
    """Return what each option is worth on average.

    Parameters
    ----------
    terms
        The numbers of a scenario.
    bonded
        Whether the price of the certificate's pick is refunded when it fails.

    Returns
    -------
    dict
        Option -> US dollars, in canonical order. A purchase is worth
        [p + (1 - p) b] V less what it costs, skipping b V (Knipe 2026, payoffs).
    """
    value, free = terms.value, terms.free.share
    useful, price, fee = (
        terms.document.share,
        terms.document_price,
        terms.certificate_price,
    )
    picked = terms.certificate.share

    def worth(chance: float) -> float:
        return (chance + (1 - chance) * free) * value

    if bonded:
        certified = worth(picked) - picked * price - fee
    else:
        certified = worth(picked) - (price + fee)
    return {
        "skip": free * value,
        "buy_one": worth(useful) - price,
        "buy_all": worth(1 - (1 - useful) ** DOCUMENTS) - DOCUMENTS * price,
        "teaser": worth(terms.teaser.share) - price,
        "certificate": certified,
    }


def best_option(values: Mapping[str, float]) -> str:
    """Return the option worth most; of equals the first in canonical order."""
    return max(OPTIONS, key=lambda option: values[option])


def gap(values: Mapping[str, float]) -> float:
    """Return by how many US dollars the best option beats the second best."""
    first, second = sorted(values.values(), reverse=True)[:2]
    return first - second


def regret_share(terms: Terms, label: str, action: str) -> float:
    """Return what an action loses against the best one, as a share of the value.

    Parameters
    ----------
    terms
        The numbers of a scenario.
    label
        One of ``LABELS``; only the bond changes the menu.
    action
        One of ``OPTIONS``.

    Returns
    -------
    float
        0 for the best option.
    """
    values = expected_values(terms, bonded=label == BOND)
    return (values[best_option(values)] - values[action]) / terms.value


def to_json(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario under the keys and types of the published bank.

    Parameters
    ----------
    scenario
        The scenario.

    Returns
    -------
    dict
        Ready for ``json.dumps``; whole numbers stay whole, prices stay floats.
    """
    terms = scenario.terms
    records = {
        "b": terms.free,
        "q": terms.document,
        "at": terms.teaser,
        "ac": terms.certificate,
    }
    out: dict[str, Any] = {"sid": scenario.scenario_id, "V": terms.value}
    for key, record in records.items():
        out[key] = record.share
        out[f"{key}_k"], out[f"{key}_n"] = record.right, record.cases
    return out | {
        "P": terms.document_price,
        "c": terms.certificate_price,
        "doc_unit": dict(scenario.document_unit),
        "cert_unit": dict(scenario.certificate_unit),
        "optimal": scenario.optimal,
        "optimal_bonded": scenario.optimal_bonded,
        "topic": scenario.topic,
        "order_seed": scenario.order_seed,
    }
