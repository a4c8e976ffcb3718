"""Reading a bank file, and banks as rows of the warehouse."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.errors import LoadError
from ingest.json_rows import (
    HALF_CHARACTER,
    holds_half_characters,
    member_of,
    no_key_twice,
    number_of,
    text_of,
    whole_of,
)
from ingest.parsed_file import FileId, ParsedFile, RowError, collect
from ingest.purchase.bank import TOPICS, bank_sha256
from ingest.purchase.scenario import (
    CERTIFICATE_UNITS,
    DOCUMENT_UNITS,
    OPTIONS,
    Record,
    Scenario,
    Terms,
    best_option,
    certificate_price,
    document_price,
    expected_values,
    to_json,
)
from ingest.schemas import RAW_PURCHASE

_MONEY = 1e-6


@dataclass(frozen=True, slots=True)
class Bank:
    """Scenarios that decisions are matched to.

    Attributes
    ----------
    sha256
        Hash of the bank's published text form.
    scenarios
        Scenario id -> scenario, in bank order.
    """

    sha256: str
    scenarios: Mapping[str, Scenario]

    @classmethod
    def of(cls, scenarios: Sequence[Scenario]) -> Bank:
        """Return a bank of scenarios."""
        by_id = {one.scenario_id: one for one in scenarios}
        return cls(bank_sha256(scenarios), by_id)


def read_bank(name: str, data: bytes) -> Bank:
    """Read a bank file, all of it or nothing.

    Parameters
    ----------
    name
        How messages name the file.
    data
        Its bytes: a JSON list of scenarios with the published keys, in any layout.

    Returns
    -------
    Bank
        Hashed in its published form, so that layout does not change its identity.

    Raises
    ------
    LoadError
        For a file that is no such list, and for the first scenario whose numbers are
        out of range or do not agree with one another (price and unit, share and
        record, optimum and expected values).
    """
    try:
        given = json.loads(data.decode("utf-8-sig"), object_pairs_hook=no_key_twice)
    except (ValueError, RecursionError) as error:
        raise LoadError(f"{name} is no JSON ({error}); fetch it again") from error
    if not isinstance(given, list) or not given:
        raise LoadError(f"{name} is no list of scenarios; give the bank's own file")
    if holds_half_characters(given, data):
        raise LoadError(f"{name}: {HALF_CHARACTER}; fetch it again")
    scenarios = []
    for place, item in enumerate(given, start=1):
        try:
            scenarios.append(read_scenario(item))
        except RowError as error:
            raise LoadError(
                f"{name} scenario {place}, {error.field}: {error.reason}; make the "
                "bank again with `pricebench bank purchase`, or fetch its file again"
            ) from error
    bank = Bank.of(scenarios)
    if len(bank.scenarios) != len(scenarios):
        raise LoadError(f"{name} names a scenario twice; fetch it again")
    return bank


def read_scenario(item: Any) -> Scenario:
    """Read one scenario.

    Parameters
    ----------
    item
        What stands in the list.

    Returns
    -------
    Scenario
        With numbers that agree with one another.

    Raises
    ------
    RowError
        For the first key at fault.
    """
    if not isinstance(item, dict):
        raise RowError("*", "the scenario is no JSON object")
    document_unit = _unit(item, "doc_unit", DOCUMENT_UNITS)
    certificate_unit = _unit(item, "cert_unit", CERTIFICATE_UNITS)
    terms = Terms(
        value=_above_zero(item, "V"),
        free=_record(item, "b"),
        document=_record(item, "q"),
        teaser=_record(item, "at"),
        certificate=_record(item, "ac"),
        document_price=_above_zero(item, "P"),
        certificate_price=_above_zero(item, "c"),
    )
    _check("P", terms.document_price, document_price(document_unit))
    _check("c", terms.certificate_price, certificate_price(certificate_unit))
    scenario = Scenario(
        scenario_id=text_of(item, "sid"),
        terms=terms,
        document_unit=document_unit,
        certificate_unit=certificate_unit,
        optimal=member_of(item, "optimal", OPTIONS),
        optimal_bonded=member_of(item, "optimal_bonded", OPTIONS),
        topic=whole_of(item, "topic"),
        order_seed=whole_of(item, "order_seed"),
    )
    if scenario.topic >= TOPICS:
        raise RowError("topic", f"{scenario.topic} is not below {TOPICS}")
    _check_optima(scenario)
    odd = sorted(item.keys() ^ to_json(scenario).keys())
    if odd:
        raise RowError(odd[0], "the key is unknown or missing")
    return scenario


def scenario_rows(file: FileId, bank: Bank) -> ParsedFile:
    """Return a bank as rows.

    Parameters
    ----------
    file
        Where it comes from.
    bank
        The bank.

    Returns
    -------
    ParsedFile
        For ``raw_purchase.scenario``, in bank order.
    """
    rows = [
        {"bank_sha256": bank.sha256, "_source_row": place, **_row(scenario)}
        for place, scenario in enumerate(bank.scenarios.values(), start=1)
    ]
    return collect(file, "scenario", RAW_PURCHASE["scenario"], rows, [])


def _row(scenario: Scenario) -> dict[str, Any]:
    terms = scenario.terms
    row: dict[str, Any] = {
        "scenario_id": scenario.scenario_id,
        "value_usd": terms.value,
        "document_price_usd": terms.document_price,
        "certificate_price_usd": terms.certificate_price,
        "document_unit": json.dumps(dict(scenario.document_unit)),
        "certificate_unit": json.dumps(dict(scenario.certificate_unit)),
        "optimal": scenario.optimal,
        "optimal_bonded": scenario.optimal_bonded,
        "topic": scenario.topic,
        "order_seed": scenario.order_seed,
    }
    for name in ("free", "document", "teaser", "certificate"):
        record: Record = getattr(terms, name)
        row |= {
            f"p_{name}": record.share,
            f"{name}_right": record.right,
            f"{name}_cases": record.cases,
        }
    return row


def _above_zero(item: Mapping[str, Any], key: str) -> float:
    value = number_of(item, key)
    if value <= 0:
        raise RowError(key, f"{value} is not above 0")
    return value


def _record(item: Mapping[str, Any], key: str) -> Record:
    cases = whole_of(item, f"{key}_n", least=1)
    record = Record(whole_of(item, f"{key}_k"), cases)
    if record.right > cases:
        raise RowError(f"{key}_k", f"{record.right} of {cases} is more than all")
    if number_of(item, key) != record.share:
        raise RowError(key, f"{item[key]} is not {record.right} / {cases}")
    return record


def _unit(
    item: Mapping[str, Any], key: str, units: Mapping[str, tuple[str, ...]]
) -> dict[str, Any]:
    spec = item.get(key)
    if not isinstance(spec, dict):
        raise RowError(key, "the price in the seller's unit is missing")
    unit = member_of(spec, "unit", tuple(units))
    if spec.keys() != {"unit", *units[unit]}:
        raise RowError(key, f"a price {unit} has the keys {', '.join(units[unit])}")
    return {
        "unit": unit,
        **{
            name: number_of(spec, name) if name == "rate" else whole_of(spec, name)
            for name in units[unit]
        },
    }


def _check(key: str, stated: float, computed: float) -> None:
    if abs(stated - computed) > _MONEY:
        raise RowError(key, f"{stated} is not {computed}, the price in its unit")


def _check_optima(scenario: Scenario) -> None:
    for key, stated in (
        ("optimal", scenario.optimal),
        ("optimal_bonded", scenario.optimal_bonded),
    ):
        values = expected_values(scenario.terms, bonded=key == "optimal_bonded")
        best = best_option(values)
        if best != stated:
            raise RowError(key, f"{stated} is not the best option, {best} is")
