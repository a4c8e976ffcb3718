"""A search run in a warehouse of its own, made from the artifacts of its folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import copy2
from tempfile import TemporaryDirectory

from pricebench.console import Say
from pricebench.errors import CommandError

RUN_VARIABLE = "PRICEBENCH_DIR"
TRACKS = ("exact", "equiv")


def run_folder(run: Path | None, *, holds: str = "tasks.json") -> Path:
    """Return the folder of a run.

    Parameters
    ----------
    run
        As it was named; None for ``runs/$PRICEBENCH_DIR``.
    holds
        The artifact by which it is one.

    Returns
    -------
    Path
        A folder that holds that artifact.

    Raises
    ------
    CommandError
        If no run is named, or the folder is none.
    """
    if run is None:
        named = os.environ.get(RUN_VARIABLE)
        if not named:
            raise CommandError(
                f"no run named: give the run folder, or set {RUN_VARIABLE} to the name "
                "of one in runs/"
            )
        run = Path("runs") / named
    if not (run / holds).is_file():
        raise CommandError(f"{run} is no run folder: it holds no {holds}")
    return run


def refuse_real(folder: Path) -> None:
    """Raise for a run whose products no simulation made up.

    Parameters
    ----------
    folder
        The run folder; one without products is fine.

    Raises
    ------
    CommandError
        Since what the offline world says of real products would stand as collected.
    LoadError
        For products that break their contract.
    """
    from ingest.search.run_store import open_store

    if not (folder / "tasks.json").is_file():
        return
    _, source = open_store(folder).identity()
    if source != "simulated":
        raise CommandError(
            f"{folder} has {source} products, of which the offline world knows "
            "nothing: leave --world out, or begin a run in it"
        )


def artifacts(folder: Path) -> dict[str, Path]:
    """Return what figures of a run are made from, by name; a stored summary is not.

    Parameters
    ----------
    folder
        The run folder.

    Returns
    -------
    dict
        File name -> file, in order of name; images and snapshots are left out.
    """
    from ingest.search.artifact import POLICY_FILE, kind_of

    found = {}
    for path in sorted(folder.iterdir()):
        kind = kind_of(path.name)
        is_made_from = kind is not None and kind.kind != "summary"
        if path.is_file() and (is_made_from or path.name == POLICY_FILE):
            found[path.name] = path
    return found


@contextmanager
def private_warehouse(
    label: str, files: Mapping[str, Path], say: Say, select: Sequence[str]
) -> Iterator[Path]:
    """Load and build a run in a warehouse that nobody else has.

    Parameters
    ----------
    label
        How messages begin: what cannot be done with which folder if this fails.
    files
        File name of an artifact -> the file that stands for it.
    say
        Called with a line per step.
    select
        Names of dbt models; what they are built from is built too.

    Yields
    ------
    Path
        The warehouse, which goes with the block.

    Raises
    ------
    CommandError
        If an artifact breaks its contract, or a gate is red.
    """
    from ingest.errors import LoadError
    from ingest.search.release import load_search
    from pricebench.build import build

    with TemporaryDirectory() as name:
        source, warehouse = Path(name) / "run", Path(name) / "warehouse.duckdb"
        source.mkdir()
        for artifact, path in files.items():
            copy2(path, source / artifact)
        try:
            loaded = load_search(source, warehouse, progress=say)
        except LoadError as error:
            raise CommandError(str(error)) from error
        broken = [
            f"{row.source_file}: {row.field}: {row.reason}"
            for row in loaded.quarantined_rows
        ]
        for problem in (*loaded.errors, *broken):
            raise CommandError(f"{label}: {problem}")
        for problem in build(warehouse, say, select=select).failures:
            raise CommandError(f"{label}: {problem}")
        yield warehouse
