"""What the journals of all instruments have in common, as rows of raw tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from ingest.call_faults import told_by_kind
from ingest.errors import LoadError
from ingest.journal import JournalText, Record, last_by
from ingest.json_rows import dollars_of, number_of, optional_text, text_of, whole_of
from ingest.parsed_file import FileId, ParsedFile, RowError, collect
from ingest.run_calls import is_failed, kind_of
from ingest.schemas import RAW

_COUNTS = ("prompt_tokens", "completion_tokens", "reasoning_tokens")
_TEXTS = ("error", "provider", "model_id_served", "finish")
_RUN_TEXTS = ("run_id", "source", "variant", "prompt_sha256", "protocol")

# a record to the values of its row; raises RowError for one to be set aside
ReadRecord = Callable[[Record], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class JournalRun:
    """A journal, read.

    Attributes
    ----------
    answers, run
        Rows of the raw tables ``response`` and ``run``.
    """

    answers: ParsedFile
    run: ParsedFile


def read_run(
    file: FileId,
    text: JournalText,
    instrument: str,
    names: tuple[str, ...],
    read: ReadRecord,
) -> JournalRun:
    """Read the answers of a journal, and the run that they are.

    Parameters
    ----------
    file
        With ``bank_sha256`` = the bank's.
    text
        The journal.
    instrument
        Whose raw tables.
    names
        The fields of a call's key.
    read
        What an instrument makes of one record; run, bank, source and what
        ``call_values`` gives are filled in here.

    Returns
    -------
    JournalRun
        Every record. Lines that a kill cut off are set aside: their calls were asked
        again.

    Raises
    ------
    LoadError
        Where the header lacks what a run needs, or no call is in it.
    """
    if not text.records:
        raise LoadError(f"{file.name} holds no call yet; run its command again")
    run = _run_row(file, text, instrument)
    own = {name: text.header[name] for name in ("run_id", "source")}
    own["bank_sha256"] = file.bank_sha256
    accepted: list[dict[str, Any]] = []
    aside = [(line, "*", "cut off while it was written", "") for line in text.torn]
    for line, record in text.records:
        try:
            row = {**own, **read(record), **call_values(record)}
        except RowError as error:
            shown = whole_text(json.dumps(record, ensure_ascii=False))
            aside.append((line, error.field, error.reason, shown))
            continue
        accepted.append({**row, "_source_row": line})
    schema = RAW[f"raw_{instrument}"]["response"]
    answers = collect(file, "response", schema, accepted, sorted(aside))
    notes = tuple(f"{file.name}: {note}" for note in _notes(text, names))
    return JournalRun(replace(answers, notes=notes), run)


def reply_of(record: Record) -> str | None:
    """Return the reply of a record, None where its call failed, or raise RowError."""
    reply = record.get("reply")
    if is_failed(record):
        return None
    if not isinstance(reply, str):
        raise RowError("reply", "is no text")
    return whole_text(reply)


def call_values(record: Record) -> dict[str, Any]:
    """Return what a call tells beside its reply, or raise RowError.

    Parameters
    ----------
    record
        A record of any journal.

    Returns
    -------
    dict
        Columns of ``response`` that all instruments have; null what nobody told.
    """
    texts = {name: optional_text(record, name) for name in _TEXTS}
    return {
        **{name: text and whole_text(text) for name, text in texts.items()},
        **{name: _optional(whole_of, record, name) for name in _COUNTS},
        "cost_usd": _optional(dollars_of, record, "cost_usd"),
        "secs": _optional(number_of, record, "latency_s"),
    }


def _optional(read: Callable[..., Any], record: Record, name: str) -> Any:
    return None if record.get(name) is None else read(record, name)


def whole_text(text: str) -> str:
    """Return a text with a mark for each half of a character.

    Parameters
    ----------
    text
        A limit of tokens may have cut it inside an emoji.

    Returns
    -------
    str
        One that any encoding can write.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _run_row(file: FileId, text: JournalText, instrument: str) -> ParsedFile:
    header = text.header
    try:
        known = {name: text_of(header, name) for name in _RUN_TEXTS}
        model = text_of(header, "model")
    except RowError as error:
        raise LoadError(
            f"{file.name} line 1, {error.field}: {error.reason}; it is no journal of "
            "this version"
        ) from error
    row = {
        **known,
        "bank_sha256": file.bank_sha256,
        "model_tag": model,
        "settings": json.dumps(_settings(text), sort_keys=True),
        "run_date": _date(text.records[0][1]),
        "_source_row": 1,
    }
    return collect(file, "run", RAW[f"raw_{instrument}"]["run"], [row], [])


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


def _notes(text: JournalText, names: tuple[str, ...]) -> list[str]:
    notes = []
    last = last_by(text.records, names)
    failed = [record for _, record in last.values() if is_failed(record)]
    if failed:
        kinds = told_by_kind(Counter(map(kind_of, failed)))
        notes.append(
            f"{len(failed)} of {len(last)} calls failed ({kinds}); run the same "
            "command again to ask them once more"
        )
    if text.torn:
        notes.append(f"{len(text.torn)} lines were cut off while they were written")
    return notes


def require_bank(found: str, wanted: str, drawn: Record, name: str) -> None:
    """Refuse a bank that is not the one that a journal was asked with.

    Parameters
    ----------
    found
        Hash of the bank as it was drawn again.
    wanted
        That of the bank which was asked about, as the header has it.
    drawn
        ``seed`` and ``size`` that the header gives.
    name
        How messages call it.

    Raises
    ------
    LoadError
        Where the hashes differ.
    """
    if found != wanted:
        raise LoadError(
            f"{name} line 1: the bank of seed {drawn['seed']} and size {drawn['size']} "
            f"has sha256 {found[:12]}, not {wanted[:12]}; it was asked by another "
            "version"
        )
