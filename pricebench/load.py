"""Loading sources and simulations, and saying what became of every file and row."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pricebench import console
from pricebench.errors import CommandError, one_line

if TYPE_CHECKING:
    from ingest.accounts import FileAccount, QuarantinedRow
    from ingest.load_report import LoadReport

# More rows than this are counted, not listed; all stand in the warehouse.
_SHOWN = 10
_WIDTH = 100


def load_hotel_sources(
    warehouse: Path, sources: Sequence[str], *, bank: str | None, replace: bool
) -> None:
    """Load several hotel sources one after the other, as `load_sources` does.

    Parameters
    ----------
    warehouse : Path
        Absolute path; made if absent.
    sources : sequence of str
        Folders, files, archives or https addresses.
    bank : str or None
        Start of the hash of the bank that was answered.
    replace : bool
        Let a file take the place of another one of the same run, bank and order.
    """
    from ingest.hotel.release import load_hotel

    load_sources(
        sources, partial(load_hotel, warehouse=warehouse, bank=bank, replace=replace)
    )


def load_purchase_sources(
    warehouse: Path, sources: Sequence[str], *, size: int | None, replace: bool
) -> None:
    """Load several sources of purchase decisions, as `load_sources` does.

    Parameters
    ----------
    warehouse : Path
        Absolute path; made if absent.
    sources : sequence of str
        Folders, files, archives or https addresses.
    size : int or None
        Scenarios of a bank that has to be drawn again.
    replace : bool
        Let a file take the place of another one of the same runs.
    """
    from ingest.purchase.release import load_purchase

    load_sources(
        sources, partial(load_purchase, warehouse=warehouse, size=size, replace=replace)
    )


def load_search_sources(
    warehouse: Path, sources: Sequence[str], *, replace: bool, allow_mixed: bool
) -> None:
    """Load several sources of search runs, as `load_sources` does.

    Parameters
    ----------
    warehouse : Path
        Absolute path; made if absent.
    sources : sequence of str
        Run folders, archives or https addresses.
    replace : bool
        Let a file take the place of a newer one of the same run.
    allow_mixed : bool
        Load artifacts of other rules or another bank too.
    """
    from ingest.search.release import load_search

    load_sources(
        sources,
        partial(
            load_search, warehouse=warehouse, replace=replace, allow_mixed=allow_mixed
        ),
    )


def load_sources(sources: Sequence[str], load: Callable[..., LoadReport]) -> None:
    """Load several sources one after the other and print what became of each.

    Parameters
    ----------
    sources : sequence of str
        Folders, files, archives or https addresses; one that fails stops no other.
    load : callable
        Takes a source and ``progress``.

    Raises
    ------
    CommandError
        If a source or a file of one could not be loaded; its line was written before.
    """
    from ingest.errors import LoadError

    errors: list[str] = []
    for source in sources:
        try:
            with console.progress(f"loading {source}") as say:
                report = load(source, progress=say)
        except LoadError as error:
            errors.append(one_line(error))
            continue
        console.emit(describe_load(report))
        errors += report.errors
    refuse_errors(errors)


def refuse_errors(errors: Sequence[str]) -> None:
    """Raise for what could not be loaded.

    Parameters
    ----------
    errors : sequence of str
        One line each; none: nothing happens.

    Raises
    ------
    CommandError
        With the only line, or with their number after each was written.
    """
    if len(errors) == 1:
        raise CommandError(errors[0])
    for error in errors:
        console.complain(error)
    if errors:
        raise CommandError(
            f"{len(errors)} files or sources could not be loaded, the rest is: mend "
            "those named above and load again, which skips what is loaded"
        )


def describe_load(report: LoadReport) -> str:
    """Say what one load did.

    Parameters
    ----------
    report : LoadReport
        What the loader returned.

    Returns
    -------
    str
        A line of counts, then the notes as warnings, the names of ignored files and the
        first quarantined rows with file, line, field and reason.
    """
    loaded = len({account.source_file for account in report.files})
    counts = [f"{_count(loaded, 'file')}, {_loaded(report.rows, report.files)}"]
    counts += [f"{_count(report.quarantined, 'row')} quarantined"]
    if report.skipped:
        counts.append(f"{_count(len(report.skipped), 'file')} loaded before, skipped")
    if report.superseded:
        counts.append(f"{_count(report.superseded, 'row')} replaced")
    if report.ignored:
        counts.append(f"{_count(len(report.ignored), 'file')} ignored")
    if report.errors:
        counts.append(f"{_count(len(report.errors), 'file')} not loaded")
    lines = [f"{report.source}: {'; '.join(counts)}"]
    lines += [f"warning: {note}" for note in report.notes]
    if report.ignored:
        lines.append(_fold("ignored: ", report.ignored))
    bad = report.quarantined_rows
    lines += [
        f"quarantined: {one.source_file} {_place(one)}, {one.field}: {one.reason}"
        for one in bad[:_SHOWN]
    ]
    if len(bad) > _SHOWN:
        lines.append(f"… and {len(bad) - _SHOWN:,} more in quality.quarantine")
    return "\n".join(lines)


def _place(row: QuarantinedRow) -> str:
    kind = "record" if row.source_file.endswith(".json") else "line"
    return f"{kind} {row.source_row}"


def _loaded(rows: int, accounts: Sequence[FileAccount]) -> str:
    """Count rows of the source; a run's own row is the loader's and no such row."""
    runs = sum(one.rows_accepted for one in accounts if one.table_name == "run")
    return f"{_count(rows - runs, 'row')}, {_count(runs, 'run')} loaded"


def _fold(title: str, names: Sequence[str]) -> str:
    """Break between names only, so that each can be searched for and copied."""
    whole = [name.replace(" ", "\0") for name in names]
    folded = textwrap.fill(
        title + ", ".join(whole),
        _WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return folded.replace("\0", " ")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def load_simulation(
    warehouse: Path,
    *,
    tasks: int | None = None,
    seed: int | None = None,
    shoppers: int | None = None,
    out: Path | None = None,
) -> None:
    """Simulate shoppers, load their answers and print what was loaded.

    Parameters
    ----------
    warehouse : Path
        Absolute path; made if absent.
    tasks, seed : int, optional
        Size of the bank and seed of every draw; the simulator's own by default.
    shoppers : int, optional
        That many shoppers with random tastes instead of the named cast.
    out : Path, optional
        A folder for the same answers as files of a release.

    Raises
    ------
    LoadError
        If the simulation cannot be made or written.
    """
    from ingest.hotel.cast import default_cast, random_cast
    from ingest.simulate import DEFAULT_SEED, DEFAULT_TASKS, load_simulated_hotel

    seed = DEFAULT_SEED if seed is None else seed
    cast = default_cast() if shoppers is None else random_cast(shoppers, seed=seed)
    with console.progress("simulating"):
        report = load_simulated_hotel(
            warehouse,
            tasks=DEFAULT_TASKS if tasks is None else tasks,
            seed=seed,
            shoppers=cast,
            out=out,
        )
    files = {one.source_file for one in report.written}
    before = {one.source_file for one in report.skipped} - files
    _tell_simulation(len(cast), "shopper", report.rows, report.written, len(before))


def load_purchase_simulation(
    warehouse: Path,
    *,
    buyers: Sequence[str] | None = None,
    size: int | None = None,
    seed: int | None = None,
    out: Path | None = None,
) -> None:
    """Simulate buyers, load their decisions and print what was loaded.

    Parameters
    ----------
    warehouse : Path
        Absolute path; made if absent.
    buyers : sequence of str, optional
        Names as in `ingest.purchase.buyers.named_buyer`; the whole cast by default.
    size, seed : int, optional
        Size of the bank and seed of every draw; those of the published bank by default.
    out : Path, optional
        A folder for the bank and the runs files.

    Raises
    ------
    LoadError
        If the simulation cannot be made or written.
    """
    from ingest.purchase.bank import SEED, SIZE
    from ingest.purchase.buyers import default_buyers, named_buyer
    from ingest.simulate import load_simulated_purchase

    cast = tuple(map(named_buyer, buyers)) if buyers else default_buyers()
    with console.progress("simulating"):
        report = load_simulated_purchase(
            warehouse,
            seed=SEED if seed is None else seed,
            size=SIZE if size is None else size,
            buyers=cast,
            out=out,
        )
    before = len(report.skipped)
    _tell_simulation(len(cast), "buyer", report.rows, report.files, before)


def _tell_simulation(
    cast: int, who: str, rows: int, written: Sequence[FileAccount], before: int
) -> None:
    skipped = f"; {_count(before, 'file')} loaded before" if before else ""
    console.emit(
        f"{_count(cast, f'simulated {who}')}: {_loaded(rows, written)}{skipped}"
    )


def load_search_simulation(
    warehouse: Path, *, seed: int | None = None, out: Path | None = None
) -> None:
    """Simulate a search run, load it and print what was loaded.

    Parameters
    ----------
    warehouse : Path
        Absolute path; made if absent.
    seed : int, optional
        Seed of every draw; the simulator's own by default.
    out : Path, optional
        Where to keep the run folder, with its summaries.

    Raises
    ------
    LoadError
        If the run cannot be written or loaded.
    CommandError
        If its summaries cannot be made.
    """
    from ingest.search.simulation import DEFAULT_SEED, load_example, write_example
    from ingest.warehouse import check_writable
    from pricebench.report import write_missing

    seed = DEFAULT_SEED if seed is None else seed
    if out is not None:
        check_writable(warehouse)
        write_missing(write_example(out, seed))
    with console.progress("simulating a search run"):
        report = load_example(warehouse, seed=seed, out=out)
    before = len(report.skipped)
    skipped = f"; {_count(before, 'file')} loaded before" if before else ""
    console.emit(f"simulated search run: {_loaded(report.rows, report.files)}{skipped}")
    refuse_errors(report.errors)
