"""Where things are: the project, its lock file, the warehouse and its companions."""

from __future__ import annotations

from pathlib import Path

from pricebench.errors import CommandError, one_line

# Found from this file and never from the working directory, so that every verb works
# from any folder.
PROJECT_ROOT = Path(__file__).resolve().parent.parent
DBT_PROJECT = PROJECT_ROOT / "dbt_project"
LOCK_FILE = PROJECT_ROOT / "requirements.lock"

WAREHOUSE_VARIABLE = "PRICEBENCH_WAREHOUSE"
DEFAULT_WAREHOUSE = Path("warehouse.duckdb")


def absolute_warehouse(given: Path) -> Path:
    """Return the absolute path of a warehouse.

    Parameters
    ----------
    given : Path
        The path as typed, relative to the working directory; the file may be missing.

    Returns
    -------
    Path
        The absolute path, symbolic links followed, so that a published copy replaces
        the file that a link points to and not the link.

    Raises
    ------
    CommandError
        If the path is a folder, none at all, or one that DuckDB cannot use.
    """
    from ingest.errors import WarehouseError
    from ingest.warehouse_path import check_name

    try:
        path = given.expanduser().resolve()
        check_name(path)
        is_folder = path.is_dir()
    except WarehouseError as error:
        raise CommandError(one_line(error)) from error
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise CommandError(
            f"warehouse {given} cannot be opened ({reason}): give another --warehouse "
            "path"
        ) from error
    if is_folder:
        raise CommandError(
            f"warehouse {path} is a folder: name a file, for instance "
            f"--warehouse {path / DEFAULT_WAREHOUSE.name}"
        )
    return path


def dbt_folder(warehouse: Path) -> Path:
    """Return the folder of dbt's compiled SQL and logs for one warehouse.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse.

    Returns
    -------
    Path
        ``<warehouse>.dbt`` beside the warehouse; two warehouses never share it.
    """
    return warehouse.with_name(f"{warehouse.name}.dbt")


def refuse_as_output(out: Path, warehouse: Path) -> None:
    """Raise where a result would be written over a warehouse or what stands beside it.

    Parameters
    ----------
    out : Path
        Where the result is to go.
    warehouse : Path
        Absolute path of the warehouse; it need not exist.

    Raises
    ------
    CommandError
        If it is the warehouse, by whatever name, its lock, its write-ahead log or lies
        in one of the folders of its tools.
    """
    real, own = out.resolve(), warehouse.resolve()
    beside = [
        own.with_name(f"{own.name}{end}")
        for end in ("", ".lock", ".wal", ".next", ".dbt", ".dlt")
    ]
    is_same = out.exists() and own.exists() and out.samefile(own)
    if is_same or any(real == one or one in real.parents for one in beside):
        raise CommandError(
            f"{out} belongs to the warehouse {warehouse} and would be written over: "
            "name another --out"
        )
