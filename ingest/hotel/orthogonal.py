"""Task banks whose prices and review scores say nothing about the stars.

In the published banks a hotel with more stars costs more and is reviewed better, so
their effects are hard to tell apart. Here the groups of hotels, and all that an offer
has besides price and review score, stay as drawn; these two are drawn afresh from what
the whole pool offers, by an orthogonal array. Orders can follow Latin squares, in which
every option stands in every slot equally often.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.hotel.bank import (
    ORDERINGS,
    SCORE_SPREAD,
    BankError,
    Task,
    Tasks,
    bank_sha256,
    reflect,
)
from ingest.hotel.covariates import COVARIATES
from ingest.hotel.pool_file import Hotel
from ingest.schemas import OPTION_LETTERS

# A prime, so that remainders form a field: its array then has 121 runs and 12 columns,
# enough for price and review score of five options.
LEVELS = 11
RUNS = LEVELS**2
# Price and review score.
_DRAWN = 2

ORDER_SCHEMES = ("reversal", "latin")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def orthogonal_array(columns: int) -> Ints:
    """Return an orthogonal array of strength 2 with 11 levels.

    Parameters
    ----------
    columns : int
        0 to 12.

    Returns
    -------
    numpy.ndarray
        Shape (121, columns), levels 0 to 10. In any two columns each of the 121 pairs
        of levels stands once.

    Raises
    ------
    BankError
        More columns than the array has.

    Notes
    -----
    Bose 1938: runs are the pairs (i, j), columns i, j, i + j, i + 2j, ..., i + 10j, all
    modulo 11.
    """
    if not 0 <= columns <= LEVELS + 1:
        raise BankError(
            f"orthogonal array: {columns} columns; it has at most {LEVELS + 1}"
        )
    i, j = np.divmod(np.arange(RUNS), LEVELS)
    lines = [i, j, *((i + slope * j) % LEVELS for slope in range(1, LEVELS))]
    return np.stack(lines, axis=1)[:, :columns].astype(np.int64)


def orthogonal_bank(bank: Sequence[Task], pool: Sequence[Hotel], *, seed: int) -> Tasks:
    """Draw the prices and review scores of a bank afresh, independent of the stars.

    Parameters
    ----------
    bank : sequence of Task
        As drawn by ``draw_bank`` or ``draw_quintets``; formats stand together.
    pool : sequence of Hotel
        The pool it was drawn from, at least one hotel.
    seed : int
        Seed of the generator (PCG64), 0 or more.

    Returns
    -------
    tuple of Task
        Same tasks, groups and options; other ``price`` and ``review_score``. Empty for
        an empty bank.

    Raises
    ------
    BankError
        When the seed is out of range or the pool is empty.

    Notes
    -----
    Format by format: tasks are sorted by their differences in stars, ties in random
    order, and cut into stretches of 121. Each stretch takes the 121 runs of the array
    in random order (the last, shorter one a random part of them), one column for each
    option's price and one for its score, the levels of every column relabelled at
    random. Level l of 11 becomes a uniform u in [l/11, (l+1)/11), and u the quantile of
    what the published procedure offers when the hotel is drawn as well: prices uniform
    in a hotel's range, scores uniform within 0.2 of its level. So each option's prices
    and scores keep the spread of the pool, and any two of them are balanced against
    each other over tasks that hardly differ in stars.
    """
    if seed < 0:
        raise BankError(f"seed: {seed}; give 0 or more")
    if not pool:
        raise BankError("orthogonal bank: the pool holds no hotel; give one")
    rng = np.random.default_rng(seed)
    prices, scores = _PriceQuantiles.of(pool), _ScoreQuantiles.of(pool)
    redrawn: list[Task] = []
    for _, run in groupby(bank, key=lambda task: task.task_type):
        tasks = list(run)
        share = _shares(tasks, rng)
        size = share.shape[1] // _DRAWN
        price, score = prices.at(share[:, :size]), scores.at(share[:, size:])
        redrawn += [
            _redrawn(task, price[row], score[row]) for row, task in enumerate(tasks)
        ]
    return tuple(redrawn)


def _shares(tasks: Sequence[Task], rng: np.random.Generator) -> Floats:
    """Return a share in [0, 1) for each price, then each score, shape (n, 2j)."""
    stars = np.array([[option.stars for option in task.options] for task in tasks])
    differences = stars[:, :-1] - stars[:, -1:]
    shuffle = rng.permutation(len(tasks))
    order = shuffle[np.lexsort(differences[shuffle].T[::-1])]
    array = orthogonal_array(_DRAWN * stars.shape[1])
    levels = np.empty((len(tasks), array.shape[1]))
    for start in range(0, len(tasks), RUNS):
        rows = order[start : start + RUNS]
        runs = array[rng.permutation(RUNS)[: len(rows)]]
        for column in range(array.shape[1]):
            levels[rows, column] = rng.permutation(LEVELS)[runs[:, column]]
    shares: Floats = (levels + rng.random(levels.shape)) / LEVELS
    return shares


def _redrawn(task: Task, prices: Ints, scores: Floats) -> Task:
    options = tuple(
        option._replace(price=int(price), review_score=round(float(score), 1))
        for option, price, score in zip(task.options, prices, scores, strict=True)
    )
    return Task(task.task_id, task.task_type, task.group_id, task.rep, options)


class _PriceQuantiles(NamedTuple):
    """Quantiles of a price drawn from a hotel drawn from the pool."""

    dollars: Ints
    below: Floats

    @classmethod
    def of(cls, pool: Sequence[Hotel]) -> _PriceQuantiles:
        low = np.array([hotel.price_min for hotel in pool])[:, None]
        high = np.array([hotel.price_max for hotel in pool])[:, None]
        dollars = np.arange(low.min(), high.max() + 1)
        reached = np.clip((dollars - low + 1) / (high - low + 1), 0, 1)
        return cls(dollars, reached.mean(axis=0))

    def at(self, share: Floats) -> Ints:
        """Return whole dollars, the first that at least this share stays within."""
        # the last sum may round to just below 1
        places = np.searchsorted(self.below, share, side="right")
        return self.dollars[np.minimum(places, len(self.dollars) - 1)]


class _ScoreQuantiles(NamedTuple):
    """Quantiles of a review score drawn from a hotel drawn from the pool."""

    points: Floats
    below: Floats

    @classmethod
    def of(cls, pool: Sequence[Hotel]) -> _ScoreQuantiles:
        level = np.array([hotel.review_score_base for hotel in pool])[:, None]
        low, high = level - SCORE_SPREAD, level + SCORE_SPREAD
        points = np.unique(np.concatenate([low, high]))
        reached = np.clip((points - low) / (high - low), 0, 1)
        return cls(points, reached.mean(axis=0))

    def at(self, share: Floats) -> Floats:
        """Return points of ten, not rounded."""
        found: Floats = np.interp(share, self.below, self.points)
        return found


def latin_order(options: int, task_index: int, ordering: int) -> tuple[int, ...]:
    """Return which option stands in each slot, by rows of Latin squares.

    Parameters
    ----------
    options : int
        Options in the task, 2 or more.
    task_index : int
        Place of the task in its format, from 0: where its square starts.
    ordering : int
        Which showing of the task, 0 to ``options - 1``.

    Returns
    -------
    tuple of int
        0-based places of the options in the task, first slot first. Over the orderings
        of one task every option stands once in every slot; so does it over ``options``
        neighbouring tasks in one ordering.

    Raises
    ------
    BankError
        When an argument is out of range.

    Notes
    -----
    Williams 1949: the first row of the square is 0, 1, j-1, 2, j-2, ..., the others add
    1 modulo j. Tasks take turns between the square and its mirror image, in which over
    both every option follows every other equally often.
    """
    if options < 2 or task_index < 0 or not 0 <= ordering < options:
        raise BankError(
            f"order: {options} options, task {task_index}, ordering {ordering}; give 2 "
            "or more, 0 or more, and an ordering below the number of options"
        )
    steps = [(k + 1) // 2 if k % 2 else -(k // 2) for k in range(options)]
    turn, row = divmod(task_index, options)
    shown = tuple((step + row + ordering) % options for step in steps)
    return shown if turn % 2 == 0 else shown[::-1]


def shown_orders(
    bank: Sequence[Task], scheme: str = "reversal"
) -> Iterator[tuple[Task, str, tuple[int, ...]]]:
    """Yield every showing of every task.

    Parameters
    ----------
    bank : sequence of Task
        Formats stand together.
    scheme : str
        ``reversal``: as it stands and reversed, as published. ``latin``: one showing
        for each option, by ``latin_order``; each option then stands in each slot
        equally often, the middle one of three included.

    Yields
    ------
    tuple
        The task, the name of the ordering (``original`` and ``swapped``, or ``latin1``
        ...), and the 0-based places of the options, first slot first. Tasks in bank
        order.

    Raises
    ------
    BankError
        When the scheme is unknown.
    """
    if scheme not in ORDER_SCHEMES:
        raise BankError(f"order scheme {scheme!r}; use one of {ORDER_SCHEMES}")
    for _, run in groupby(bank, key=lambda task: task.task_type):
        for index, task in enumerate(run):
            size = len(task.options)
            if scheme == "latin":
                for k in range(size):
                    yield task, f"latin{k + 1}", latin_order(size, index, k)
            else:
                for name in ORDERINGS:
                    yield task, name, tuple(reflect(s, size, name) for s in range(size))


def write_orders_csv(bank: Sequence[Task], scheme: str) -> bytes:
    """Write every showing of every task as a file for whoever asks the questions.

    Parameters
    ----------
    bank : sequence of Task
        Formats stand together.
    scheme : str
        As for ``shown_orders``.

    Returns
    -------
    bytes
        UTF-8 with line feeds: ``task_id``, ``ordering``, and in ``slot1`` ... the
        option of the task that is shown there; blank beyond the options of a task. A
        header alone for an empty bank.

    Raises
    ------
    BankError
        When the scheme is unknown.
    """
    slots = max((len(task.options) for task in bank), default=0)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["task_id", "ordering", *(f"slot{k + 1}" for k in range(slots))])
    for task, ordering, order in shown_orders(bank, scheme):
        letters = [OPTION_LETTERS[place] for place in order]
        blanks = [""] * (slots - len(letters))
        writer.writerow([task.task_id, ordering, *letters, *blanks])
    return out.getvalue().encode()


def design_rows(bank: Sequence[Task], scheme: str = "reversal") -> dict[str, list[Any]]:
    """Return every option of every showing, as the design tables read them.

    Parameters
    ----------
    bank : sequence of Task
        Tasks of one kind of file.
    scheme : str
        As for ``shown_orders``.

    Returns
    -------
    dict of str to list
        ``bank_sha256``, ``block``, ``task_id``, ``ordering``, ``option`` (letter in the
        task), ``slot`` (from 1), the six controls, ``log_price`` and ``price_usd``; one
        entry for each option of each showing. Columns without entries for an empty
        bank.

    Raises
    ------
    BankError
        When the scheme is unknown or the bank mixes kinds.
    """
    keys = ("bank_sha256", "block", "task_id", "ordering", "option", "slot")
    named = {"price_usd" if name == "price" else name: name for name in COVARIATES}
    columns: dict[str, list[Any]] = {name: [] for name in (*keys, *named)}
    sha256 = bank_sha256(bank)
    for task, ordering, order in shown_orders(bank, scheme):
        for slot, place in enumerate(order, start=1):
            letter = OPTION_LETTERS[place]
            values = (sha256, task.task_type, task.task_id, ordering, letter, slot)
            for name, value in zip(keys, values, strict=True):
                columns[name].append(value)
            for name, covariate in named.items():
                columns[name].append(float(COVARIATES[covariate](task.options[place])))
    return columns
