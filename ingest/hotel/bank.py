"""Task banks: which hotels meet, and what each of them offers in a task.

The draws follow the published procedure to the generator call, so that the published
pool with the published seed gives the published task file byte for byte.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ingest.errors import LoadError
from ingest.hotel.pool_file import Hotel
from ingest.hotel.read_tasks import task_columns
from ingest.hotel.shapes import BANK_TYPES
from ingest.schemas import OPTION_COUNT

ORDERINGS = ("original", "swapped")
# Half-widths of the uniform draws around a hotel's review level: points, and a share.
SCORE_SPREAD = 0.2
_COUNT_SPREAD = 0.1


class BankError(LoadError):
    """A bank that cannot be drawn; the message is one line."""


class Option(NamedTuple):
    """One hotel as offered in one task; fields stand in the order of the task file.

    Attributes
    ----------
    review_score : float
        Points out of 10, one decimal.
    cancellation_free, breakfast_included : int
        1 yes, 0 no.
    amenities : str
        Texts joined by ``"; "``.
    price : int
        Whole US dollars a night.
    """

    hotel_id: int
    name: str
    stars: float
    neighborhood: str
    review_score: float
    review_count: int
    room_type: str
    cancellation_free: int
    breakfast_included: int
    amenities: str
    price: int


@dataclass(frozen=True, slots=True)
class Task:
    """One choice among 2, 3 or 5 options.

    Attributes
    ----------
    task_id : int
        From 1, in bank order.
    task_type : str
        ``binary``, ``ternary`` or ``fiveopt``.
    group_id : int
        Which pair, triple or quintet of hotels: the cluster of every estimate.
    rep : int
        Which draw of that group, from 1.
    options : tuple of Option
        In rising hotel id; the first is option A.
    """

    task_id: int
    task_type: str
    group_id: int
    rep: int
    options: tuple[Option, ...]


Tasks = tuple[Task, ...]


def draw_bank(
    pool: Sequence[Hotel],
    *,
    pairs: int,
    pair_reps: int,
    triples: int,
    triple_reps: int,
    seed: int,
) -> Tasks:
    """Draw pairs and triples of hotels by the published procedure.

    Parameters
    ----------
    pool : sequence of Hotel
        In id order.
    pairs, triples : int
        Distinct groups of two and of three hotels, 0 or more.
    pair_reps, triple_reps : int
        Draws of each group, 1 or more.
    seed : int
        Seed of the generator (PCG64); the published bank has 2026.

    Returns
    -------
    tuple of Task
        ``pairs * pair_reps`` binary tasks, then ``triples * triple_reps`` ternary ones;
        empty when both counts are 0. Groups are numbered from 1 through both blocks.

    Raises
    ------
    BankError
        When a count or the seed is out of range, or the pool has too few hotels.

    Notes
    -----
    Kireyev 2026, task construction. One generator serves everything, in this order:
    all pairs at once, without replacement, from the lexicographic list of index pairs,
    then sorted; the offers of all binary tasks; the triples by rejection, kept in the
    order found; the offers of all ternary tasks.
    """
    _check_counts(len(pool), pairs, pair_reps, "binary")
    _check_counts(len(pool), triples, triple_reps, "ternary")
    rng = _generator(seed)
    tasks = _draw_tasks(pool, _draw_pairs(len(pool), pairs, rng), pair_reps, rng, 1)
    found = _draw_groups(len(pool), OPTION_COUNT["ternary"], triples, rng)
    tasks += _draw_tasks(pool, found, triple_reps, rng, pairs + 1, len(tasks) + 1)
    return tuple(tasks)


def draw_quintets(pool: Sequence[Hotel], *, quintets: int, seed: int) -> Tasks:
    """Draw groups of five hotels by the published procedure, each once.

    Parameters
    ----------
    pool : sequence of Hotel
        In id order.
    quintets : int
        Distinct groups of five hotels, 0 or more.
    seed : int
        Seed of the generator (PCG64); the published bank has 2027.

    Returns
    -------
    tuple of Task
        ``quintets`` tasks of type ``fiveopt``, ids and groups from 1.

    Raises
    ------
    BankError
        When the count or the seed is out of range, or the pool has too few hotels.
    """
    _check_counts(len(pool), quintets, 1, "fiveopt")
    rng = _generator(seed)
    found = _draw_groups(len(pool), OPTION_COUNT["fiveopt"], quintets, rng)
    return tuple(_draw_tasks(pool, found, 1, rng, 1))


def _generator(seed: int) -> np.random.Generator:
    if seed < 0:
        raise BankError(f"seed: {seed}; give 0 or more")
    return np.random.default_rng(seed)


def _check_counts(hotels: int, groups: int, reps: int, task_type: str) -> None:
    size = OPTION_COUNT[task_type]
    possible = math.comb(hotels, size)
    if not 0 <= groups <= possible:
        raise BankError(
            f"{task_type} groups: {groups} asked, a pool of {hotels} hotels has "
            f"{possible} groups of {size}; ask for 0 to {possible}"
        )
    if reps < 1:
        raise BankError(f"{task_type} draws per group: {reps}; ask for 1 or more")


Group = tuple[int, ...]


def _draw_pairs(hotels: int, pairs: int, rng: np.random.Generator) -> list[Group]:
    first, second = np.triu_indices(hotels, k=1)
    drawn = np.sort(rng.choice(len(first), size=pairs, replace=False))
    return [(int(first[i]), int(second[i])) for i in drawn]


def _draw_groups(
    hotels: int, size: int, groups: int, rng: np.random.Generator
) -> list[Group]:
    found: dict[Group, None] = {}
    while len(found) < groups:
        drawn = rng.choice(hotels, size=size, replace=False)
        found.setdefault(tuple(sorted(int(i) for i in drawn)))
    return list(found)


def _draw_tasks(
    pool: Sequence[Hotel],
    groups: Sequence[Group],
    reps: int,
    rng: np.random.Generator,
    first_group_id: int,
    first_task_id: int = 1,
) -> list[Task]:
    names = {count: name for name, count in OPTION_COUNT.items()}
    appearances = [
        (group_id, group, rep)
        for group_id, group in enumerate(groups, start=first_group_id)
        for rep in range(1, reps + 1)
    ]
    return [
        Task(
            task_id=task_id,
            task_type=names[len(group)],
            group_id=group_id,
            rep=rep,
            options=tuple(_draw_option(pool[i], rng) for i in group),
        )
        for task_id, (group_id, group, rep) in enumerate(
            appearances, start=first_task_id
        )
    ]


def _draw_option(hotel: Hotel, rng: np.random.Generator) -> Option:
    # The order of these draws is part of the published procedure.
    price = int(rng.integers(hotel.price_min, hotel.price_max + 1))
    room_type = hotel.room_types[int(rng.integers(len(hotel.room_types)))]
    cancellation_free = int(rng.random() < hotel.cancellation_free_prob)
    breakfast_included = int(rng.random() < hotel.breakfast_prob)
    score = hotel.review_score_base + rng.uniform(-SCORE_SPREAD, SCORE_SPREAD)
    count = hotel.review_count_base * (1 + rng.uniform(-_COUNT_SPREAD, _COUNT_SPREAD))
    return Option(
        hotel_id=hotel.id,
        name=hotel.name,
        stars=hotel.stars,
        neighborhood=hotel.neighborhood,
        review_score=round(score, 1),
        review_count=round(count),
        room_type=room_type,
        cancellation_free=cancellation_free,
        breakfast_included=breakfast_included,
        amenities="; ".join(hotel.amenities),
        price=price,
    )


def reflect(position: int, options: int, ordering: str) -> int:
    """Turn an option's place in the task into its shown slot, or back.

    Parameters
    ----------
    position : int
        0-based place, below ``options``.
    options : int
        Options in the task.
    ordering : str
        ``original`` shows the options as they stand, ``swapped`` in reverse.

    Returns
    -------
    int
        0-based place in the other frame; the map is its own inverse.
    """
    return position if ordering == "original" else options - 1 - position


def bank_kind(bank: Sequence[Task]) -> str:
    """Return which kind of task file holds a bank.

    Parameters
    ----------
    bank : sequence of Task
        Any length.

    Returns
    -------
    str
        ``conjoint`` (two and three options; an empty bank is one) or ``fiveopt``.

    Raises
    ------
    BankError
        When the bank mixes tasks that stand in different files.
    """
    types = {task.task_type for task in bank}
    for kind, known in BANK_TYPES.items():
        if types <= set(known):
            return kind
    raise BankError(f"bank: mixes {sorted(types)}; keep five-option tasks on their own")


def write_tasks_csv(bank: Sequence[Task]) -> bytes:
    """Write a bank as the task file of the published release.

    Parameters
    ----------
    bank : sequence of Task
        Tasks of one kind of file.

    Returns
    -------
    bytes
        UTF-8 with line feeds. The columns of an option that some task lacks are blank
        there and hold whole numbers with ``.0`` elsewhere, as the release wrote them.

    Raises
    ------
    BankError
        When the bank mixes five-option tasks with others.
    """
    columns = task_columns(bank_kind(bank))
    smallest = min((len(task.options) for task in bank), default=0)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for task in bank:
        row: list[object] = [task.task_id, task.task_type, task.group_id, task.rep]
        for place, option in enumerate(task.options):
            row += option if place < smallest else map(_gappy_cell, option)
        writer.writerow(row + [""] * (len(columns) - len(row)))
    return out.getvalue().encode()


def _gappy_cell(value: object) -> object:
    return float(value) if isinstance(value, int) else value


def bank_sha256(bank: Sequence[Task]) -> str:
    """Return the sha256 of the bank's task file, in hex: the identity of a bank."""
    return hashlib.sha256(write_tasks_csv(bank)).hexdigest()
