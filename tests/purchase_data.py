"""Runs files of the purchase instrument, small enough to know every row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ingest.purchase.bank import bank_json
from ingest.purchase.read_runs import score
from ingest.purchase.scenario import LABELS, Scenario

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
                "bank_scenarios": len(bank),
            }
        )
    return out
