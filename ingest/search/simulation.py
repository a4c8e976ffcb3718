"""Writing the example run to a folder, and loading it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from ingest.errors import LoadError
from ingest.load_report import LoadReport
from ingest.search.example_run import DEFAULT_SEED, example_files
from ingest.search.release import load_search
from ingest.warehouse import check_writable
from ingest.whole_file import put_whole

__all__ = ["DEFAULT_SEED", "load_example", "write_example"]


def write_example(folder: Path, seed: int = DEFAULT_SEED) -> Path:
    """Write a run on the made-up market as a run folder.

    Parameters
    ----------
    folder
        Made where it is absent. Files of this very run are left alone, nothing is ever
        replaced.
    seed
        Of every draw.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    LoadError
        Where the folder holds other files under these names, or cannot be written.
    """
    files = example_files(seed)
    try:
        for name, content in files.items():
            path = folder / name
            if path.exists() and path.read_bytes() != content:
                raise LoadError(
                    f"{folder} holds another {name}: nothing was written; give an "
                    "empty folder"
                )
        for name, content in files.items():
            _write(folder / name, content)
    except OSError as error:
        raise LoadError(
            f"the example run cannot be written to {folder} ({error.strerror}); give "
            "another folder"
        ) from error
    return folder


def _write(path: Path, content: bytes) -> None:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        put_whole(path, content, durable=False)


def load_example(
    warehouse: Path, *, seed: int = DEFAULT_SEED, out: Path | None = None
) -> LoadReport:
    """Load a run on the made-up market.

    Parameters
    ----------
    warehouse
        The file; made if absent.
    seed
        Of every draw; it is part of the run's id.
    out
        Folder to keep the run folder in.

    Returns
    -------
    LoadReport
        The same seed a second time loads nothing.

    Raises
    ------
    LoadError
        Where ``out`` or the warehouse cannot be written.
    """
    check_writable(warehouse)
    with TemporaryDirectory(prefix="pricebench-") as scratch:
        folder = Path(scratch) / "run" if out is None else out
        return load_search(write_example(folder, seed), warehouse)
