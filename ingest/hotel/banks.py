"""Which bank answers belong to: the one asked for, the source's own, the only one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ingest.errors import LoadError
from ingest.hotel.read_answers import BankTasks
from ingest.hotel.shapes import BANK_FILES, BANK_TYPES
from ingest.warehouse import open_database

_SHOWN = 12


def stored_banks(copy: Path) -> dict[str, BankTasks]:
    """Return the banks of a warehouse by hash.

    Parameters
    ----------
    copy
        A complete warehouse or working copy.

    Returns
    -------
    dict
        In order of hash; empty where no tasks are loaded.
    """
    with open_database(copy, read_only=True) as connection:
        rows = connection.execute(
            "select bank_sha256, task_id, task_type from raw_hotel.task order by all"
        ).fetchall()
    types: dict[str, dict[int, str]] = {}
    for sha256, task_id, task_type in rows:
        types.setdefault(sha256, {})[task_id] = task_type
    return {sha256: BankTasks(sha256, tasks) for sha256, tasks in types.items()}


@dataclass
class Banks:
    """The banks that answers of one load may belong to.

    Attributes
    ----------
    stored
        Banks of the warehouse by hash.
    wanted
        First digits of a hash that was asked for, or None.
    offered
        Kind -> name of the source's task file and its bank; the bank is None where
        the file could not be read.
    taken
        Banks that this load has read, by hash.
    """

    stored: Mapping[str, BankTasks]
    wanted: str | None = None
    offered: dict[str, tuple[str, BankTasks | None]] = field(default_factory=dict)
    taken: dict[str, BankTasks] = field(default_factory=dict)

    def by_hash(self, sha256: str) -> BankTasks | None:
        """Return the bank of a hash, in the warehouse or taken in; None if unknown."""
        return self.taken.get(sha256) or self.stored.get(sha256)

    def choose(self, kind: str) -> BankTasks:
        """Return the bank for answers of one kind.

        Parameters
        ----------
        kind
            ``conjoint`` or ``fiveopt``.

        Returns
        -------
        BankTasks
            The one asked for; else that of the source; else the warehouse's only one.

        Raises
        ------
        LoadError
            Where there is none, or several to choose from.
        """
        known = self._of_kind(kind)
        asked = self._asked_for(known)
        if asked is not None:
            return asked
        name, offered = self.offered.get(kind, (BANK_FILES[kind], None))
        if offered is not None:
            return offered
        if kind in self.offered:
            raise LoadError(f"the source's own {name} could not be read; mend it first")
        if len(known) == 1:
            return known[0]
        if known:
            raise LoadError(
                f"the source has no {name} and the warehouse {len(known)} banks of "
                f"this kind: {_listed(known)}; say which with --bank and its first "
                "digits"
            )
        raise LoadError(
            f"neither the source nor the warehouse has their tasks; load {name} with "
            "them or first"
        )

    def _asked_for(self, known: list[BankTasks]) -> BankTasks | None:
        if self.wanted is None:
            return None
        found = [one for one in known if one.sha256.startswith(self.wanted)]
        if len(found) == 1:
            return found[0]
        # a bank of another kind was meant: it says nothing about this one
        if not found and any(one.startswith(self.wanted) for one in self._all()):
            return None
        raise LoadError(
            f"{len(found)} banks of this kind start with {self.wanted!r}; known are "
            f"{_listed(known)}; give the first digits of one"
        )

    def _all(self) -> dict[str, BankTasks]:
        offered = [bank for _, bank in self.offered.values() if bank is not None]
        return {**self.stored, **{bank.sha256: bank for bank in offered}}

    def _of_kind(self, kind: str) -> list[BankTasks]:
        types = BANK_TYPES[kind]
        return [
            bank
            for _, bank in sorted(self._all().items())
            if any(task_type in types for task_type in bank.task_types.values())
        ]


def _listed(banks: list[BankTasks]) -> str:
    return ", ".join(bank.sha256[:_SHOWN] for bank in banks) or "none"
