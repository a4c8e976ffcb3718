"""Which bank decisions belong to: the one beside them, one loaded, one drawn again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.errors import LoadError
from ingest.json_rows import JsonRow
from ingest.purchase.bank import SIZE, make_bank
from ingest.purchase.read_bank import Bank, read_scenario
from ingest.purchase.read_runs import first_difference, scenario_ids
from ingest.purchase.stored import stored_scenarios

_ID = re.compile(r"O8-([0-9]{1,18})-[0-9]{3,}")


@dataclass
class Banks:
    """The banks that decisions of one load may belong to.

    Attributes
    ----------
    stored
        Banks of the warehouse, in order of hash.
    size
        Scenarios of a bank that is drawn again.
    offered
        Banks of the source, by file name; None where the file could not be read.
    drawn
        Seed -> bank drawn again in this load.
    """

    stored: Sequence[Bank]
    size: int | None = None
    offered: dict[str, Bank | None] = field(default_factory=dict)
    drawn: dict[int, Bank] = field(default_factory=dict)

    def choose(self, rows: Sequence[JsonRow]) -> Bank:
        """Return the bank of a runs file.

        Parameters
        ----------
        rows
            Its lines.

        Returns
        -------
        Bank
            One of the source that has its scenarios; else one that is loaded and
            agrees with every row; else the one drawn again from seed and size.

        Raises
        ------
        LoadError
            Where there is none, or what the rows state about value and best options
            differs from it.
        """
        if None in self.offered.values():
            raise LoadError(
                "the bank file beside it could not be read; mend that one first"
            )
        beside = [bank for bank in self.offered.values() if bank]
        known = _most_of(rows, beside)
        if not known and self.size is None:
            known = [one for one in _most_of(rows, self.stored) if _agrees(rows, one)]
        known = known or [self._draw_again(rows)]
        for bank in known:
            if _agrees(rows, bank):
                return bank
        raise LoadError(
            f"it was asked with another bank ({first_difference(rows, known[0])}); put "
            "its bank_*.json beside it, or give the --size of the bank"
        )

    def _draw_again(self, rows: Sequence[JsonRow]) -> Bank:
        ids = scenario_ids(rows)
        seeds = Counter(
            int(match[1]) for sid in ids if (match := _ID.fullmatch(sid)) is not None
        )
        if not seeds:
            raise LoadError(
                f"no bank has its scenarios ({', '.join(sorted(set(ids))[:2])}, …) and "
                "none can be drawn from such ids; put its bank_*.json beside it"
            )
        seed = seeds.most_common(1)[0][0]
        if seed not in self.drawn:
            size = SIZE if self.size is None else self.size
            self.drawn[seed] = Bank.of(make_bank(size, seed))
        return self.drawn[seed]


def stored_banks(copy: Path) -> list[Bank]:
    """Return the banks of a warehouse.

    Parameters
    ----------
    copy
        A complete warehouse or working copy.

    Returns
    -------
    list of Bank
        In order of hash; empty where none is loaded.
    """
    return [
        Bank(sha256, {one.scenario_id: one for one in map(read_scenario, items)})
        for sha256, items in stored_scenarios(copy).items()
    ]


def _agrees(rows: Iterable[JsonRow], bank: Bank) -> bool:
    return first_difference(rows, bank) is None


def _most_of(rows: Iterable[JsonRow], banks: Iterable[Bank]) -> list[Bank]:
    """Return the banks that have any of the scenarios, those with most first."""
    ids = set(scenario_ids(rows))
    held = [(len(ids & bank.scenarios.keys()), bank) for bank in banks]
    return [bank for count, bank in sorted(held, key=lambda x: -x[0]) if count]
