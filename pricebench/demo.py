"""Simulated subjects through the whole path, from nothing to the boards."""

from __future__ import annotations

from pathlib import Path

from ingest.sources import SIMULATED
from pricebench.errors import CommandError
from pricebench.runs import list_runs

_NEXT_QUERY = (
    "select model_id, reading, attribute, wtp_usd, ci_lo, ci_hi, status"
    " from marts.hotel_wtp"
    " where specification = 'log' and attribute = 'review_score' order by all"
)


def refuse_real_data(warehouse: Path) -> None:
    """Raise if a warehouse holds anything but simulated runs.

    Parameters
    ----------
    warehouse : Path
        Absolute path; a missing warehouse and one without runs are fine.

    Raises
    ------
    CommandError
        Naming a run that is not simulated.
    """
    if not warehouse.exists():
        return
    runs = list_runs(warehouse).records()
    real = [row["run_id"] for row in runs if row["source"] != SIMULATED]
    if real:
        raise CommandError(
            f"{warehouse} holds runs that are not simulated ({len(real)}, such as "
            f"{real[0]}): give the demo a file of its own, --warehouse demo.duckdb"
        )


def run_demo(warehouse: Path) -> None:
    """Simulate, ask, load, build and print the board.

    Parameters
    ----------
    warehouse : Path
        Absolute path; made if absent. A second demo asks and loads nothing new.

    Raises
    ------
    CommandError
        If the warehouse holds other data or the build fails.
    """
    from pricebench import console
    from pricebench.demo_asking import ask_scripted_models
    from pricebench.load import (
        load_purchase_simulation,
        load_search_simulation,
        load_simulation,
    )

    refuse_real_data(warehouse)
    load_simulation(warehouse)
    load_purchase_simulation(warehouse)
    load_search_simulation(warehouse)
    ask_scripted_models(warehouse)
    build_and_show(warehouse)
    console.emit("\n" + what_next(warehouse))


def build_and_show(warehouse: Path) -> None:
    """Build a warehouse and print its boards.

    Parameters
    ----------
    warehouse : Path
        Absolute path.

    Raises
    ------
    CommandError
        If the build fails.
    """
    from pricebench import console
    from pricebench.board import read_boards
    from pricebench.board_print import print_board
    from pricebench.build import build
    from pricebench.build_print import print_report, require_success
    from pricebench.render import Format

    with console.progress("building") as say:
        report = build(warehouse, say)
    console.emit(print_report(report))
    require_success(report, warehouse)
    studies, _ = read_boards(warehouse)
    console.emit("\n" + print_board(studies, Format.table))


def what_next(warehouse: Path) -> str:
    """Say where the results are and what to try next.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse.

    Returns
    -------
    str
        Lines with commands that work as they stand.
    """
    import shlex

    program = running_command()
    given = f"--warehouse {shlex.quote(str(warehouse))}"
    return "\n".join(
        [
            f"The results are in {warehouse}. Next:",
            f"  {program} board {given} --format csv",
            f"  {program} query {given} \\",
            f'    "{_NEXT_QUERY}"',
            f"  {program} runs {given}",
        ]
    )


def running_command() -> str:
    """Return how to call the command that runs now from any folder.

    Returns
    -------
    str
        ``pricebench`` where the shell finds it, else its whole path, or the
        interpreter with ``-m pricebench`` where it was started that way.
    """
    import shlex
    import shutil
    import sys

    if shutil.which("pricebench"):
        return "pricebench"
    started = Path(sys.argv[0]).absolute()
    if started.name == "pricebench" and started.is_file():
        return shlex.quote(str(started))
    return f"{shlex.quote(sys.executable)} -m pricebench"
