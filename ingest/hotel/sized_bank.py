"""Banks of any size in the proportions of the published ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ingest.hotel.bank import BankError, Tasks, draw_bank, draw_quintets
from ingest.hotel.id_offsets import MOST_TASKS
from ingest.hotel.pool import make_pool
from ingest.hotel.pool_file import Hotel, PoolError, read_hotels

# kind of bank -> what was published: 450 pairs four times and 300 triples six times,
# and 300 quintets once
PUBLISHED_SIZE = {"conjoint": 3600, "fiveopt": 300}
PUBLISHED_SEED = {"conjoint": 2026, "fiveopt": 2027}
_PAIR_REPS = 4
_TRIPLE_REPS = 6
# the smallest bank in these proportions: 3 pairs and 2 triples
_PAIRS, _TRIPLES = 3, 2
_STEP = _PAIRS * _PAIR_REPS + _TRIPLES * _TRIPLE_REPS


def sized_bank(
    pool: Sequence[Hotel],
    kind: str,
    *,
    size: int | None = None,
    seed: int | None = None,
) -> Tasks:
    """Draw a bank of the published kind and proportions.

    Parameters
    ----------
    pool : sequence of Hotel
        In id order.
    kind : str
        ``conjoint``: half of the tasks show pairs, each four times, half show triples,
        each six times. ``fiveopt``: quintets, each once.
    size : int, optional
        Tasks, the published number by default; for ``conjoint`` a multiple of 24, at
        most 9,984; for ``fiveopt`` 1 to 9,999.
    seed : int, optional
        Seed of the generator, the published one by default.

    Returns
    -------
    tuple of Task
        ``size`` tasks. With the published pool, size and seed the published bank.

    Raises
    ------
    BankError
        When kind, size or seed is none of these, or the pool has too few hotels.
    """
    if kind not in PUBLISHED_SIZE:
        raise BankError(f"bank {kind!r}: unknown; use one of {tuple(PUBLISHED_SIZE)}")
    tasks = PUBLISHED_SIZE[kind] if size is None else size
    seed = PUBLISHED_SEED[kind] if seed is None else seed
    step = _STEP if kind == "conjoint" else 1
    if tasks % step or not step <= tasks <= MOST_TASKS:
        raise BankError(
            f"size: {tasks} tasks asked; ask for a multiple of {step} from {step} to "
            f"{MOST_TASKS // step * step}"
        )
    if kind == "fiveopt":
        return draw_quintets(pool, quintets=tasks, seed=seed)
    return draw_bank(
        pool,
        pairs=tasks // step * _PAIRS,
        pair_reps=_PAIR_REPS,
        triples=tasks // step * _TRIPLES,
        triple_reps=_TRIPLE_REPS,
        seed=seed,
    )


def read_pool_file(path: Path | None) -> tuple[Hotel, ...]:
    """Return the hotels of a pool file, or our own.

    Parameters
    ----------
    path : Path or None
        JSON of the shape ``{"hotels": [...]}``; none for our own pool.

    Returns
    -------
    tuple of Hotel
        In file order.

    Raises
    ------
    LoadError
        When the file cannot be read or is no such pool.
    """
    if path is None:
        return make_pool()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PoolError(
            f"pool {path} cannot be read ({error.strerror}); name a file like the "
            "release's hotel_pool.json"
        ) from error
    return read_hotels(content, str(path))
