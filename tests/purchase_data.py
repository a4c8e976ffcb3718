"""Runs files of the purchase instrument, small enough to know every row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from ingest.purchase.bank import bank_json, bank_sha256
from ingest.purchase.read_runs import score
from ingest.purchase.scenario import LABELS, OPTIONS, Scenario
from models.purchase_sample import Sample, read_bank, read_sample

SETTINGS = {
    **{"reasoning": "low", "provider_order": "price-sorted", "max_tokens": 8000},
    **{"temperature": "provider default", "condition": "C0", "family": "I"},
}
MODEL = "acme/buyer-1"


def decision(
    scenario: Scenario,
    label: str = "none",
    rep: int = 0,
    choice: str | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Return a row of a runs file; the best choice unless another is given."""
    failed = choice == "FAILED"
    picked = scenario.best(label) if choice is None else choice
    read = None if picked in ("FAILED", "NO_CHOICE") else picked
    scores = score(scenario, label, read)
    scores["regret_share_V"] = scores.pop("regret_share")
    told = (
        {"error": "HTTP 403", "usage": {}}
        if failed
        else {
            **{"provider": "Acme", "model_served": MODEL, "finish": "stop"},
            "usage": {"pt": 400, "ct": 90, "rt": 30, "cost": 0.0002, "secs": 2.5},
        }
    )
    return {
        **{"model": MODEL, "sid": scenario.scenario_id, "rep": rep},
        "label": None if label == "none" else label,
        "choice": read or "NO_CHOICE",
        "parse": "api_error" if failed else "json" if read else "error",
        **told,
        **scores,
        "optimal": scenario.best(label),
        "optimal_bonded": scenario.optimal_bonded,
        "V": scenario.terms.value,
        "date": "2026-09-30",
        "settings": SETTINGS,
        "source": "test",
        **changes,
    }


def whole_run(
    bank: Iterable[Scenario], repeats: int = 3, **changes: Any
) -> list[dict[str, Any]]:
    """Return a run that picks the best option of every question."""
    return [
        decision(scenario, label, rep, **changes)
        for label in LABELS
        for scenario in bank
        for rep in range(repeats)
    ]


def write_runs(path: Path, rows: Iterable[dict[str, Any] | str]) -> Path:
    """Write rows, or lines as they are, one below the other."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def write_bank(path: Path, bank: Sequence[Scenario]) -> Path:
    """Write a bank in its published form."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(bank_json(bank), encoding="utf-8")
    return path


def asked(
    bank: Sequence[Scenario], rows: Iterable[dict[str, Any]], study: str = "s"
) -> list[dict[str, Any]]:
    """Return rows of a runs file as the estimators read them."""
    by_id = {one.scenario_id: one for one in bank}
    states = {"error": "invalid", "api_error": "failed"}
    out = []
    for row in rows:
        scenario, label = by_id[row["sid"]], row["label"] or "none"
        choice = None if row["choice"] == "NO_CHOICE" else row["choice"]
        out.append(
            {
                **{"study_id": study, "model_id": row["model"], "run_id": "run"},
                **{"scenario_id": row["sid"], "label": label, "repeat": row["rep"]},
                **score(scenario, label, choice),
                "category": choice or states[row["parse"]],
                "optimal_ordinary": scenario.optimal,
                "optimal_bonded": scenario.optimal_bonded,
                "bank_sha256": bank_sha256(bank),
            }
        )
    return out


def scenario_columns(bank: Sequence[Scenario]) -> dict[str, list[str]]:
    """Return a whole bank as the estimators read it."""
    return {
        "bank_sha256": [bank_sha256(bank)] * len(bank),
        "scenario_id": [one.scenario_id for one in bank],
        "optimal_ordinary": [one.optimal for one in bank],
        "optimal_bonded": [one.optimal_bonded for one in bank],
    }


def read(bank: Sequence[Scenario], rows: Iterable[dict[str, Any]]) -> Sample:
    """Return rows of a runs file as the sample that the metrics are taken from."""
    columns = scenario_columns(bank)
    listed = [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]
    return read_sample(asked(bank, rows), read_bank(listed))


def cast(bank: Sequence[Scenario]) -> dict[str, list[dict[str, Any]]]:
    """Return runs of buyers with known habits, by file name.

    A calm one and a hasty one differ in few choices; the others lack something: one
    call, one cell, repeats, every reply.
    """
    random = Random(5)
    noisy = [
        decision(
            one,
            label,
            rep,
            random.choice([*OPTIONS, one.best(label), one.best(label), "NO_CHOICE"]),
            model="acme/noisy",
        )
        for label in LABELS
        for one in bank
        for rep in range(3)
    ]
    perfect = whole_run(bank, model="acme/perfect")
    # the bonded cell fails but for one call, two thirds of the badge cell do too
    spent = [
        decision(one, label, rep, _broke(label, place, rep), model="acme/spent")
        for label in LABELS
        for place, one in enumerate(bank)
        for rep in range(3)
    ]
    again = whole_run(bank, model="acme/resumed")
    lost = [
        decision(bank[place], rep=0, choice="FAILED", model="acme/resumed")
        for place in range(5)
    ]
    return {
        "perfect.jsonl": perfect,
        "skipper.jsonl": whole_run(bank, choice="skip", model="acme/skipper"),
        "noisy.jsonl": noisy,
        "spent.jsonl": spent,
        "resumed.jsonl": [*lost, *again],
        "unbonded.jsonl": [
            row for row in whole_run(bank, model="acme/unbonded") if row["label"] != "B"
        ],
        "silent.jsonl": whole_run(bank, choice="FAILED", model="acme/silent"),
        "once.jsonl": whole_run(bank, 1, model="acme/once"),
        "implied.jsonl": whole_run(
            bank, model="acme/implied", derived=True, parse="derived", usage={}
        ),
    }


def _broke(label: str, place: int, rep: int) -> str | None:
    if label == "B":
        return None if (place, rep) == (0, 0) else "FAILED"
    return "FAILED" if label == "D" and place >= 17 else None
