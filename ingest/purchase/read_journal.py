"""Reading the journal of a purchase run: a line per call, the last one counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from ingest.errors import LoadError
from ingest.journal import JournalText, Record
from ingest.json_rows import member_of, number_of, optional_text, text_of, whole_of
from ingest.parsed_file import FileId, ParsedFile, RowError, collect
from ingest.purchase.bank import make_bank
from ingest.purchase.read_bank import Bank
from ingest.purchase.read_runs import RunsFile, stored_cost
from ingest.purchase.reply import read_reply
from ingest.purchase.scenario import LABELS
from ingest.run_calls import FAILED, is_failed
from ingest.schemas import RAW_PURCHASE

_COUNTS = ("prompt_tokens", "completion_tokens", "reasoning_tokens")
_TEXTS = ("error", "provider", "model_id_served", "finish")


def journal_bank(text: JournalText, name: str) -> Bank:
    """Return the bank that a journal was asked with.

    Parameters
    ----------
    text
        The journal.
    name
        How messages call it.

    Returns
    -------
    Bank
        Drawn again from the seed and size in its header.

    Raises
    ------
    LoadError
        Where these are missing, or the bank drawn again is another.
    """
    given = text.header.get("bank")
    try:
        if not isinstance(given, dict):
            raise RowError("bank", "missing")
        seed, size = whole_of(given, "seed"), whole_of(given, "size", least=1)
        wanted = text_of(text.header, "bank_sha256")
    except RowError as error:
        raise LoadError(f"{name} line 1, {error.field}: {error.reason}") from error
    bank = Bank.of(make_bank(size, seed))
    if bank.sha256 != wanted:
        raise LoadError(
            f"{name} line 1: the bank of seed {seed} and size {size} has sha256 "
            f"{bank.sha256[:12]}, not {wanted[:12]}; it was asked by another version"
        )
    return bank


def read_journal_run(file: FileId, text: JournalText, bank: Bank) -> RunsFile:
    """Read the decisions of a journal.

    Parameters
    ----------
    file
        With ``bank_sha256`` = the bank's.
    text
        The journal.
    bank
        The scenarios that it asks about.

    Returns
    -------
    RunsFile
        Every record; replies are read anew, so that one reader serves all journals.
        Lines that a kill cut off are set aside: their calls were asked again.

    Raises
    ------
    LoadError
        Where the header lacks what a run needs, or no call is in it.
    """
    if not text.records:
        raise LoadError(f"{file.name} holds no call yet; run its command again")
    accepted: list[dict[str, Any]] = []
    aside = [(line, "*", "cut off while it was written", "") for line in text.torn]
    for line, record in text.records:
        try:
            row = _decision(record, text.header, bank)
        except RowError as error:
            shown = json.dumps(record, ensure_ascii=False)
            aside.append((line, error.field, error.reason, shown))
            continue
        accepted.append({**row, "_source_row": line})
    decisions = collect(file, "response", RAW_PURCHASE["response"], accepted, aside)
    notes = tuple(f"{file.name}: {note}" for note in _notes(text))
    return RunsFile(
        decisions=replace(decisions, notes=notes),
        runs=_run_row(file, text),
        run_ids=(str(text.header["run_id"]),),
    )


def _decision(record: Record, header: Record, bank: Bank) -> dict[str, Any]:
    scenario = text_of(record, "scenario_id")
    if scenario not in bank.scenarios:
        raise RowError(
            "scenario_id", f"no scenario {scenario} in bank {bank.sha256[:12]}"
        )
    reply = record.get("reply")
    if reply is not None and not isinstance(reply, str):
        raise RowError("reply", "is no text")
    read = read_reply(reply)
    return {
        "bank_sha256": bank.sha256,
        "run_id": header["run_id"],
        "source": header["source"],
        "scenario_id": scenario,
        "label": member_of(record, "label", LABELS),
        "repeat": whole_of(record, "repeat"),
        "choice": read.choice,
        "raw_output": reply or None,
        "reply_state": FAILED if is_failed(record) else read.state,
        **{name: optional_text(record, name) for name in _TEXTS},
        **{name: _optional(whole_of, record, name) for name in _COUNTS},
        "cost_usd": _optional(_cost, record, "cost_usd"),
        "secs": _optional(number_of, record, "latency_s"),
    }


def _cost(record: Record, name: str) -> Decimal:
    return stored_cost(number_of(record, name))


def _optional(read: Any, record: Record, name: str) -> Any:
    return None if record.get(name) is None else read(record, name)


def _run_row(file: FileId, text: JournalText) -> ParsedFile:
    header = text.header
    try:
        known = {
            name: text_of(header, name)
            for name in (
                *("run_id", "source", "variant", "prompt_sha256", "protocol"),
                "model",
            )
        }
    except RowError as error:
        raise LoadError(
            f"{file.name} line 1, {error.field}: {error.reason}; it is no journal of "
            "this version"
        ) from error
    row = {
        **{name: value for name, value in known.items() if name != "model"},
        "bank_sha256": file.bank_sha256,
        "model_tag": known["model"],
        "settings": json.dumps(_settings(text), sort_keys=True),
        "run_date": _date(text.records[0][1]),
        "_source_row": 1,
    }
    return collect(file, "run", RAW_PURCHASE["run"], [row], [])


def _settings(text: JournalText) -> Mapping[str, Any]:
    """Return the settings as wanted, and which of them the endpoint did not take."""
    wanted = text.header.get("settings")
    refused = {
        name for _, record in text.records for name in record.get("not_accepted") or ()
    }
    told = {"not_accepted": sorted(refused)} if refused else {}
    return {**(wanted if isinstance(wanted, dict) else {}), **told}


def _date(record: Record) -> date | None:
    try:
        return date.fromisoformat(str(record.get("asked_at"))[:10])
    except ValueError:
        return None


def _notes(text: JournalText) -> list[str]:
    notes = []
    last = {}
    for _, record in text.records:
        key = tuple(record.get(name) for name in ("scenario_id", "label", "repeat"))
        last[key] = record
    failed = sum(map(is_failed, last.values()))
    if failed:
        notes.append(
            f"{failed} of {len(last)} calls failed; run the same command again to ask "
            "them once more"
        )
    if text.torn:
        notes.append(f"{len(text.torn)} lines were cut off while they were written")
    return notes
