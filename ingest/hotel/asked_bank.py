"""The bank that a run asks about: drawn anew, or read from its task file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ingest.errors import LoadError
from ingest.hotel.bank import Option, Task, Tasks, write_tasks_csv
from ingest.hotel.pool import make_pool
from ingest.hotel.read_tasks import HEAD, read_tasks
from ingest.hotel.shapes import BANK_FILES
from ingest.hotel.sized_bank import PUBLISHED_SEED, PUBLISHED_SIZE, sized_bank
from ingest.parsed_file import FileId
from ingest.schemas import OPTION_COUNT, OPTION_FIELDS, OPTION_LETTERS
from ingest.whole_file import write_whole

# how a bank that was read is kept beside its journals: its hash tells it from others
_KEPT = re.compile(r"bank_[0-9a-f]{12}\.csv")
_HASH_DIGITS = 12


@dataclass(frozen=True, slots=True)
class AskedBank:
    """A bank with its task file.

    Attributes
    ----------
    kind
        ``conjoint`` or ``fiveopt``.
    tasks
        In file order.
    content
        The task file, whose hash names the bank.
    origin
        How it is made again: kind, seed and size; the kind alone where it was read.
    """

    kind: str
    tasks: Tasks
    content: bytes
    origin: Mapping[str, Any]

    @property
    def sha256(self) -> str:
        """Return the hash that names the bank."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def is_drawn(self) -> bool:
        """Return whether its origin is enough to make it again."""
        return "seed" in self.origin

    @property
    def kept_as(self) -> str:
        """Return the name of its task file beside its journals."""
        return f"bank_{self.sha256[:_HASH_DIGITS]}.csv"


def is_kept_bank(name: str) -> bool:
    """Return whether a file name is that of a bank beside journals."""
    return _KEPT.fullmatch(PurePosixPath(name).name) is not None


def kind_of_file(content: bytes) -> str:
    """Return which kind of bank a task file holds, by its columns."""
    last = f"{OPTION_LETTERS[OPTION_COUNT['fiveopt'] - 1].lower()}_price"
    head = content.split(b"\n", 1)[0]
    return "fiveopt" if last.encode() in head else "conjoint"


def drawn_bank(
    kind: str, *, seed: int | None = None, size: int | None = None
) -> AskedBank:
    """Draw a bank from our own hotels by the published procedure.

    Parameters
    ----------
    kind
        ``conjoint`` or ``fiveopt``.
    seed, size
        Those of the published bank by default.

    Returns
    -------
    AskedBank
        The same for the same arguments.

    Raises
    ------
    LoadError
        Where no such bank can be drawn.
    """
    seed = PUBLISHED_SEED[kind] if seed is None else seed
    size = PUBLISHED_SIZE[kind] if size is None else size
    tasks = sized_bank(make_pool(), kind, size=size, seed=seed)
    origin = {"kind": kind, "seed": seed, "size": size}
    return AskedBank(kind, tasks, write_tasks_csv(tasks), origin)


def read_bank(path: Path, kind: str) -> AskedBank:
    """Read a bank from a task file, or from a folder that holds one.

    Parameters
    ----------
    path
        A task file of any name, or a folder such as the published release.
    kind
        ``conjoint`` or ``fiveopt``: which file of the folder.

    Returns
    -------
    AskedBank
        Its tasks as they stand.

    Raises
    ------
    LoadError
        Where it cannot be read, holds a task that breaks the contract, or is of the
        other kind.
    """
    file = path / BANK_FILES[kind] if path.is_dir() else path
    try:
        content = file.read_bytes()
    except OSError as error:
        raise LoadError(
            f"bank {file} cannot be read ({error.strerror}); name a task file like "
            f"{BANK_FILES[kind]} or its folder"
        ) from error
    found = kind_of_file(content)
    if found != kind:
        raise LoadError(
            f"bank {file} is of kind {found}, and {kind} is asked for: five options "
            "have a variant of their own (fiveopt), which no other bank has"
        )
    parsed = read_tasks(FileId(file.name, "", ""), content, kind)
    if parsed.quarantined:
        bad = parsed.quarantined[0]
        raise LoadError(
            f"bank {file} line {bad.source_row}, {bad.field}: {bad.reason}; mend it "
            "before it is asked about"
        )
    rows = parsed.table.to_pylist()
    return AskedBank(kind, tuple(map(_task, rows)), content, {"kind": kind})


def keep_bank(bank: AskedBank, folder: Path) -> Path | None:
    """Write a bank that was read beside the journals of its runs.

    Parameters
    ----------
    bank
        What is asked about.
    folder
        Of the journals; made if absent.

    Returns
    -------
    Path or None
        The task file, so that the folder can be loaded anywhere; None for a bank that
        its journals tell how to draw.

    Raises
    ------
    LoadError
        Where it cannot be written.
    """
    if bank.is_drawn:
        return None
    path = folder / bank.kept_as
    write_whole(path, bank.content)
    return path


def _task(row: Mapping[str, Any]) -> Task:
    options = OPTION_LETTERS[: OPTION_COUNT[row["task_type"]]]
    return Task(
        **{name: row[name] for name in HEAD},
        options=tuple(_option(row, letter.lower()) for letter in options),
    )


def _option(row: Mapping[str, Any], letter: str) -> Option:
    values = {name: row[f"{letter}_{name}"] for name, _ in OPTION_FIELDS}
    price = values["price"]
    if price != int(price):
        raise LoadError(
            f"task {row['task_id']}, {letter}_price: {price} is no whole number of "
            "dollars, and cards show these alone; round it"
        )
    return Option(**{**values, "price": int(price)})
