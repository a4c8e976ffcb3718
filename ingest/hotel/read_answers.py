"""Reading a file of one model's answers in one order."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ingest.csv_rows import CsvFile, Row, read_csv
from ingest.fields import FieldError, whole
from ingest.hotel.id_offsets import AnswerId, IdOffsets, choice_fits, decide_offsets
from ingest.hotel.shapes import AnswerFile
from ingest.parsed_file import FileId, ParsedFile, RowError, collect, parse_csv
from ingest.schemas import OPTION_COUNT, OPTION_LETTERS, RAW_HOTEL
from ingest.sources import RELEASE

COLUMNS = ("task_id", "choice", "raw_output")

# a release asks each task once; rows beyond that are doubles, which staging marks
FIRST_REPEAT = 1

_task_id = whole(0)


@dataclass(frozen=True, slots=True)
class BankTasks:
    """The tasks that answers are matched to.

    Attributes
    ----------
    sha256
        Hash of the bank's file.
    task_types
        ``task_id`` -> ``binary``, ``ternary`` or ``fiveopt``.
    """

    sha256: str
    task_types: Mapping[int, str]


def read_answers(
    file: FileId, data: bytes, answers: AnswerFile, bank: BankTasks
) -> ParsedFile:
    """Read answers: every row of a task the bank has, repeated ones included.

    Parameters
    ----------
    file
        With ``bank_sha256`` = the bank's.
    data
        The file's bytes: columns ``task_id, choice, raw_output``.
    answers
        What its name says.
    bank
        The tasks. Ids may carry an offset of 1000 or 10000, which the file as a whole
        tells (``decide_offsets``).

    Returns
    -------
    ParsedFile
        For ``raw_hotel.response``. A blank choice is null, and so is a blank
        ``raw_output`` (a CSV cannot tell an empty reply from none stored). Rows of
        unknown tasks and with a choice that is no option of their task are set aside.

    Raises
    ------
    LoadError
        Where the file cannot be read as a whole.
    """
    content = read_csv(file.name, data, COLUMNS)
    offsets = decide_offsets(_ids(content), answers.ordering, bank.task_types)
    constant = {
        "bank_sha256": bank.sha256,
        "run_id": answers.run_id,
        "source": RELEASE,
        "ordering": answers.ordering,
        "repeat": FIRST_REPEAT,
        "reply_state": None,
    }

    def parse(row: Row) -> dict[str, Any]:
        id_text, choice_text, raw_output = row.fields
        task_id, offset = _match(id_text, offsets, bank)
        bank_task_id = task_id - offset
        choice = _choice(choice_text, bank_task_id, bank.task_types[bank_task_id])
        return {
            **constant,
            "task_id": task_id,
            "id_offset": offset,
            "bank_task_id": bank_task_id,
            "choice": choice,
            "published_choice": choice,
            "raw_output": raw_output or None,
        }

    parsed = parse_csv(file, "response", RAW_HOTEL["response"], content, parse)
    notes = [f"{file.name}: {doubt}" for doubt in offsets.doubts]
    return replace(parsed, notes=(*parsed.notes, *notes, *_none_fits(parsed, bank)))


def _ids(content: CsvFile) -> list[AnswerId]:
    found = []
    for row in content.rows:
        with suppress(FieldError):
            found.append(AnswerId(row.line, _task_id(row.fields[0]), row.fields[1]))
    return found


def _match(text: str, offsets: IdOffsets, bank: BankTasks) -> tuple[int, int]:
    try:
        task_id = _task_id(text)
    except FieldError as error:
        raise RowError("task_id", str(error)) from error
    offset = offsets.of(task_id)
    if offset is None:
        raise RowError(
            "task_id",
            f"no task {task_id} in bank {bank.sha256[:12]}, nor with "
            f"{' or '.join(str(one) for one in sorted(offsets.offsets) if one)} taken "
            "off",
        )
    return task_id, offset


def _choice(text: str, task_id: int, task_type: str) -> str | None:
    if not choice_fits(text, task_type):
        options = OPTION_LETTERS[: OPTION_COUNT[task_type]]
        raise RowError(
            "choice",
            f"{text!r} is no option of the {task_type} task {task_id} "
            f"({', '.join(options)})",
        )
    return text or None


def _none_fits(parsed: ParsedFile, bank: BankTasks) -> list[str]:
    if parsed.account.rows_accepted or not parsed.quarantined:
        return []
    first = parsed.quarantined[0]
    return [
        f"{first.source_file}: none of its {parsed.account.rows_read} rows fits bank "
        f"{bank.sha256[:12]} (line {first.source_row}, {first.field}: {first.reason})"
    ]


def run_row(file: FileId, answers: AnswerFile) -> ParsedFile:
    """Return the run that an answer file belongs to, as a row of its own.

    Parameters
    ----------
    file
        The first file of the run; the row's provenance.
    answers
        What its name says.

    Returns
    -------
    ParsedFile
        One row for ``raw_hotel.run``; what a release does not store is null.
    """
    row = {
        "run_id": answers.run_id,
        "bank_sha256": file.bank_sha256,
        "source": RELEASE,
        "model_tag": answers.tag,
        "variant": answers.variant,
        "protocol": "published",
        "settings": answers.settings,
        "_source_row": 1,
    }
    return collect(file, "run", RAW_HOTEL["run"], [row], [])
