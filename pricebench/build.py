"""`dbt build` on a copy of the warehouse, with progress and a readable summary."""

from __future__ import annotations

import gc
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pricebench.build_report import BuildReport, summarise
from pricebench.console import Say
from pricebench.errors import CommandError, one_line
from pricebench.paths import DBT_PROJECT, WAREHOUSE_VARIABLE, dbt_folder
from pricebench.reader import fetch, open_reader

# dbt's own runs in the project folder keep theirs in `partial_parse.msgpack` above it
_PARSED = DBT_PROJECT / "target" / "pricebench" / "partial_parse.msgpack"


class _DiscardCopy(Exception):
    """Leaves the working copy by the way that throws it away."""


def build(
    warehouse: Path,
    say: Say,
    *,
    select: Sequence[str] = (),
    target: str | None = None,
    full_refresh: bool = False,
) -> BuildReport:
    """Build every layer behind its gate.

    The build runs on a copy. The copy replaces the warehouse when all went well, and
    also when gates are red, since their results have to be seen and every reader of
    figures asks the gates first. It is thrown away when anything else failed: no gate
    speaks for that, so the figures of before stay.

    Parameters
    ----------
    warehouse : Path
        Absolute path; a missing warehouse is created empty.
    say : Say
        Called with one line per finished relation.
    select : sequence of str
        dbt selectors; each takes its parents along. Empty: everything.
    target : str, optional
        Target of the dbt profile; by default the profile's own.
    full_refresh : bool
        Rebuild incremental tables from nothing, and build the tables of instruments of
        which nothing was ever loaded too.

    Returns
    -------
    BuildReport
        Counts, gates and failures.

    Raises
    ------
    CommandError
        If dbt could not start, nothing is selected, or the warehouse is held by
        another process.
    """
    from ingest.warehouse import working_copy

    report: BuildReport | None = None
    try:
        with working_copy(warehouse) as copy:
            options = ["--target", target] if target else []
            options += ["--full-refresh"] if full_refresh else []
            options += ["--select", *map(with_parents, select)] if select else []
            if not (select or full_refresh):
                options += _without_untouched(copy)
            results = _run_dbt(copy, dbt_folder(warehouse), options, say)
            if not results:
                raise CommandError(_nothing_selected(select))
            report = summarise(results, copy)
            if not report.published:
                raise _DiscardCopy
    except _DiscardCopy:
        pass
    if report is None:
        raise CommandError("dbt ended without results: run again with --debug")
    return report


def with_parents(selector: str) -> str:
    """Make a dbt selector take along everything it is built from.

    Parameters
    ----------
    selector : str
        One or more dbt selectors, apart by spaces (either) or commas (both).

    Returns
    -------
    str
        The same with ``+`` before each that states no depth of its own.
    """
    return re.sub(r"[^\s,]+", lambda word: _parents_of(word.group()), selector)


def _parents_of(word: str) -> str:
    return word if re.match(r"\d*\+|@", word) else f"+{word}"


def _nothing_selected(select: Sequence[str]) -> str:
    return (
        f"--select {' '.join(select)} matches nothing: name a model of "
        f"{DBT_PROJECT / 'models'}, a folder of it or tag:NAME"
        if select
        else f"dbt found nothing to build in {DBT_PROJECT}: reinstall the project"
    )


def read_project() -> None:
    """Read the dbt project, so that the first build need not.

    Raises
    ------
    CommandError
        If dbt cannot read it.
    """
    from dbt.cli.main import dbtRunner

    from ingest.warehouse_path import copy_path

    with TemporaryDirectory() as name:
        folder = Path(name)
        copy = copy_path(folder / "any.duckdb")
        copy.parent.mkdir()
        with _working_beside(copy), redirect_stdout(sys.stderr):
            outcome = dbtRunner().invoke(_dbt_command("parse", folder))
        if outcome.exception is not None:
            raise CommandError(
                f"dbt cannot read {DBT_PROJECT} ({one_line(outcome.exception)})"
            ) from outcome.exception
        _keep_parsed(folder)


def _dbt_command(verb: str, folder: Path) -> list[str]:
    command = [verb, "--project-dir", str(DBT_PROJECT)]
    command += ["--profiles-dir", str(DBT_PROJECT), "--log-level", "none"]
    command += ["--log-level-file", "warn"]
    command += ["--no-use-colors", "--no-use-colors-file"]
    command += ["--target-path", str(folder / "target")]
    return [*command, "--log-path", str(folder / "logs")]


def _run_dbt(copy: Path, folder: Path, options: list[str], say: Say) -> list[Any]:
    from expectations.frame_check import start_library

    start_library()
    from dbt.cli.main import dbtRunner

    say("reading the dbt project")
    folder.mkdir(exist_ok=True)
    # Compiled models are nobody's source, whatever the warehouse is called.
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    command = _dbt_command("build", folder)
    # They test the code, not the data: `dbt build` and `make test` run them.
    command += ["--exclude-resource-type", "unit_test"]
    # nothing reads what these leave out, and writing it takes a tenth of a build
    command += ["--no-write-json", *options]
    if _PARSED.exists():
        command += ["--partial-parse-file-path", str(_PARSED)]
    with (
        _working_beside(copy),
        _held_open(copy),
        _rare_collection(),
        redirect_stdout(sys.stderr),
    ):
        outcome = dbtRunner(callbacks=[_reporter(say)]).invoke(command)
    results = list(getattr(outcome.result, "results", None) or [])
    if outcome.exception is not None and not results:
        raise CommandError(
            f"dbt could not build ({one_line(outcome.exception)}): the warehouse is "
            f"unchanged; details in {folder / 'logs' / 'dbt.log'}"
        ) from outcome.exception
    _keep_parsed(folder)
    return results


def _without_untouched(copy: Path) -> list[str]:
    """Leave out instruments of which nothing was ever loaded: each costs seconds."""
    # their marts exist empty without that, see dbt_project/macros/parts.sql
    with open_reader(copy) as connection:
        found = fetch(
            connection,
            "select instrument from quality.loaded_data where is_untouched "
            "order by instrument",
        )
    options = []
    for (instrument,) in found.rows:
        rooms = (
            f"*/{instrument}",
            f"estimates/*est_{instrument}*",
            f"gates/*{instrument}*",
        )
        options += ["--exclude", *(f"path:models/{room}" for room in rooms)]
    return options


@contextmanager
def _rare_collection() -> Iterator[None]:
    # dbt holds a million small objects that live until the end; by default they are
    # looked through so often that a sixth of a build goes by.
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _held_open(copy: Path) -> Iterator[None]:
    # dbt lets go of the file after each relation, for other processes that may want it.
    # Nobody wants a copy, and opening and closing it takes a tenth of a build.
    import duckdb

    with duckdb.connect(copy):
        yield


@contextmanager
def _working_beside(copy: Path) -> Iterator[None]:
    # From its own folder every copy has the same path, letters alone, which dbt can
    # put into SQL and by which it knows again what it read for another warehouse.
    before, folder = os.environ.get(WAREHOUSE_VARIABLE), Path.cwd()
    os.environ[WAREHOUSE_VARIABLE] = copy.name
    os.chdir(copy.parent)
    try:
        yield
    finally:
        os.chdir(folder)
        if before is None:
            del os.environ[WAREHOUSE_VARIABLE]
        else:
            os.environ[WAREHOUSE_VARIABLE] = before


def _keep_parsed(folder: Path) -> None:
    """Keep what dbt read of the project, which takes it ten seconds, for any build."""
    # two builds at once must not write into one file
    part = _PARSED.with_suffix(f".{os.getpid()}")
    # a project that may not be written to is read anew for each warehouse
    with suppress(OSError):
        _PARSED.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(folder / "target" / _PARSED.name, part)
            part.replace(_PARSED)
        finally:
            part.unlink(missing_ok=True)


def _reporter(say: Say) -> Any:
    total, done = 0, 0

    def hear(event: Any) -> None:
        nonlocal total, done
        if event.info.name == "ConcurrencyLine":
            total = event.data.node_count
        elif event.info.name == "NodeFinished":
            node = event.data.node_info
            done += 1
            if node.resource_type in ("model", "seed"):
                say(f"[{done}/{total}] {node.node_name} {node.node_status}")

    return hear
