"""Buyers deciding on a bank, as the files that published runs come in."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ingest.errors import LoadError
from ingest.purchase.bank import SEED, SIZE, bank_json, bank_sha256, make_bank
from ingest.purchase.buyers import Buyer, Decision, decide, default_buyers
from ingest.purchase.read_runs import NO_CHOICE, score
from ingest.purchase.run_of import simulated_run_id
from ingest.purchase.scenario import Scenario
from ingest.sources import SIMULATED

MOST_SCENARIOS = 10_000
_PARSES = {"json": "json", "invalid": "error", "failed": "api_error"}


@dataclass(frozen=True, slots=True)
class PurchaseSimulation:
    """What a simulation gives.

    Attributes
    ----------
    files
        File name -> bytes: the bank, and a runs file per buyer.
    runs
        File name -> run id, of the runs files.
    bank_sha256
        Hash of the bank.
    """

    files: Mapping[str, bytes]
    runs: Mapping[str, str]
    bank_sha256: str


def simulate_purchase(
    *,
    seed: int = SEED,
    size: int = SIZE,
    buyers: Sequence[Buyer] | None = None,
) -> PurchaseSimulation:
    """Let buyers decide on a bank under every label.

    Parameters
    ----------
    seed
        0 or more. Seeds the bank and, together with its model tag, each buyer, so that
        adding a buyer changes no other. The usual one draws the published bank.
    size
        Scenarios of the bank, 1 to 10,000.
    buyers
        Who decides; the demo's by default. A buyer may carry the id of a real model:
        its rows still say ``simulated``.

    Returns
    -------
    PurchaseSimulation
        In the form of published runs; every row says ``simulated`` and no row depends
        on the time of day.

    Raises
    ------
    LoadError
        When seed or size is out of its range, or nobody or two of one name are to
        decide.
    """
    cast = default_buyers() if buyers is None else tuple(buyers)
    _check_request(cast, seed, size)
    bank = make_bank(size, seed)
    files = {f"bank_{seed}_{size}.json": bank_json(bank).encode()}
    runs: dict[str, str] = {}
    for buyer in cast:
        name = re.sub(r"[^A-Za-z0-9._-]", "_", buyer.model_tag) + ".jsonl"
        if name in files:
            raise LoadError(f"buyers: two would write {name}; rename one")
        files[name] = _runs_file(buyer, bank, seed)
        runs[name] = simulated_run_id(buyer.model_tag, seed)
    return PurchaseSimulation(files, runs, bank_sha256(bank))


def _check_request(cast: Sequence[Buyer], seed: int, size: int) -> None:
    if seed < 0:
        raise LoadError(f"seed: {seed}; give 0 or more")
    if not 1 <= size <= MOST_SCENARIOS:
        raise LoadError(f"size: {size} asked; ask for 1 to {MOST_SCENARIOS} scenarios")
    tags = [buyer.model_tag for buyer in cast]
    if not tags:
        raise LoadError("buyers: none given; name at least one")
    twice = sorted({tag for tag in tags if tags.count(tag) > 1})
    if twice:
        raise LoadError(f"buyers: {twice} given more than once; name each once")


def _runs_file(buyer: Buyer, bank: Sequence[Scenario], seed: int) -> bytes:
    settings = {"seed": seed, "buyer": asdict(buyer)}
    rows = [
        _row(buyer, decision, settings)
        for decision in decide(buyer, bank, _stream(buyer, seed))
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _stream(buyer: Buyer, seed: int) -> np.random.Generator:
    digest = hashlib.sha256(buyer.model_tag.encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8])])


def _row(
    buyer: Buyer, decision: Decision, settings: Mapping[str, Any]
) -> dict[str, Any]:
    scenario, label, choice = decision.scenario, decision.label, decision.choice
    scores = score(scenario, label, choice)
    told = (
        {"error": "simulated: the call failed"}
        if decision.reply_state == "failed"
        else {
            **{"provider": SIMULATED, "model_served": buyer.model_tag},
            "finish": "stop",
        }
    )
    return {
        "model": buyer.model_tag,
        "sid": scenario.scenario_id,
        "label": None if label == "none" else label,
        "rep": decision.repeat,
        "choice": choice or NO_CHOICE,
        "parse": _PARSES[decision.reply_state],
        **told,
        "usage": {},
        "optimal": scenario.best(label),
        "regret_share_V": scores.pop("regret_share"),
        **scores,
        "optimal_bonded": scenario.optimal_bonded,
        "V": scenario.terms.value,
        "settings": settings,
        "source": SIMULATED,
    }
