"""Shoppers answering a hotel bank, as rows of the raw tables and as release files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ingest.errors import LoadError
from ingest.hotel.bank import Tasks, bank_kind, draw_bank, write_tasks_csv
from ingest.hotel.cast import default_cast
from ingest.hotel.id_offsets import MOST_TASKS
from ingest.hotel.pool import make_pool
from ingest.hotel.pool_file import Hotel, pool_json
from ingest.hotel.read_reference import read_pool
from ingest.hotel.read_tasks import read_tasks
from ingest.hotel.shapes import BANK_FILES, POOL
from ingest.hotel.shoppers import Shopper
from ingest.hotel.simulated_run import SimulatedRun, simulate_run
from ingest.parsed_file import FileId, ParsedFile
from ingest.schemas import RAW_HOTEL
from ingest.sources import SIMULATED_PREFIX
from ingest.warehouse import FileAccount

DEFAULT_TASKS = 300
DEFAULT_SEED = 1
# Three draws of a group keep most of a bank's tasks in different groups, which is what
# clustered errors need; three fifths of the groups are pairs, as in the published bank.
_REPS = 3
_PAIR_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a simulation gives, ready for the warehouse and as files.

    Attributes
    ----------
    tables
        Raw table name -> rows, in the columns of ``ingest.schemas.RAW_HOTEL``.
    accounts
        One per file and table.
    files
        File name -> bytes, in the shapes of the published release.
    """

    tables: Mapping[str, pa.Table]
    accounts: tuple[FileAccount, ...]
    files: Mapping[str, bytes]


def simulated_bank(
    pool: Sequence[Hotel], *, tasks: int = DEFAULT_TASKS, seed: int = DEFAULT_SEED
) -> Tasks:
    """Draw the bank of a simulation: three fifths of its groups pairs, else triples.

    Parameters
    ----------
    pool
        Hotels to draw from.
    tasks
        A multiple of 3 (each group is drawn three times), 6 to 9,999.
    seed
        Seed of the draws, 0 or more.

    Returns
    -------
    tuple of Task
        ``tasks`` tasks; 300 are 60 pairs and 40 triples, three draws each.

    Raises
    ------
    LoadError
        When ``tasks`` or ``seed`` is none of these, or the pool has too few hotels.
    """
    if tasks % _REPS or not 2 * _REPS <= tasks <= MOST_TASKS:
        raise LoadError(
            f"tasks: {tasks} asked; ask for a multiple of {_REPS} from {2 * _REPS} to "
            f"{MOST_TASKS}"
        )
    groups = tasks // _REPS
    pairs = round(_PAIR_SHARE * groups)
    return draw_bank(
        pool,
        pairs=pairs,
        pair_reps=_REPS,
        triples=groups - pairs,
        triple_reps=_REPS,
        seed=seed,
    )


def simulate_hotel(
    *,
    tasks: int = DEFAULT_TASKS,
    seed: int = DEFAULT_SEED,
    shoppers: Sequence[Shopper] | None = None,
    bank: Tasks | None = None,
) -> Simulation:
    """Let shoppers answer a task bank in both orderings.

    Parameters
    ----------
    tasks
        Size of the bank drawn from our own pool; not read where ``bank`` is given.
    seed
        0 or more. Seeds the bank and, together with its model tag, each shopper, so
        that adding a shopper changes no other.
    shoppers
        Who answers; the demo's cast by default. A shopper may carry the id of a real
        model: its rows still say ``simulated``.
    bank
        Tasks to answer instead of newly drawn ones; no hotels are written then.

    Returns
    -------
    Simulation
        Rows of ``task``, ``hotel``, ``response``, ``run`` and ``simulated_taste``.

    Raises
    ------
    LoadError
        When the bank cannot be drawn, ``seed`` is below 0, or nobody or two of one name
        are to answer.
    """
    cast = default_cast() if shoppers is None else tuple(shoppers)
    _check_request(cast, seed)
    files: dict[str, bytes] = {}
    inputs: list[ParsedFile] = []
    if bank is None:
        pool = make_pool()
        bank = simulated_bank(pool, tasks=tasks, seed=seed)
        files[POOL] = pool_json(pool)
        file = FileId(f"{SIMULATED_PREFIX}{POOL}", _sha256(files[POOL]))
        inputs.append(read_pool(file, files[POOL]))
    kind = bank_kind(bank)
    name, content = BANK_FILES[kind], write_tasks_csv(bank)
    files[name] = content
    bank_hash = _sha256(content)
    inputs.append(read_tasks(FileId(name, bank_hash, bank_hash), content, kind))
    runs = [
        simulate_run(shopper, bank, bank_hash, seed, plain_seed=DEFAULT_SEED)
        for shopper in cast
    ]
    for run in runs:
        shared = files.keys() & run.files.keys()
        if shared:
            raise LoadError(f"shoppers: two would write {min(shared)}; rename one")
        files |= run.files
    return Simulation(_tables(inputs, runs), _accounts(inputs, runs), files)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _check_request(cast: Sequence[Shopper], seed: int) -> None:
    if seed < 0:
        raise LoadError(f"seed: {seed}; give 0 or more")
    tags = [shopper.model_tag for shopper in cast]
    if not tags:
        raise LoadError("shoppers: none given; name at least one")
    twice = sorted({tag for tag in tags if tags.count(tag) > 1})
    if twice:
        raise LoadError(f"shoppers: {twice} given more than once; rename one of each")


def _tables(
    inputs: Sequence[ParsedFile], runs: Sequence[SimulatedRun]
) -> dict[str, pa.Table]:
    tables = {parsed.table_name: parsed.table for parsed in inputs}
    for name in ("response", "run", "simulated_taste"):
        rows = [row for run in runs for row in run.rows[name]]
        tables[name] = pa.Table.from_pylist(rows, schema=RAW_HOTEL[name])
    return tables


def _accounts(
    inputs: Sequence[ParsedFile], runs: Sequence[SimulatedRun]
) -> tuple[FileAccount, ...]:
    accounts = [parsed.account for parsed in inputs]
    return tuple(accounts + [account for run in runs for account in run.accounts])
