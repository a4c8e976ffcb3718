"""Which part of a run a phase works on: systems, products, tracks (search.md 7.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.errors import LoadError
from ingest.search.read_bank import some
from ingest.search.schemas import TRACKS

Task = Mapping[str, Any]

BOTH = "both"
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Scope:
    """What a phase is to work on; by default everything.

    Attributes
    ----------
    systems
        Agents by their slugs; None: all.
    first, last
        Places of the first and the last product in the order of position, from 1; a
        ``last`` of None is the end.
    only
        Labels or ids of products; None: all.
    tracks
        In the order of the run.
    """

    systems: tuple[str, ...] | None = None
    first: int = 1
    last: int | None = None
    only: tuple[str, ...] | None = None
    tracks: tuple[str, ...] = TRACKS

    def tasks(self, tasks: Iterable[Task]) -> list[Task]:
        """Return the products in scope, in the order of position.

        Parameters
        ----------
        tasks
            Records of ``tasks.json``.

        Returns
        -------
        list of mapping

        Raises
        ------
        LoadError
            For a range that begins behind the last product, or a label nobody has.
        """
        ordered = sorted(tasks, key=lambda one: (one["position"], one["task_id"]))
        if self.first > max(len(ordered), 1):
            raise LoadError(
                f"range: it begins at {self.first}, and the run has {len(ordered)} "
                "products"
            )
        found = ordered[self.first - 1 : self.last]
        if self.only is None:
            return found
        names = {name for one in ordered for name in _names(one)}
        _refuse_unknown("only", "product", self.only, sorted(names))
        return [one for one in found if set(_names(one)) & set(self.only)]

    def agents(self, known: Iterable[str]) -> list[str]:
        """Return the agents in scope, in order of name.

        Parameters
        ----------
        known
            Those there are.

        Returns
        -------
        list of str

        Raises
        ------
        LoadError
            For one that is not there.
        """
        there = sorted(set(known))
        if self.systems is None:
            return there
        _refuse_unknown("systems", "agent", self.systems, there)
        return [one for one in there if one in self.systems]


def read_scope(
    *,
    systems: str | None = None,
    first: int | None = None,
    places: str | None = None,
    only: str | None = None,
    track: str = BOTH,
) -> Scope:
    """Read the scope options of a command.

    Parameters
    ----------
    systems
        Agents with commas between them.
    first
        So many products from the start.
    places
        ``A-B``, from 1, both ends included.
    only
        Labels or ids of products with commas between them.
    track
        exact, equiv or both.

    Returns
    -------
    Scope

    Raises
    ------
    LoadError
        For a number below 1, a range that is none or runs backwards, two options that
        both choose products, or another track.
    """
    given = {"first": first, "range": places, "only": only}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) > 1:
        raise LoadError(f"{' and '.join(chosen)} both choose products; give one")
    if track not in (*TRACKS, BOTH):
        raise LoadError(f"track: {track!r} is not one of {', '.join((*TRACKS, BOTH))}")
    start, last = _places(first, places)
    return Scope(
        systems=_listed("systems", systems),
        first=start,
        last=last,
        only=_listed("only", only),
        tracks=TRACKS if track == BOTH else (track,),
    )


def _places(first: int | None, places: str | None) -> tuple[int, int | None]:
    if first is not None:
        if first < 1:
            raise LoadError(f"first: {first}; name 1 product or more")
        return 1, first
    if places is None:
        return 1, None
    match = _RANGE.fullmatch(places.strip())
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise LoadError(f"range: {places!r} is no range like 5-10, counted from 1")
    return int(match[1]), int(match[2])


def _listed(option: str, given: str | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    found = tuple(dict.fromkeys(one.strip() for one in given.split(",") if one.strip()))
    if not found:
        raise LoadError(f"{option}: nothing is named")
    return found


def _names(task: Task) -> tuple[str, str]:
    return task["label"], task["task_id"]


def _refuse_unknown(
    option: str, what: str, named: Sequence[str], known: Sequence[str]
) -> None:
    odd = [one for one in named if one not in known]
    if odd:
        there = some(list(known), 8) or "none"
        raise LoadError(f"{option}: no {what} {odd[0]!r} in this run ({there})")
