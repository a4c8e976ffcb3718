"""Which offset the task ids of an answer file carry: told by the file as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.schemas import OPTION_COUNT, OPTION_LETTERS

# offsets that the publisher added to task ids, the likeliest of each order first
ID_OFFSETS = {"original": (0, 1000, 10000), "swapped": (10000, 1000, 0)}
# ids of swapped files start above this, and must not meet those of the plain ones
MOST_TASKS = ID_OFFSETS["swapped"][0] - 1

# one reading of doubtful ids must explain more rows than the next by this share of them
_CLEAR_SHARE = 0.1

_Options = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AnswerId:
    """One answer: its line, the task id as it stands, the choice as it stands."""

    line: int
    task_id: int
    choice: str


@dataclass(frozen=True, slots=True)
class IdOffsets:
    """The offsets of one file.

    Attributes
    ----------
    offsets
        Those that were tried, the likeliest first.
    task_types
        The bank: ``task_id`` -> type.
    decided
        Offsets that fit one id alike -> the one that is meant in this file.
    doubts
        One line per decision that the file does not bear out.
    """

    offsets: _Options
    task_types: Mapping[int, str]
    decided: Mapping[_Options, int]
    doubts: tuple[str, ...]

    def of(self, task_id: int) -> int | None:
        """Return the offset of an id; None where no offset gives a task."""
        fitting = _fitting(task_id, self.offsets, self.task_types)
        if len(fitting) > 1:
            return self.decided.get(fitting, fitting[0])
        return fitting[0] if fitting else None


def decide_offsets(
    answers: Sequence[AnswerId], ordering: str, task_types: Mapping[int, str]
) -> IdOffsets:
    """Decide which offset is meant where an id fits tasks with several.

    An id that fits with one offset alone is evidence for it, and so is a choice that
    only one of the tasks offers. All ids that fit with the same offsets are read with
    that one of them which explains most rows of the file, so that no block is torn
    apart; a file may hold blocks under different offsets all the same.

    Parameters
    ----------
    answers
        Every row of the file with a readable id.
    ordering
        ``original`` or ``swapped``.
    task_types
        The bank: ``task_id`` -> ``binary``, ``ternary`` or ``fiveopt``.

    Returns
    -------
    IdOffsets
        A doubt for every decision that is close, or that rows under another offset
        speak against. The offset that is usual for the order needs no evidence.
    """
    offsets = ID_OFFSETS[ordering]
    sure: Counter[int] = Counter()
    open_ids: dict[_Options, list[AnswerId]] = {}
    for answer in answers:
        fitting = _fitting(answer.task_id, offsets, task_types)
        if len(fitting) > 1:
            open_ids.setdefault(fitting, []).append(answer)
        elif fitting:
            sure[fitting[0]] += 1
    decided: dict[_Options, int] = {}
    doubts: list[str] = []
    for fitting, group in open_ids.items():
        explained = {
            offset: sure[offset] + _choices_that_fit(group, offset, task_types)
            for offset in fitting
        }
        ranked = sorted(fitting, key=lambda one: -explained[one])  # ties keep order
        best, others = ranked[0], ranked[1:]
        decided[fitting] = best
        lead = explained[best] - explained[others[0]]
        clear = best == offsets[0] or lead >= _CLEAR_SHARE * len(group)
        if not clear or any(sure[one] for one in others):
            doubts.append(_doubt(group, fitting, best))
    return IdOffsets(offsets, task_types, decided, tuple(doubts))


def _fitting(
    task_id: int, offsets: _Options, task_types: Mapping[int, str]
) -> _Options:
    return tuple(offset for offset in offsets if task_id - offset in task_types)


def choice_fits(choice: str, task_type: str) -> bool:
    """Return whether a choice is blank or an option of a task of this type."""
    return not choice or choice in OPTION_LETTERS[: OPTION_COUNT[task_type]]


def _choices_that_fit(
    group: Sequence[AnswerId], offset: int, task_types: Mapping[int, str]
) -> int:
    return sum(
        choice_fits(one.choice, task_types[one.task_id - offset]) for one in group
    )


def _doubt(group: Sequence[AnswerId], fitting: _Options, best: int) -> str:
    readings = " and ".join(_reading(one) for one in sorted(fitting))
    return (
        f"the ids of {len(group):,} rows (the first: {group[0].task_id} in line "
        f"{group[0].line}) are tasks {readings}, and the file does not tell which is "
        f"meant; they are read {_reading(best)}; where that is wrong, correct the ids "
        "and load the file with --replace"
    )


def _reading(offset: int) -> str:
    return f"with {offset} taken off" if offset else "as they stand"
