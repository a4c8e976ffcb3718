"""One shopper's run over a bank: its rows, their accounts, its files."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ingest.hotel.bank import ORDERINGS, Tasks, bank_kind
from ingest.hotel.id_offsets import ID_OFFSETS
from ingest.hotel.read_answers import COLUMNS, FIRST_REPEAT
from ingest.hotel.shoppers import Answer, Shopper, answers, true_terms
from ingest.registry import hotel_variants
from ingest.sources import SIMULATED, SIMULATED_PREFIX
from ingest.warehouse import FileAccount

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """What one shopper adds to a warehouse.

    Attributes
    ----------
    rows
        Rows of ``response``, ``run`` and ``simulated_taste``, provenance included.
    accounts
        One per file and table: an answer file for each ordering, and the shopper's
        description, which gives the run and its tastes.
    files
        The same as files in the shapes of the published release.
    """

    rows: Mapping[str, Rows]
    accounts: tuple[FileAccount, ...]
    files: Mapping[str, bytes]


def run_name(model_tag: str, variant: str, seed: int, plain_seed: int) -> str:
    """Return the run id of a shopper.

    Parameters
    ----------
    model_tag
        ``simulated/balanced``, or the id of a real model.
    variant
        ``base`` is not written.
    seed, plain_seed
        Seed of the simulation, written unless it is the plain one.

    Returns
    -------
    str
        ``simulated/balanced``, ``simulated/google/gemma-2-9b-it``,
        ``simulated/balanced/seed-7``.
    """
    parts = _name_parts(model_tag, seed, plain_seed)
    parts += [] if variant == "base" else [variant]
    return SIMULATED_PREFIX + "/".join(parts)


def _name_parts(model_tag: str, seed: int, plain_seed: int) -> list[str]:
    seed_part = [] if seed == plain_seed else [f"seed-{seed}"]
    return [model_tag.removeprefix(SIMULATED_PREFIX), *seed_part]


def _file_tag(model_tag: str, seed: int, plain_seed: int) -> str:
    name = "_".join(_name_parts(model_tag, seed, plain_seed))
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)


def _shopper_name(file_tag: str) -> str:
    return f"shopper_{file_tag}.json"


def is_shopper_file(name: str) -> bool:
    """Return whether a file name is that of a shopper's description."""
    return re.fullmatch(_shopper_name(r"[A-Za-z0-9._-]+"), name) is not None


def simulate_run(
    shopper: Shopper, bank: Tasks, bank_sha256: str, seed: int, *, plain_seed: int
) -> SimulatedRun:
    """Let one shopper answer a bank.

    Parameters
    ----------
    shopper
        Who answers. Its stream is seeded by ``seed`` and its model tag alone.
    bank
        Tasks of one kind of file.
    bank_sha256
        Hash of that file.
    seed, plain_seed
        As in ``run_name``.

    Returns
    -------
    SimulatedRun
        Two answers per task; tastes as ``true_terms`` gives them.
    """
    variant = "fiveopt" if bank_kind(bank) == "fiveopt" else "base"
    run_id = run_name(shopper.model_tag, variant, seed, plain_seed)
    key = {"bank_sha256": bank_sha256, "run_id": run_id, "source": SIMULATED}
    settings = {"seed": seed, "shopper": asdict(shopper)}
    description = f"{json.dumps(settings, sort_keys=True, indent=2)}\n".encode()
    run_row = {
        **key,
        "model_tag": shopper.model_tag,
        "variant": variant,
        "protocol": SIMULATED,
        "settings": json.dumps(settings, sort_keys=True),
    }
    truth = true_terms(shopper, {task.task_type for task in bank})
    taste_rows = [
        {"run_id": run_id, "term": term, "value": value}
        for term, value in truth.items()
    ]
    given = answers(bank, shopper, _stream(shopper, seed))
    books = _Books(run_id, bank_sha256)
    # The run and its tastes stand in a file without a header: the first row is 1.
    books.enter("run", "shopper.json", description, [run_row], first_row=1)
    books.enter("simulated_taste", "shopper.json", description, taste_rows, first_row=1)
    file_tag = _file_tag(shopper.model_tag, seed, plain_seed)
    files = {_shopper_name(file_tag): description}
    for ordering in ORDERINGS:
        part = [answer for answer in given if answer.ordering == ordering]
        content = _answers_csv(part)
        rows = [key | _response(answer) for answer in part]
        books.enter("response", f"{ordering}.csv", content, rows, first_row=2)
        files[_answers_name(file_tag, variant, ordering)] = content
    return SimulatedRun(books.rows, tuple(books.accounts), files)


def _stream(shopper: Shopper, seed: int) -> np.random.Generator:
    digest = hashlib.sha256(shopper.model_tag.encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8])])


class _Books:
    """Rows with their provenance, and the account of every file, kept together."""

    def __init__(self, run_id: str, bank_sha256: str) -> None:
        self.run_id = run_id
        self.bank_sha256 = bank_sha256
        self.rows: dict[str, Rows] = {"response": [], "run": [], "simulated_taste": []}
        self.accounts: list[FileAccount] = []

    def enter(
        self, table: str, name: str, content: bytes, rows: Rows, *, first_row: int
    ) -> None:
        """Enter one file's rows into a table; a file without rows leaves no trace."""
        if not rows:
            return
        source_file = f"{self.run_id}/{name}"
        sha256 = hashlib.sha256(content).hexdigest()
        for number, row in enumerate(rows, start=first_row):
            provenance = {
                "_source_file": source_file,
                "_source_sha256": sha256,
                "_source_row": number,
            }
            self.rows[table].append(row | provenance)
        bank = None if table == "simulated_taste" else self.bank_sha256
        count = len(rows)
        self.accounts.append(
            FileAccount(table, source_file, sha256, bank, count, count)
        )


def _answers_name(file_tag: str, variant: str, ordering: str) -> str:
    suffix = hotel_variants()[variant].file_suffix
    tail = f"_{suffix}" if suffix else ""
    tail += "" if ordering == "original" else "_swap"
    return f"conjoint_results_{file_tag}{tail}.csv"


def _answers_csv(given: Sequence[Answer]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for answer in given:
        task_id = answer.task_id + _id_offset(answer)
        writer.writerow((task_id, answer.choice, answer.raw_output))
    return out.getvalue().encode()


def _id_offset(answer: Answer) -> int:
    return ID_OFFSETS[answer.ordering][0]


def _response(answer: Answer) -> dict[str, Any]:
    return {
        "ordering": answer.ordering,
        "repeat": FIRST_REPEAT,
        "task_id": answer.task_id + _id_offset(answer),
        "id_offset": _id_offset(answer),
        "bank_task_id": answer.task_id,
        "choice": answer.choice,
        "published_choice": answer.choice,
        "raw_output": answer.raw_output,
        "reply_state": answer.reply_state,
    }
