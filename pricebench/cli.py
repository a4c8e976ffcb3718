"""The verbs: each reads its options, calls one function and prints what comes back."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ingest.keys import hide
from pricebench import console
from pricebench.cli_bank import bank_app
from pricebench.cli_options import Debug, Shape, Warehouse
from pricebench.cli_review import review
from pricebench.cli_run import run_app
from pricebench.cli_run_search import run_search_app
from pricebench.cli_search import load_search, report_app, simulate_search
from pricebench.cli_simulate import simulate_app
from pricebench.errors import CommandError, one_line
from pricebench.extras import Extra, asked_for
from pricebench.paths import DEFAULT_WAREHOUSE
from pricebench.render import Format, render
from pricebench.scorecards import INSTRUMENTS

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

# What a shell calls a process that ctrl-C ended; typer returns it.
INTERRUPTED, TERMINATED = 130, 143


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        console.emit(version("pricebench"))
        raise typer.Exit


@app.callback()
def whole(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and stop.",
        ),
    ] = False,
) -> None:
    """Measure how language-model agents spend money."""


@app.command(epilog="Example: pricebench init --warehouse study.duckdb")
def init(warehouse: Warehouse = DEFAULT_WAREHOUSE, debug: Debug = False) -> None:
    """Make an empty warehouse.

    Every raw table exists in it; a warehouse that exists keeps its rows.
    """
    from ingest.warehouse import init as make

    with console.progress("making the warehouse"):
        path = make(warehouse)
    console.emit(str(path))


@app.command(epilog="Example: pricebench demo --warehouse demo.duckdb")
def demo(warehouse: Warehouse = DEFAULT_WAREHOUSE, debug: Debug = False) -> None:
    """Take simulated subjects to the boards.

    From nothing: simulate, ask scripted models over sockets, load, build, board. A
    warehouse with other than simulated runs is refused.
    """
    from pricebench.demo import run_demo

    run_demo(warehouse)


@app.command(epilog="Example: pricebench build --select hotel_wtp")
def build(
    select: Annotated[
        list[str] | None,
        typer.Option(help="What to build, with all it is built from; repeatable."),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Target of the dbt profile.")
    ] = None,
    full_refresh: Annotated[
        bool,
        typer.Option(
            "--full-refresh",
            help="Rebuild incremental tables, and those of instruments without data.",
        ),
    ] = False,
    extra: Annotated[
        list[Extra] | None,
        typer.Option("--with", help="Build this too, a second a model; repeatable."),
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Build every layer behind its gate.

    The build works on a copy that then replaces the warehouse, so that it stays open
    to readers.
    """
    from pricebench.build import build as build_layers
    from pricebench.build_print import print_report, require_success

    with asked_for(extra or ()), console.progress("build") as say:
        report = build_layers(
            warehouse,
            say,
            select=select or (),
            target=target,
            full_refresh=full_refresh,
        )
    console.emit(print_report(report))
    require_success(report, warehouse)


@app.command(epilog="Example: pricebench board hotel --format csv --out board.csv")
def board(
    instrument: Annotated[
        str | None,
        typer.Argument(help=f"One of {', '.join(INSTRUMENTS)}; by default all."),
    ] = None,
    shape: Shape = Format.table,
    out: Annotated[
        Path | None, typer.Option(help="Write to this file instead.", metavar="FILE")
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Show the scorecard, a row per model.

    Each row has both readings and their difference; each study is a table of its own,
    of search each of its tracks.
    csv and json carry every digit. Without an instrument every one with data is shown.
    """
    from pricebench.board import read_board, read_boards
    from pricebench.board_print import print_board, without_table
    from pricebench.gates import refuse_boards
    from pricebench.paths import refuse_as_output

    if out is not None:
        refuse_as_output(out, warehouse)
    studies, refused = (
        read_boards(warehouse)
        if instrument is None
        else (read_board(warehouse, instrument), ())
    )
    if refused and not studies:
        refuse_boards(refused)
    text = print_board(studies, shape)
    if out is None:
        console.emit(text)
    else:
        console.write_file(out, text)
        console.note(f"board written to {out}")
    # A csv holds rows alone.
    for line in without_table(studies) if shape is Format.csv else ():
        console.note(f"note: {line}")
    refuse_boards(refused)


@app.command(epilog="Example: pricebench query 'select * from marts.model'")
def query(
    sql: Annotated[str | None, typer.Argument(help="The statement.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="A file that holds it.", metavar="FILE")
    ] = None,
    shape: Shape = Format.table,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Run read-only SQL.

    It can change neither the warehouse nor any other file. {{ ref('name') }} stands for
    the table of that name. table and md show doubles with 6 significant digits, table
    cuts text after 60 characters; csv and json are exact.
    """
    from pricebench.query import TEXT_SHOWN, read_statement, run_query

    grid, notes = run_query(warehouse, read_statement(sql, file))
    console.emit(render(grid, shape, clip=TEXT_SHOWN))
    for note in notes:
        console.note(note)


@app.command(epilog="Example: pricebench runs --format csv")
def runs(
    shape: Shape = Format.table,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """List what is loaded, a row per run.

    With answers, those unread, calls that failed, and the reason of an exclusion.
    """
    from pricebench.runs import for_reading, list_runs

    grid = list_runs(warehouse)
    to_read = shape in (Format.table, Format.md)
    console.emit(render(for_reading(grid) if to_read else grid, shape))


@app.command(
    epilog="Example: pricebench exclude release/phi --reason 'half the replies empty'"
)
def exclude(
    run: Annotated[
        str, typer.Argument(help="The run's id, as `pricebench runs` has it.")
    ],
    reason: Annotated[str, typer.Option(help="Why; shown by `pricebench runs`.")] = "",
    undo: Annotated[
        bool, typer.Option("--undo", help="Let the run count again.")
    ] = False,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Take a run out of the marts.

    Its answers stay loaded, and the run stays listed with the reason.
    """
    from pricebench.runs import exclude_run, include_run

    done = include_run(warehouse, run) if undo else exclude_run(warehouse, run, reason)
    console.note(done)


@app.command(epilog="Example: pricebench doctor")
def doctor(
    shape: Shape = Format.table,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Check what the verbs need.

    Versions, warehouse, disk, keys, Node and browser, and how to mend each.
    """
    from pricebench.doctor import examine, require_sound

    grid = examine(warehouse)
    console.emit(render(grid, shape))
    require_sound(grid)


load_app = typer.Typer(
    help="Load published or collected answers.", rich_markup_mode=None
)
app.add_typer(load_app, name="load")


@load_app.command(
    "hotel",
    epilog="Example: pricebench load hotel ./pricebench-emnlp.zip && pricebench build",
)
def load_hotel(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="A folder, a file, a .zip or .tar.gz, or the https address of one.",
            metavar="SOURCE...",
        ),
    ],
    bank: Annotated[
        str | None,
        typer.Option(help="Start of the sha256 of the task bank that was answered."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace answers loaded before.")
    ] = False,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Load a hotel release, or journals of runs.

    Tasks, answers, hotels and capability scores are found by the shape of their
    names, journals by their first line. Loading twice changes nothing.
    """
    from pricebench.load import load_hotel_sources

    load_hotel_sources(warehouse, sources, bank=bank, replace=replace)


@load_app.command(
    "purchase",
    epilog="Example: pricebench load purchase ./agentbuy && pricebench build",
)
def load_purchase(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="A folder, a .jsonl, a .zip or .tar.gz, or the https address of one.",
            metavar="SOURCE...",
        ),
    ],
    size: Annotated[
        int | None,
        typer.Option(help="Scenarios of a bank that no file holds.", min=1, max=10_000),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace runs loaded before.")
    ] = False,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    debug: Debug = False,
) -> None:
    """Load purchase decisions.

    The bank is that of a bank_*.json beside them, else drawn again from the scenario
    ids. Loading twice changes nothing.
    """
    from pricebench.load import load_purchase_sources

    load_purchase_sources(warehouse, sources, size=size, replace=replace)


load_app.command(
    "search", epilog="Example: pricebench load search runs/run1 && pricebench build"
)(load_search)


app.command("review", epilog="Example: pricebench review runs/run1 --sample 5%")(review)


simulate_app.command(
    "search", epilog="Example: pricebench simulate search --out runs/example"
)(simulate_search)
app.add_typer(simulate_app, name="simulate")
app.add_typer(bank_app, name="bank")
run_app.add_typer(run_search_app, name="search")
app.add_typer(run_app, name="run")
app.add_typer(report_app, name="report")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb.

    Parameters
    ----------
    arguments : sequence of str, optional
        What was typed after ``pricebench``; by default the process's own arguments.

    Returns
    -------
    int
        0 where the verb did what it says, 1 where it failed, 2 where it was called
        wrongly, 130 where it was interrupted, 143 where it was told to terminate. A
        failure is one line on standard error; with ``--debug`` the error itself is
        raised.
    """
    from ingest.interrupts import termination_as_interrupt

    typed = list(sys.argv[1:] if arguments is None else arguments)
    console.prepare()
    try:
        with termination_as_interrupt() as terminated:
            try:
                code = app(args=typed, prog_name="pricebench", standalone_mode=False)
            except KeyboardInterrupt:
                # pressed while the library was still making its commands
                code = INTERRUPTED
    except Exception as error:
        if "--debug" in typed:
            raise
        console.complain(hide(_failure(error, typed)))
        return error.exit_code if isinstance(error, typer.TyperException) else 1
    if code == INTERRUPTED:
        console.complain(
            "interrupted: the warehouse is as the last finished step left it; run the "
            "same command again"
        )
        return TERMINATED if terminated() else code
    return code if isinstance(code, int) else 0


def _failure(error: Exception, typed: Sequence[str]) -> str:
    from ingest.errors import LoadError

    if isinstance(error, OSError) and "--help" in typed:
        # Help is the one result that typer writes and not this package.
        return one_line(console.unwritten(error))
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        verb = context.command_path if context else "pricebench"
        return f"{one_line(Exception(error.format_message()))} See `{verb} --help`."
    if isinstance(error, (CommandError, LoadError)):
        return one_line(error)
    return (
        f"unexpected {type(error).__name__}: {one_line(error)}; run it again with "
        "--debug and report what it shows"
    )
