"""What a warehouse may be called, what stands beside it, and plain paths for tools."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.errors import WarehouseError
from ingest.schemas import RAW

# schemas of every warehouse; DuckDB names the database after the file, and of two
# things of one name it uses neither
SCHEMAS = (*RAW, "quality", "staging", "intermediate", "estimates", "marts")
_DUCKDB_NAMES = ("main", "system", "temp", "information_schema", "pg_catalog")

# dlt pastes paths into SQL, addresses and file patterns as they stand; letters, digits
# and these marks mean nothing there
_PLAIN_FOLDER = re.compile(r"[\w./ ,+@~-]*")
_COPY_SUFFIX = ".next"
_COPY_NAME = "working_copy.duckdb"


def check_name(warehouse: Path) -> None:
    """Refuse a path that DuckDB cannot open or would mistake for something else.

    Parameters
    ----------
    warehouse
        Absolute path; the file need not exist.

    Raises
    ------
    WarehouseError
        Where the path holds a question mark or bytes that are no UTF-8, or the file is
        named like a schema.
    """
    try:
        str(warehouse).encode()
    except UnicodeEncodeError as error:
        raise WarehouseError(
            f"warehouse {warehouse} has bytes in its path that are not UTF-8, which "
            "DuckDB does not open; give another --warehouse path"
        ) from error
    if "?" in str(warehouse):
        raise WarehouseError(
            f"warehouse {warehouse} has a ? in its path, where DuckDB ends it; give "
            "a --warehouse path without it"
        )
    database = warehouse.name.lstrip(".").split(".")[0].lower()
    if database in SCHEMAS or database in _DUCKDB_NAMES:
        raise WarehouseError(
            f"warehouse {warehouse} cannot be called {database}, which names a schema "
            "or database of DuckDB already; give it another name, for instance "
            f"--warehouse {warehouse.with_name(f'my_{database}.duckdb')}"
        )


def lock_path(warehouse: Path) -> Path:
    """Return the lock file of a warehouse, ``<warehouse>.lock``."""
    return warehouse.with_name(f"{warehouse.name}.lock")


def copy_path(warehouse: Path) -> Path:
    """Return where the working copy stands, ``<warehouse>.next/working_copy.duckdb``.

    The name is the same for all, so that dbt can put it into SQL and knows a project
    again that it has read for another warehouse.
    """
    return warehouse.with_name(f"{warehouse.name}{_COPY_SUFFIX}") / _COPY_NAME


def warehouse_of(copy: Path) -> Path:
    """Return the warehouse that a working copy is of; a warehouse itself as it is."""
    folder = copy.parent
    warehouse = folder.with_name(folder.name.removesuffix(_COPY_SUFFIX) or folder.name)
    return warehouse if copy == copy_path(warehouse) else copy


def state_folder(copy: Path) -> Path:
    """Return dlt's state folder of a warehouse or of its working copy.

    Parameters
    ----------
    copy
        A warehouse, or the file that ``working_copy`` yields for it.

    Returns
    -------
    Path
        ``<warehouse>.dlt`` beside the warehouse itself in both cases.
    """
    warehouse = warehouse_of(copy)
    return warehouse.with_name(f"{warehouse.name}.dlt")


@contextmanager
def work_folder(copy: Path) -> Iterator[Path]:
    """Give dlt a folder to work in whose path it can put into SQL.

    Parameters
    ----------
    copy
        As in ``state_folder``.

    Yields
    ------
    Path
        The state folder, or where its path is not plain one that is gone afterwards:
        whatever dlt needs to know stands in the warehouse.
    """
    if _PLAIN_FOLDER.fullmatch(str(state_folder(copy))):
        yield state_folder(copy)
        return
    # a link would not do: dlt follows links before it uses a path
    with tempfile.TemporaryDirectory(prefix="pricebench-") as scratch:
        yield Path(scratch)
