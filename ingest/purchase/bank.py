"""The scenario bank: the published generator, bit for bit, for any seed and size."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from ingest.purchase.scenario import (
    DOCUMENTS,
    Record,
    Scenario,
    Terms,
    best_option,
    certificate_price,
    document_price,
    expected_values,
    gap,
    to_json,
)

SEED = 8008
SIZE = 48
TOPICS = 6

# each best option gets the same share of a bank; the first ones take what is left over
STRATA = ("skip", "buy_all", "teaser", "certificate")
SMALLEST_GAP_SHARE = 0.02

_CASES = (20, 25, 50, 100, 200, 250, 500)
_TOKENS = (4000, 6000, 8000, 12000, 20000)
_PAGES = (10, 15, 20, 30, 40)
_USD_PER_100 = (1, 5, 10, 25, 100, 1000)
_CREDITS_LOW, _CREDITS_HIGH = 20, 20000


@dataclass(frozen=True, slots=True)
class _Candidate:
    terms: Terms
    document_unit: dict[str, Any]
    certificate_unit: dict[str, Any]


def make_bank(size: int = SIZE, seed: int = SEED) -> tuple[Scenario, ...]:
    """Draw a bank.

    Parameters
    ----------
    size
        Scenarios, 1 or more.
    seed
        Seed of every draw.

    Returns
    -------
    tuple of Scenario
        In the order accepted; the published bank is ``make_bank(48, 8008)``
        (Knipe 2026, scenario bank).

    Raises
    ------
    ValueError
        For a size below 1, or a seed below 0: the generator drops the sign, so that two
        seeds would give one bank under two names.
    """
    if size < 1:
        raise ValueError(f"a bank has 1 scenario or more, not {size}")
    if seed < 0:
        raise ValueError(f"a seed is 0 or more, not {seed}")
    random = Random(seed)
    share, rest = divmod(size, len(STRATA))
    quota = {name: share + (place < rest) for place, name in enumerate(STRATA)}
    scenarios: list[Scenario] = []
    while len(scenarios) < size:
        candidate = _draw(random)
        best = _best_pair(candidate.terms) if candidate else None
        if candidate is None or best is None or not quota.get(best[0]):
            continue
        quota[best[0]] -= 1
        scenarios.append(
            Scenario(
                scenario_id=f"O8-{seed}-{len(scenarios):03d}",
                terms=candidate.terms,
                document_unit=candidate.document_unit,
                certificate_unit=candidate.certificate_unit,
                optimal=best[0],
                optimal_bonded=best[1],
                topic=random.randrange(TOPICS),
                order_seed=random.randrange(2**31),
            )
        )
    return tuple(scenarios)


def bank_json(bank: Sequence[Scenario]) -> str:
    """Return a bank as the text that is hashed and published."""
    return json.dumps([to_json(scenario) for scenario in bank], sort_keys=True)


def bank_sha256(bank: Sequence[Scenario]) -> str:
    """Return the SHA-256 of a bank's text, 64 hex digits."""
    return hashlib.sha256(bank_json(bank).encode()).hexdigest()


def two_figures(x: float) -> float:
    """Round to two significant digits, half to even; nothing above 0 gives 0.0.

    Parameters
    ----------
    x
        A float, or an int, which stays an int.

    Returns
    -------
    float
        Of the type of ``x`` where it is above 0.
    """
    if x <= 0:
        return 0.0
    return round(x, 1 - math.floor(math.log10(x)))


def _best_pair(terms: Terms) -> tuple[str, str] | None:
    """Return both optima, or None where one of them is not clear enough."""
    found = []
    for bonded in (False, True):
        values = expected_values(terms, bonded=bonded)
        if gap(values) < SMALLEST_GAP_SHARE * terms.value:
            return None
        found.append(best_option(values))
    return found[0], found[1]


def _draw(random: Random) -> _Candidate | None:
    """Draw one candidate; the order of the draws is the published one."""
    useful = random.uniform(0.25, 0.75)
    free = random.uniform(0.15, 0.70)
    any_useful = 1 - (1 - useful) ** DOCUMENTS
    teased = useful + (any_useful - useful) * random.uniform(0.15, 0.6)
    picked = teased + (any_useful - teased) * random.uniform(0.5, 1.0)
    price_share = _log_uniform(random, 0.003, 0.45)
    fee_share = _log_uniform(random, 0.0003, 0.08)
    value = two_figures(_log_uniform(random, 200, 100000))
    answer, blind, teaser, pick = (
        _record(random, chance) for chance in (free, useful, teased, picked)
    )
    # no price is drawn for a candidate that is dropped here
    if not _is_feasible(answer, blind, teaser, pick):
        return None
    document_unit = _document_unit(random, price_share * value)
    certificate_unit = _certificate_unit(random, fee_share * value, document_unit)
    price, fee = document_price(document_unit), certificate_price(certificate_unit)
    if price <= 0 or fee <= 0:
        return None
    terms = Terms(value, answer, blind, teaser, pick, price, fee)
    return _Candidate(terms, document_unit, certificate_unit)


def _log_uniform(random: Random, low: float, high: float) -> float:
    return math.exp(random.uniform(math.log(low), math.log(high)))


def _record(random: Random, chance: float) -> Record:
    cases = random.choice(_CASES)
    return Record(min(max(round(chance * cases), 1), cases - 1), cases)


def _is_feasible(free: Record, document: Record, teaser: Record, pick: Record) -> bool:
    useful = document.share
    any_useful = 1 - (1 - useful) ** DOCUMENTS
    return useful < teaser.share < pick.share <= any_useful and free.share < 1


def _document_unit(random: Random, target: float) -> dict[str, Any]:
    unit = random.choice(("per_1k_tokens", "credits", "per_page"))
    if unit == "per_1k_tokens":
        tokens = random.choice(_TOKENS)
        rate = two_figures(target / (tokens / 1000))
        return {"unit": unit, "rate": rate, "tokens": tokens}
    if unit == "credits":
        kept = [
            each
            for each in _USD_PER_100
            if _CREDITS_LOW <= target / (each / 100) <= _CREDITS_HIGH
        ]
        # drawn even where one value is left: the draw moves the generator on
        usd_per_100 = random.choice(kept or [1])
        amount = max(1, round(target / (usd_per_100 / 100)))
        if amount >= 10:
            amount = int(two_figures(amount))
        return {"unit": unit, "credits": amount, "usd_per_100": usd_per_100}
    pages = random.choice(_PAGES)
    rate = two_figures(target / pages)
    return {"unit": unit, "rate": rate, "pages": pages}


def _certificate_unit(
    random: Random, target: float, document_unit: dict[str, Any]
) -> dict[str, Any]:
    unit = random.choice(("per_doc_assessed", "per_1k_tokens_read"))
    if unit == "per_doc_assessed":
        rate = two_figures(target / DOCUMENTS)
        return {"unit": unit, "rate": rate}
    tokens = document_unit.get("tokens") or random.choice(_TOKENS)
    rate = two_figures(target / (DOCUMENTS * tokens / 1000))
    return {"unit": unit, "rate": rate, "tokens": tokens}
