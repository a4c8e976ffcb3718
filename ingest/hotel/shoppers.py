"""Simulated shoppers: models whose tastes are known, answering a task bank.

A shopper values option ``j`` of a task at

    V_j = sum_k taste_k(group) * x_jk + leaning(format, shown slot of j) + noise_j

with ``taste_k(group) = taste_k + taste_sd_k * z``, one standard normal ``z`` for each
term and group of hotels (so tastes vary by pair and repeated draws of a pair resemble
each other), and a fresh Gumbel noise for each option of each answer. The highest V is
chosen. With ``taste_sd = 0`` this is the conditional logit to the letter.

Axes: g groups, n tasks of one format, o orderings (2), j options, k terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.errors import LoadError
from ingest.hotel.bank import ORDERINGS, Task, reflect
from ingest.hotel.covariates import COVARIATES
from ingest.schemas import OPTION_COUNT, OPTION_LETTERS

# What a shopper says whose reply can't be read: no letter of a task stands in it, alone
# or as a capital.
UNREADABLE_REPLY = "Sorry, they both sound fine to me."

TASTE_TERMS = tuple(COVARIATES)
PRICE_TERMS = ("log_price", "price")


class ShopperError(LoadError):
    """A shopper that cannot be simulated; the message is one line."""


@dataclass(frozen=True, slots=True)
class Shopper:
    """A simulated model.

    Attributes
    ----------
    model_tag : str
        Model id as asked; holds a ``/`` (``simulated/bargain-hunter``).
    tastes : mapping of str to float
        Mean taste by term of ``TASTE_TERMS``: utility per star, per bed rank, for free
        cancellation, for breakfast, per review point (of 10), per 100 reviews, per unit
        of log dollars (``log_price``) or per dollar (``price``). Missing terms are 0.
        Only one of the two price terms may be named.
    taste_sd : mapping of str to float
        Standard deviation of a taste over groups of hotels, 0 or more; missing is 0.
    leaning : mapping of str to tuple of float
        By format, utility added to whatever stands in slot 1, 2, ...; missing is none.
    lock_slot, lock_share : int, float
        With this chance in [0, 1] an answer names this shown slot (1 or 2) whatever
        stands there.
    invalid_share, failed_share : float
        Chance in [0, 1] that a reply can't be read, and that a call fails; a failed
        call is never invalid as well.

    Raises
    ------
    ShopperError
        When a term, format, share or slot is out of its range.
    """

    model_tag: str
    tastes: Mapping[str, float] = field(default_factory=dict)
    taste_sd: Mapping[str, float] = field(default_factory=dict)
    leaning: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    lock_slot: int = 1
    lock_share: float = 0.0
    invalid_share: float = 0.0
    failed_share: float = 0.0

    def __post_init__(self) -> None:
        for problem in _problems(self):
            raise ShopperError(f"shopper {self.model_tag!r}, {problem}")


def _problems(shopper: Shopper) -> list[str]:
    found = []
    if "/" not in shopper.model_tag:
        found.append("model_tag: holds no '/'; write provider/name")
    for name in ("tastes", "taste_sd"):
        unknown = set(getattr(shopper, name)) - set(TASTE_TERMS)
        if unknown:
            found.append(
                f"{name}: unknown {sorted(unknown)}; terms are {list(TASTE_TERMS)}"
            )
    if all(term in shopper.tastes for term in PRICE_TERMS):
        found.append("tastes: log_price and price both named; keep one")
    if any(value < 0 for value in shopper.taste_sd.values()):
        found.append("taste_sd: below 0; give 0 or more")
    for name, slots in shopper.leaning.items():
        if len(slots) != OPTION_COUNT.get(name):
            found.append(f"leaning: {name!r} with {len(slots)} slots; one per option")
    for name in ("lock_share", "invalid_share", "failed_share"):
        if not 0 <= getattr(shopper, name) <= 1:
            found.append(f"{name}: {getattr(shopper, name)}; give a share in [0, 1]")
    if shopper.lock_slot not in (1, 2):
        found.append(f"lock_slot: {shopper.lock_slot}; give 1 or 2")
    return found


class Answer(NamedTuple):
    """What a shopper said to one task in one ordering.

    ``choice`` is the option's letter in the task; ``raw_output`` what was said, so the
    letter of the shown slot. A failed call has neither, an unreadable one no choice.
    ``reply_state`` is ``letter``, ``invalid`` or ``failed``.
    """

    task_id: int
    ordering: str
    choice: str | None
    raw_output: str | None
    reply_state: str


def answers(
    bank: Sequence[Task], shopper: Shopper, rng: np.random.Generator
) -> list[Answer]:
    """Let a shopper answer every task once in each ordering.

    Parameters
    ----------
    bank : sequence of Task
        Tasks of one format stand together, as every bank is drawn.
    shopper : Shopper
        Who answers.
    rng : numpy.random.Generator
        The shopper's own stream. The same draws are taken whatever the shopper's
        settings, so that two shoppers on equal streams differ by their settings alone.

    Returns
    -------
    list of Answer
        ``2 * len(bank)`` answers: the original ordering in bank order, then the swapped
        one; empty for an empty bank.
    """
    groups = sorted({task.group_id for task in bank})
    tastes = _tastes_by_group(shopper, len(groups), rng)
    row_of = {group_id: row for row, group_id in enumerate(groups)}
    by_ordering: dict[str, list[Answer]] = {name: [] for name in ORDERINGS}
    for task_type, run in groupby(bank, key=lambda task: task.task_type):
        tasks = list(run)
        taste_rows = tastes[[row_of[task.group_id] for task in tasks]]
        chosen = _chosen_places(tasks, task_type, taste_rows, shopper, rng)
        states = _reply_states(shopper, chosen.shape, rng)
        for ordering, places, said in zip(ORDERINGS, chosen, states, strict=True):
            by_ordering[ordering] += [
                _answer(task, ordering, int(place), state)
                for task, place, state in zip(tasks, places, said, strict=True)
            ]
    return [answer for ordering in ORDERINGS for answer in by_ordering[ordering]]


def _tastes_by_group(
    shopper: Shopper, groups: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the taste of every group for every term, shape (g, k)."""
    mean = np.array([shopper.tastes.get(term, 0.0) for term in TASTE_TERMS])
    spread = np.array([shopper.taste_sd.get(term, 0.0) for term in TASTE_TERMS])
    return mean + spread * rng.standard_normal((groups, len(TASTE_TERMS)))


def _chosen_places(
    tasks: Sequence[Task],
    task_type: str,
    tastes: NDArray[np.float64],
    shopper: Shopper,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return the 0-based place in the task of the chosen option, shape (o, n)."""
    size = OPTION_COUNT[task_type]
    worth = _worth(tasks, tastes)
    leaning = _leaning(shopper, task_type)
    slots = np.array(
        [[reflect(place, size, name) for place in range(size)] for name in ORDERINGS]
    )
    shape = (len(ORDERINGS), len(tasks), size)
    utility = worth + leaning[slots][:, None, :] + rng.gumbel(size=shape)
    free_choice = utility.argmax(axis=2)
    # `reflect` is its own inverse, so the place shown in slot s is the slot of place s.
    locked_choice = np.repeat(slots[:, [shopper.lock_slot - 1]], len(tasks), axis=1)
    locked = rng.random(free_choice.shape) < shopper.lock_share
    return np.where(locked, locked_choice, free_choice)


def _worth(tasks: Sequence[Task], tastes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the options are worth but for their slot, shape (n, j)."""
    covariates = np.array(
        [
            [
                [value(option) for value in COVARIATES.values()]
                for option in task.options
            ]
            for task in tasks
        ],
        dtype=np.float64,
    )
    worth: NDArray[np.float64] = np.einsum("njk,nk->nj", covariates, tastes)
    return worth


def _leaning(shopper: Shopper, task_type: str) -> NDArray[np.float64]:
    nothing = (0.0,) * OPTION_COUNT[task_type]
    return np.array(shopper.leaning.get(task_type, nothing))


def _reply_states(
    shopper: Shopper, shape: tuple[int, ...], rng: np.random.Generator
) -> NDArray[np.str_]:
    failed = rng.random(shape) < shopper.failed_share
    invalid = rng.random(shape) < shopper.invalid_share
    return np.where(failed, "failed", np.where(invalid, "invalid", "letter"))


def _answer(task: Task, ordering: str, place: int, state: str) -> Answer:
    if state == "failed":
        return Answer(task.task_id, ordering, None, None, "failed")
    if state == "invalid":
        return Answer(task.task_id, ordering, None, UNREADABLE_REPLY, "invalid")
    slot = reflect(place, len(task.options), ordering)
    return Answer(
        task.task_id, ordering, OPTION_LETTERS[place], OPTION_LETTERS[slot], "letter"
    )


def answer_shown(
    task: Task,
    shopper: Shopper,
    taste_rng: np.random.Generator,
    rng: np.random.Generator,
) -> Answer:
    """Let a shopper answer one task once, its options in the order shown.

    Parameters
    ----------
    task : Task
        What is shown, slot by slot.
    shopper : Shopper
        Who answers.
    taste_rng : numpy.random.Generator
        Decides the shopper's tastes in this group of hotels: alike for all its tasks.
    rng : numpy.random.Generator
        Decides this answer.

    Returns
    -------
    Answer
        Distributed as each of ``answers``; its choice is a slot.
    """
    tastes = _tastes_by_group(shopper, 1, taste_rng)
    # the swapped ordering is drawn along and left: the draws are those of ``answers``
    places = _chosen_places([task], task.task_type, tastes, shopper, rng)
    state = str(_reply_states(shopper, (1,), rng)[0])
    return _answer(task, ORDERINGS[0], int(places[0, 0]), state)


def shown_shares(
    task: Task, shopper: Shopper, taste_rng: np.random.Generator
) -> tuple[float, ...]:
    """Return how likely each slot is to be named by a reply that can be read.

    Parameters
    ----------
    task : Task
        What is shown, slot by slot.
    shopper : Shopper
        Who answers.
    taste_rng : numpy.random.Generator
        As for ``answer_shown``.

    Returns
    -------
    tuple of float
        Chances that add up to 1: the conditional logit (McFadden 1974), mixed with the
        slot of a lock.
    """
    tastes = _tastes_by_group(shopper, 1, taste_rng)
    utility = _worth([task], tastes)[0] + _leaning(shopper, task.task_type)
    odds = np.exp(utility - utility.max())
    shares = (1 - shopper.lock_share) * odds / odds.sum()
    shares[shopper.lock_slot - 1] += shopper.lock_share
    return tuple(map(float, shares))


def true_terms(shopper: Shopper, task_types: Iterable[str]) -> dict[str, float]:
    """Return what estimates of this shopper should find, by term of the vocabulary.

    Parameters
    ----------
    shopper : Shopper
        Any.
    task_types : iterable of str
        Formats of the bank, for the slot terms.

    Returns
    -------
    dict of str to float
        The six controls and the price term (0 where no taste is named; ``log_price``
        where neither price is); for two options ``slot``, the utility of being shown
        first against second; for more ``slot1`` ... against the last slot. Empty for a
        shopper with a position lock, whose answers follow no logit.

    Notes
    -----
    A fit without random tastes finds the mean taste shrunk by about
    ``1 / sqrt(1 + 0.346 v)``, where ``v`` is the variance that ``taste_sd`` adds to the
    utility difference of two options (Zeger, Liang & Albert 1988; the constant is
    ``(16 sqrt(3) / (15 pi))**2``).
    """
    if shopper.lock_share > 0:
        return {}
    price = "price" if "price" in shopper.tastes else "log_price"
    unused = set(PRICE_TERMS) - {price}
    truth = {
        term: float(shopper.tastes.get(term, 0.0))
        for term in TASTE_TERMS
        if term not in unused
    }
    for task_type in sorted(set(task_types)):
        size = OPTION_COUNT[task_type]
        leaning = shopper.leaning.get(task_type, (0.0,) * size)
        names = ["slot"] if size == 2 else [f"slot{k}" for k in range(1, size)]
        truth |= {
            name: value - leaning[-1]
            for name, value in zip(names, leaning[:-1], strict=True)
        }
    return truth
