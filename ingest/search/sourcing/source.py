"""The phase ``source``: cell after cell of a grid gets its product (search.md 3)."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.errors import LoadError
from ingest.search.artifact import BEFORE_TASKS, kind_of
from ingest.search.grid.cells import PLANNED
from ingest.search.sourcing.browse import Browser
from ingest.search.sourcing.cell_work import CellWork, Stop
from ingest.search.sourcing.log import FILLED, UNFILLED, Bank, open_bank
from ingest.search.sourcing.roster import FILTERS
from ingest.search.sourcing.tables import read_tables
from ingest.search.sourcing.visit import Tools
from ingest.sources import COLLECTED, SIMULATED

_LOCK = ".sourcing.lock"


@dataclass(frozen=True, slots=True)
class Sourced:
    """How far a bank is.

    Attributes
    ----------
    filled, unfilled, planned
        Cells by status; unfilled ones had no product that passes.
    needs
        What a person has to do before the next cell, a line each; empty where nothing
        stands in the way.
    """

    filled: int
    unfilled: tuple[str, ...]
    planned: int
    needs: tuple[str, ...] = ()


def _quiet(_line: str) -> None:
    pass


async def source(
    folder: Path,
    tools: Tools,
    *,
    tool_version: str,
    by: str | None = None,
    second_pass: bool = False,
    skip_refused: bool = False,
    first: int | None = None,
    is_simulated: bool = False,
    say: Callable[[str], object] = _quiet,
) -> Sourced:
    """Fill the cells of a run's grid, in the order of their positions.

    Parameters
    ----------
    folder
        A run folder with ``cells.json``; ``sources/`` in it holds the tables that say
        where lists are, and ``saved/`` pages that a person saved.
    tools
        What reaches the world.
    tool_version
        For the headers.
    by
        Who saved pages and answered filters.
    second_pass
        Walk the ranks between where a list is exhausted.
    skip_refused
        Pass over a product whose page every fetcher is refused.
    first
        Stop after so many cells of the order; None for all.
    is_simulated
        The products come from a made-up world, which every artifact then says.
    say
        Told each cell as it is done.

    Returns
    -------
    Sourced
        The same call goes on at the first open cell; what is done is never done again.

    Raises
    ------
    LoadError
        Where another command is at work here, an artifact or a table cannot be read,
        agents have been asked about the bank already, or it has products of both
        worlds.
    """
    with _locked(folder):
        bank = open_bank(folder, second_pass=second_pass)
        _mark(bank, SIMULATED if is_simulated else COLLECTED)
        cells = bank.stored.grid.cells[:first]
        left = [one for one in cells if bank.status(one.cell_id) == PLANNED]
        if left:
            _refuse_asked(folder)
        tables = read_tables(folder, FILTERS)
        work = CellWork(
            *(bank, tables, tools, Browser(folder, tools, skip_refused)),
            *(by, tool_version),
        )
        for place, cell in enumerate(left):
            try:
                say(await work.fill(cell))
            except Stop as stop:
                needs = list(stop.needs)
                if stop.looks_ahead:
                    needs += await work.look_ahead(left[place + 1 :], stop)
                return _told(bank, tuple(needs))
        return _told(bank)


def _told(bank: Bank, needs: tuple[str, ...] = ()) -> Sourced:
    states = {one.cell_id: bank.status(one.cell_id) for one in bank.stored.grid.cells}
    return Sourced(
        list(states.values()).count(FILLED),
        tuple(name for name, state in states.items() if state == UNFILLED),
        list(states.values()).count(PLANNED),
        needs,
    )


def _mark(bank: Bank, source: str) -> None:
    """Say in a bank that is begun where its products come from; refuse the other."""
    held = bank.stored.artifact
    if held.source == source:
        return
    if bank.log is not None or source != SIMULATED:
        raise LoadError(
            f"{bank.folder} has {held.source} products: a run has those of one world "
            "alone; name it as before, with --world or without, or begin another run"
        )
    bank.stored = replace(bank.stored, artifact=replace(held, source=source))


def _refuse_asked(folder: Path) -> None:
    for path in sorted(folder.glob("*.json")):
        kind = kind_of(path.name)
        if kind is not None and kind.kind not in BEFORE_TASKS:
            raise LoadError(
                f"{path.name} was made from the products in {folder} as they are: a "
                "bank that has been asked about gets no more of them; begin another run"
            )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise LoadError(
            f"{folder} cannot be written ({error.strerror}); make the grid there with "
            "pricebench bank search"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LoadError(
                f"another command fills {folder}; wait until it ends and run this again"
            ) from error
        yield
    finally:
        os.close(descriptor)
