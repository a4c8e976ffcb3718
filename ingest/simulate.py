"""Simulated observations: subjects with known habits, written into a warehouse."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ingest.errors import LoadError
from ingest.hotel.bank import Tasks
from ingest.hotel.shapes import is_hotel_data
from ingest.hotel.shoppers import Shopper
from ingest.hotel.simulated_run import is_shopper_file
from ingest.hotel.simulation import (
    DEFAULT_SEED,
    DEFAULT_TASKS,
    Simulation,
    simulate_hotel,
)
from ingest.load_report import LoadReport
from ingest.purchase.bank import SEED, SIZE
from ingest.purchase.buyers import Buyer
from ingest.purchase.release import is_purchase_data, load_opened
from ingest.purchase.simulation import PurchaseSimulation, simulate_purchase
from ingest.purchase.stored import stored_runs
from ingest.source import Source
from ingest.warehouse import (
    FileKey,
    WriteReport,
    check_writable,
    standing_files,
    working_copy,
    write_into,
)

__all__ = [
    "DEFAULT_SEED",
    "DEFAULT_TASKS",
    "PurchaseSimulation",
    "Simulation",
    "load_simulated_hotel",
    "load_simulated_purchase",
    "simulate_hotel",
    "simulate_purchase",
    "write_simulation",
]

# Shared by every run on a bank, so that another run never outdates them.
_INPUT_TABLES = ("task", "hotel")


def write_simulation(simulation: Simulation, folder: Path) -> tuple[Path, ...]:
    """Write a simulation as files in the shapes of the published release.

    Parameters
    ----------
    simulation
        What ``simulate_hotel`` gives.
    folder
        Made where it is absent. Files of this very simulation are left alone, and so
        is whatever no release could hold; nothing is ever replaced.

    Returns
    -------
    tuple of Path
        ``conjoint_tasks.csv``, for each shopper ``conjoint_results_<name>.csv``, its
        ``_swap`` file and ``shopper_<name>.json``, and ``hotel_pool.json`` where the
        bank was drawn from our own pool.

    Raises
    ------
    LoadError
        When the folder holds files of another simulation or a release, which would
        then be read as one with these, or cannot be written.
    """
    return _write_files(
        simulation.files,
        folder,
        lambda name: is_hotel_data(name) or is_shopper_file(name),
    )


def _write_files(
    files: Mapping[str, bytes], folder: Path, is_data: Callable[[str], bool]
) -> tuple[Path, ...]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_other_files(files, folder, is_data)
        _write_missing(files, folder)
    except OSError as error:
        raise LoadError(
            f"simulation files cannot be written to {folder} ({error.strerror}); give "
            "another folder"
        ) from error
    return tuple(folder / name for name in files)


def _refuse_other_files(
    files: Mapping[str, bytes], folder: Path, is_data: Callable[[str], bool]
) -> None:
    present = [path for path in folder.iterdir() if is_data(path.name)]
    other = [path.name for path in present if not _is(path, files.get(path.name))]
    if other:
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        raise LoadError(
            f"{folder} holds {min(other)}{more} of another simulation or a release: "
            "nothing was written; give an empty folder"
        )


def _is(path: Path, content: bytes | None) -> bool:
    return content is not None and path.is_file() and path.read_bytes() == content


def _write_missing(files: Mapping[str, bytes], folder: Path) -> None:
    made: list[Path] = []
    try:
        for name, content in files.items():
            path = folder / name
            if not path.exists():
                with path.open("xb") as file:
                    made.append(path)
                    file.write(content)
    except BaseException:
        # Half of a simulation would stand in the way of the next.
        for path in made:
            path.unlink()
        raise


def load_simulated_hotel(
    warehouse: Path,
    *,
    tasks: int = DEFAULT_TASKS,
    seed: int = DEFAULT_SEED,
    shoppers: Sequence[Shopper] | None = None,
    bank: Tasks | None = None,
    out: Path | None = None,
) -> WriteReport:
    """Simulate shoppers and write them into a warehouse: all of it or nothing.

    Parameters
    ----------
    warehouse
        The file; made if absent.
    tasks, seed, shoppers, bank
        As in ``simulate_hotel``.
    out
        Folder to write the release-shaped files to as well.

    Returns
    -------
    WriteReport
        Files written and skipped. The same simulation a second time writes nothing.

    Raises
    ------
    LoadError
        When the simulation cannot be made, a run of the same name holds other answers,
        ``out`` holds other files, or it or the warehouse cannot be written.
    """
    check_writable(warehouse)
    simulation = simulate_hotel(tasks=tasks, seed=seed, shoppers=shoppers, bank=bank)
    with working_copy(warehouse) as copy:
        standing = standing_files(copy, "hotel")
        _refuse_other_answers(simulation, standing, warehouse)
        fresh = _without_known_inputs(simulation, standing)
        report = write_into(copy, "hotel", fresh.tables, fresh.accounts)
        # Last, so that a folder that cannot be written leaves the warehouse as it was.
        if out is not None:
            write_simulation(simulation, out)
    return report


def _refuse_other_answers(
    simulation: Simulation, standing: set[FileKey], warehouse: Path
) -> None:
    runs = [a for a in simulation.accounts if a.table_name not in _INPUT_TABLES]
    names = {account.source_file for account in runs}
    other = {key for key in standing if key.source_file in names}
    other -= {account.key for account in runs}
    for run_id in sorted(key.source_file.rpartition("/")[0] for key in other):
        raise _other_answers(run_id, warehouse)


def _without_known_inputs(simulation: Simulation, standing: set[FileKey]) -> Simulation:
    """Leave out the bank and the pool where the warehouse holds them by any name."""
    known = {
        (key.table_name, key.source_sha256)
        for key in standing
        if key.table_name in _INPUT_TABLES
    }
    accounts = tuple(
        account
        for account in simulation.accounts
        if (account.table_name, account.source_sha256) not in known
    )
    kept = {account.table_name for account in accounts}
    tables = {name: table for name, table in simulation.tables.items() if name in kept}
    return replace(simulation, tables=tables, accounts=accounts)


def load_simulated_purchase(
    warehouse: Path,
    *,
    seed: int = SEED,
    size: int = SIZE,
    buyers: Sequence[Buyer] | None = None,
    out: Path | None = None,
) -> LoadReport:
    """Simulate buyers and write them into a warehouse: all of it or nothing.

    Parameters
    ----------
    warehouse
        The file; made if absent.
    seed, size, buyers
        As in ``simulate_purchase``.
    out
        Folder to write the bank and the runs files to as well; ``load_purchase`` reads
        them as what they are, simulated runs.

    Returns
    -------
    LoadReport
        Files written and skipped. The same simulation a second time writes nothing.

    Raises
    ------
    LoadError
        When the simulation cannot be made, a run of the same name holds other answers,
        ``out`` holds other files, or it or the warehouse cannot be written.
    """
    check_writable(warehouse)
    simulation = simulate_purchase(seed=seed, size=size, buyers=buyers)
    with tempfile.TemporaryDirectory(prefix="pricebench-") as scratch:
        paths = _write_files(simulation.files, Path(scratch), is_purchase_data)
        opened = Source("the simulation", {path.name: path for path in paths})
        with working_copy(warehouse) as copy:
            _refuse_other_decisions(simulation, copy, warehouse)
            report = load_opened(copy, opened)
            if report.errors:
                raise LoadError(report.errors[0])
            # Last, so that a folder that cannot be written leaves the warehouse alone.
            if out is not None:
                _write_files(simulation.files, out, is_purchase_data)
    return report


def _refuse_other_decisions(
    simulation: PurchaseSimulation, copy: Path, warehouse: Path
) -> None:
    standing = stored_runs(copy)
    for name, run_id in simulation.runs.items():
        key = standing.get((run_id, simulation.bank_sha256))
        sha256 = hashlib.sha256(simulation.files[name]).hexdigest()
        if key is not None and key.source_sha256 != sha256:
            raise _other_answers(run_id, warehouse)


def _other_answers(run_id: str, warehouse: Path) -> LoadError:
    return LoadError(
        f"run {run_id}: {warehouse} holds other answers under this name; simulate with "
        "another seed, another name or another warehouse"
    )
