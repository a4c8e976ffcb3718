"""Reading a runs file: one model's decisions, a JSON object per line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest.errors import LoadError
from ingest.json_rows import (
    JsonRow,
    dollars_of,
    flag_of,
    member_of,
    number_of,
    optional_text,
    text_of,
    whole_of,
)
from ingest.parsed_file import FileId, ParsedFile, RowError, collect
from ingest.purchase.read_bank import Bank
from ingest.purchase.run_of import run_of, run_rows, what_varies
from ingest.purchase.scenario import LABELS, OPTIONS, Scenario, regret_share
from ingest.schemas import RAW_PURCHASE

NO_CHOICE = "NO_CHOICE"
# how the source says that a reply was read -> reply state; a derived row says nothing
PARSES: Mapping[str, str | None] = {
    "json": "json",
    "json_embedded": "json_embedded",
    "salvaged": "salvaged",
    "error": "invalid",
    "api_error": "failed",
    "derived": None,
}
UNREAD = ("invalid", "failed")

_SAME_SHARE = 1e-9
_LISTED = 8  # repeat numbers in a message
_USAGE = {"prompt_tokens": "pt", "completion_tokens": "ct", "reasoning_tokens": "rt"}


@dataclass(frozen=True, slots=True)
class RunsFile:
    """A runs file, read.

    Attributes
    ----------
    decisions, runs
        Rows of ``raw_purchase.response`` and ``raw_purchase.run``.
    run_ids
        The runs of its accepted rows, in file order.
    """

    decisions: ParsedFile
    runs: ParsedFile
    run_ids: tuple[str, ...]


def scenario_ids(rows: Iterable[JsonRow]) -> list[str]:
    """Return the scenario ids that lines name, in file order, repeated ones included.

    Parameters
    ----------
    rows
        Lines of a file.

    Returns
    -------
    list of str
        Empty for a file that is no runs file.
    """
    found = (row.value.get("sid") for row in rows if row.value)
    return [sid for sid in found if isinstance(sid, str)]


def first_difference(rows: Iterable[JsonRow], bank: Bank) -> str | None:
    """Return where the rows do not agree with a bank.

    Parameters
    ----------
    rows
        Lines of a file.
    bank
        The bank; rows of scenarios that it lacks are left out here.

    Returns
    -------
    str or None
        Line, scenario, key and both values of the first difference in ``V``,
        ``optimal`` or ``optimal_bonded``; None where all that is stated agrees.
    """
    for row in rows:
        value = row.value or {}
        sid, label = value.get("sid"), value.get("label") or "none"
        scenario = bank.scenarios.get(sid) if isinstance(sid, str) else None
        if scenario is None or label not in LABELS:
            continue
        ours = {
            "V": scenario.terms.value,
            "optimal": scenario.best(label),
            "optimal_bonded": scenario.optimal_bonded,
        }
        for key, wanted in ours.items():
            if key in value and value[key] != wanted:
                return (
                    f"line {row.line}, {sid}: {key} is {value[key]} there and "
                    f"{wanted} in bank {bank.sha256[:12]}"
                )
    return None


def read_runs(file: FileId, rows: Sequence[JsonRow], bank: Bank) -> RunsFile:
    """Read decisions: every row whose scenario, label and option are known.

    Parameters
    ----------
    file
        With ``bank_sha256`` = the bank's.
    rows
        Its lines.
    bank
        The scenarios; agrees with what the rows state about them.

    Returns
    -------
    RunsFile
        Rows that a later one replaces (same scenario, label and repeat) are kept;
        staging marks them. Rows that break the contract are set aside. Scores that
        differ from ours are counted in the notes.

    Raises
    ------
    LoadError
        Where no row can be used.
    """
    accepted: list[dict[str, Any]] = []
    aside: list[tuple[int, str, str, str]] = []
    rows_of: dict[str, list[JsonRow]] = {}
    for row in rows:
        try:
            if row.value is None:
                raise RowError("*", row.reason)
            parsed = _decision(row.value, bank)
        except RowError as error:
            aside.append((row.line, error.field, error.reason, row.text))
            continue
        accepted.append({**parsed, "_source_row": row.line})
        rows_of.setdefault(parsed["run_id"], []).append(row)
    if not accepted and aside:
        line, field, reason, _ = aside[0]
        raise LoadError(
            f"none of its {len(aside)} rows can be used (line {line}, "
            f"{field}: {reason}); give the file of one model's decisions"
        )
    decisions = collect(file, "response", RAW_PURCHASE["response"], accepted, aside)
    notes = [*_repeats(accepted), *_other_scores(accepted, bank)]
    notes += [note for run in rows_of.items() for note in what_varies(*run)]
    told = tuple(f"{file.name}: {note}" for note in notes)
    return RunsFile(
        decisions=replace(decisions, notes=told),
        runs=run_rows(file, rows_of),
        run_ids=tuple(rows_of),
    )


def _decision(row: Mapping[str, Any], bank: Bank) -> dict[str, Any]:
    run_id, source = run_of(row)
    sid = text_of(row, "sid")
    if sid not in bank.scenarios:
        raise RowError("sid", f"no scenario {sid} in bank {bank.sha256[:12]}")
    if "label" not in row:
        raise RowError("label", "missing")
    given = member_of(row, "choice", (*OPTIONS, NO_CHOICE))
    parse = member_of(row, "parse", tuple(PARSES))
    state = PARSES[parse]
    if (given == NO_CHOICE) != (state in UNREAD) and state is not None:
        raise RowError("choice", f"{given} does not go with parse {parse}")
    return {
        "bank_sha256": bank.sha256,
        "run_id": run_id,
        "source": source,
        "scenario_id": sid,
        "label": "none" if row["label"] is None else member_of(row, "label", LABELS),
        "repeat": whole_of(row, "rep"),
        "choice": None if given == NO_CHOICE else given,
        "raw_output": optional_text(row, "reason"),
        "reply_state": "invalid" if state is None and given == NO_CHOICE else state,
        "error": optional_text(row, "error"),
        "provider": optional_text(row, "provider"),
        "model_id_served": optional_text(row, "model_served"),
        "finish": optional_text(row, "finish"),
        **_usage(row),
        **_stated_scores(row),
    }


def _usage(row: Mapping[str, Any]) -> dict[str, Any]:
    usage = row.get("usage") or {}
    if not isinstance(usage, dict):
        raise RowError("usage", "is no JSON object")
    present = {key for key, value in usage.items() if value is not None}
    out: dict[str, Any] = {
        name: whole_of(usage, key) if key in present else None
        for name, key in _USAGE.items()
    }
    out["secs"] = number_of(usage, "secs") if "secs" in present else None
    out["cost_usd"] = dollars_of(usage, "cost") if "cost" in present else None
    return out


def _stated_scores(row: Mapping[str, Any]) -> dict[str, Any]:
    stated: dict[str, Any] = {
        f"stated_{key}": flag_of(row, key) if row.get(key) is not None else None
        for key in ("is_optimal", "bought", "buy_optimal")
    }
    share = row.get("regret_share_V")
    stated["stated_regret_share"] = (
        None if share is None else number_of(row, "regret_share_V")
    )
    return stated


def score(scenario: Scenario, label: str, choice: str | None) -> dict[str, Any]:
    """Return the scores of one decision, as the source names them.

    Parameters
    ----------
    scenario
        What was for sale.
    label
        One of ``LABELS``.
    choice
        The option, or None for a reply without one, which acts as a skip.

    Returns
    -------
    dict
        ``regret_share``, ``is_optimal``, ``bought`` and ``buy_optimal`` (Knipe 2026,
        scoring one decision).
    """
    action = choice or "skip"
    best = scenario.best(label)
    return {
        "regret_share": regret_share(scenario.terms, label, action),
        "is_optimal": choice == best,
        "bought": action != "skip",
        "buy_optimal": best != "skip",
    }


def _other_scores(accepted: Iterable[Mapping[str, Any]], bank: Bank) -> list[str]:
    """Compare what the source states with what the bank gives."""
    odd: dict[str, list[str]] = {}
    for row in accepted:
        scenario = bank.scenarios[row["scenario_id"]]
        ours = score(scenario, row["label"], row["choice"])
        for key, computed in ours.items():
            stated = row[f"stated_{key}"]
            if stated is not None and abs(stated - computed) > _SAME_SHARE:
                example = f"line {row['_source_row']}: {stated} stated, {computed} ours"
                odd.setdefault(key, []).append(example)
    return [
        f"{len(rows)} rows state another {key} than the bank gives ({rows[0]}); ours "
        "is used"
        for key, rows in odd.items()
    ]


def _repeats(accepted: Sequence[Mapping[str, Any]]) -> list[str]:
    keys = {
        tuple(row[k] for k in ("run_id", "scenario_id", "label", "repeat"))
        for row in accepted
    }
    notes = []
    earlier = len(accepted) - len(keys)
    if earlier:
        notes.append(
            f"{earlier} rows are superseded by a later one of the same scenario, label "
            "and repeat, which counts"
        )
    numbers = sorted({row["repeat"] for row in accepted})
    # any number of repeats is a run; one that is skipped may be a slip of the pen
    if numbers and numbers[-1] >= len(numbers):
        listed = ", ".join(map(str, numbers[:_LISTED]))
        more = f" and {len(numbers) - _LISTED} more" if len(numbers) > _LISTED else ""
        notes.append(
            f"repeats are numbered {listed}{more}, not from 0 without a gap; each "
            "counts as a repeat of its own"
        )
    return notes
