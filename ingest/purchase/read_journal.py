"""Reading the journal of a purchase run: a line per call, the last one counts."""

from __future__ import annotations

from functools import partial
from typing import Any

from ingest.errors import LoadError
from ingest.journal import JournalText, Record
from ingest.journal_rows import read_run, reply_of, require_bank
from ingest.json_rows import member_of, text_of, whole_of
from ingest.parsed_file import FileId, RowError
from ingest.purchase.bank import make_bank
from ingest.purchase.collect import INSTRUMENT, KEY
from ingest.purchase.read_bank import Bank
from ingest.purchase.read_runs import RunsFile
from ingest.purchase.reply import read_reply
from ingest.purchase.scenario import LABELS
from ingest.run_calls import FAILED


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
    require_bank(bank.sha256, wanted, given, name)
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
        As ``ingest.journal_rows.read_run`` has it; replies are read anew, so that one
        reader serves all journals.

    Raises
    ------
    LoadError
        Where the header lacks what a run needs, or no call is in it.
    """
    found = read_run(file, text, INSTRUMENT, KEY, partial(_decision, bank=bank))
    return RunsFile(
        decisions=found.answers, runs=found.run, run_ids=(str(text.header["run_id"]),)
    )


def _decision(record: Record, bank: Bank) -> dict[str, Any]:
    scenario = text_of(record, "scenario_id")
    if scenario not in bank.scenarios:
        raise RowError(
            "scenario_id", f"no scenario {scenario} in bank {bank.sha256[:12]}"
        )
    reply = reply_of(record)
    read = read_reply(reply)
    return {
        "scenario_id": scenario,
        "label": member_of(record, "label", LABELS),
        "repeat": whole_of(record, "repeat"),
        "choice": read.choice,
        "raw_output": reply or None,
        "reply_state": FAILED if reply is None else read.state,
    }
