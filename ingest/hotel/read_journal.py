"""Reading the journal of a hotel run: a line per call, both readings of its reply."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

from ingest.errors import LoadError
from ingest.hotel.asked_bank import AskedBank, drawn_bank
from ingest.hotel.bank import ORDERINGS
from ingest.hotel.collect import INSTRUMENT, KEY, read_choice
from ingest.hotel.id_offsets import ID_OFFSETS
from ingest.hotel.read_answers import FIRST_REPEAT, BankTasks
from ingest.hotel.shapes import BANK_FILES
from ingest.journal import JournalText, Record
from ingest.journal_rows import JournalRun, read_run, reply_of, require_bank
from ingest.json_rows import member_of, number_of, text_of, whole_of
from ingest.parsed_file import FileId, RowError
from ingest.registry import hotel_variant
from ingest.run_calls import FAILED


def journal_bank(text: JournalText, name: str) -> AskedBank:
    """Draw the bank again that a journal was asked with.

    Parameters
    ----------
    text
        The journal.
    name
        How messages call it.

    Returns
    -------
    AskedBank
        From the kind, seed and size in its header.

    Raises
    ------
    LoadError
        Where the bank was read from a file, the header lacks something, or the bank
        drawn again is another.
    """
    given = text.header.get("bank")
    try:
        if not isinstance(given, dict):
            raise RowError("bank", "missing")
        wanted = text_of(text.header, "bank_sha256")
        kind = member_of(given, "kind", tuple(BANK_FILES))
        if "seed" not in given:
            raise LoadError(
                f"{name}: its bank {wanted[:12]} is neither in the source nor in the "
                "warehouse; load the folder that the journal stands in, which has it "
                "too, or its task file first"
            )
        seed, size = whole_of(given, "seed"), whole_of(given, "size", least=1)
    except RowError as error:
        raise LoadError(f"{name} line 1, {error.field}: {error.reason}") from error
    bank = drawn_bank(kind, seed=seed, size=size)
    require_bank(bank.sha256, wanted, given, name)
    return bank


def read_journal_run(file: FileId, text: JournalText, bank: BankTasks) -> JournalRun:
    """Read the answers of a journal.

    Parameters
    ----------
    file
        With ``bank_sha256`` = the bank's.
    text
        The journal.
    bank
        The tasks that it asks about.

    Returns
    -------
    JournalRun
        As ``ingest.journal_rows.read_run`` has it; replies are read anew, so that one
        reader serves all journals. Tasks are numbered as a release numbers them, with
        the usual offset of their order.

    Raises
    ------
    LoadError
        Where the header lacks what a run needs, or no call is in it.
    """
    variant = hotel_variant(str(text.header.get("variant"))).name
    read = partial(_answer, bank=bank, variant=variant)
    return read_run(file, text, INSTRUMENT, KEY, read)


def _answer(record: Record, bank: BankTasks, variant: str) -> dict[str, Any]:
    task_id = whole_of(record, "task_id")
    task_type = bank.task_types.get(task_id)
    if task_type is None:
        raise RowError("task_id", f"no task {task_id} in bank {bank.sha256[:12]}")
    ordering = member_of(record, "ordering", ORDERINGS)
    offset = ID_OFFSETS[ordering][0]
    reply = reply_of(record)
    found: dict[str, str | None] = (
        {"reply_state": FAILED, "choice": None, "published_choice": None}
        if reply is None
        else read_choice(reply, task_type, ordering, variant)
    )
    return {
        "ordering": ordering,
        "repeat": whole_of(record, "repeat", least=FIRST_REPEAT),
        "task_id": task_id + offset,
        "id_offset": offset,
        "bank_task_id": task_id,
        **found,
        "raw_output": reply or None,
        "first_tokens": _first_tokens(record),
    }


def _first_tokens(record: Record) -> str | None:
    given = record.get("first_tokens")
    if given is None:
        return None
    if not isinstance(given, dict):
        raise RowError("first_tokens", "is no JSON object")
    numbers = {name: number_of(given, name, least=-math.inf) for name in given}
    # escapes keep what half a character would break
    return json.dumps(numbers, sort_keys=True)
