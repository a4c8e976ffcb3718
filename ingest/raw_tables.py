"""Raw tables: making them, empty, and adding rows to them, through dlt."""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from ingest.errors import WarehouseError, one_line
from ingest.schemas import RAW, quality_ddl
from ingest.warehouse_path import state_folder, warehouse_of, work_folder

# new tables may only be those of ingest/schemas.py (checked before dlt sees them);
# inside a table nothing may change
_CONTRACT = {"tables": "evolve", "columns": "freeze", "data_type": "freeze"}

# what a column holds in rows that were loaded before it came; others are null there
_FILLED_FROM = {("raw_hotel.response", "published_choice"): "choice"}

# tables and views that the quality statements make
_QUALITY = re.compile(r"(?:table if not exists|replace view) quality\.(\w+)")


def raw_schema(instrument: str) -> str:
    """Return the name of an instrument's raw schema.

    Parameters
    ----------
    instrument
        One of the instruments that ``ingest.schemas.RAW`` has tables for.

    Returns
    -------
    str
        ``raw_<instrument>``.

    Raises
    ------
    ValueError
        For an instrument without raw tables.
    """
    schema = f"raw_{instrument}"
    if schema not in RAW:
        known = ", ".join(name.removeprefix("raw_") for name in RAW)
        raise ValueError(f"no raw tables for instrument {instrument!r}; one of {known}")
    return schema


def write_raw(copy: Path, instrument: str, tables: Mapping[str, pa.Table]) -> None:
    """Append rows to raw tables in one dlt run.

    Parameters
    ----------
    copy
        The working copy of a warehouse.
    instrument
        Whose raw schema is written.
    tables
        Table name -> rows. Columns must be those of ``ingest.schemas``; their order
        is free. A table without rows is made if it does not exist.

    Raises
    ------
    WarehouseError
        Where a table or a column is not in the contract, a value does not fit its
        type, or the file cannot be written.
    """
    contract = RAW[raw_schema(instrument)]
    fitted = {name: _fit(name, table, contract) for name, table in tables.items()}
    if not fitted:
        return
    try:
        _run_dlt(copy, raw_schema(instrument), fitted)
    except Exception as error:
        cause = error.__cause__ or error
        raise WarehouseError(
            f"rows cannot be written to {warehouse_of(copy).name} "
            f"({_dlt_reason(cause)}); the warehouse is as it was"
        ) from error


def _fit(name: str, table: pa.Table, contract: Mapping[str, pa.Schema]) -> pa.Table:
    if name not in contract:
        raise WarehouseError(
            f"table {name!r} is not in the contract ({', '.join(contract)}); add it "
            "to ingest/schemas.py first"
        )
    schema = contract[name]
    if sorted(table.column_names) != sorted(schema.names):
        odd = sorted(set(table.column_names) ^ set(schema.names)) or ["repeated names"]
        raise WarehouseError(
            f"table {name!r} does not have the columns of its contract ("
            f"{', '.join(odd)}); see ingest/schemas.py"
        )
    try:
        fitted = table.select(schema.names).cast(schema)
        fitted.validate(full=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        raise WarehouseError(
            f"table {name!r} does not fit its contract ({one_line(error)}); see "
            "ingest/schemas.py"
        ) from error
    return fitted


def _run_dlt(copy: Path, schema: str, tables: Mapping[str, pa.Table]) -> None:
    import dlt

    # settings stand here and not in a file, which dlt would look up from wherever
    # the command was called
    dlt.config["runtime.dlthub_telemetry"] = False
    dlt.config["runtime.log_level"] = "CRITICAL"
    # working_copy heeds ctrl-C; dlt would first wait for all its jobs
    dlt.config["runtime.intercept_signals"] = False
    dlt.config["normalize.parquet_normalizer.add_dlt_load_id"] = True
    dlt.config["load.delete_completed_jobs"] = True
    logging.getLogger("dlt").setLevel(logging.CRITICAL)
    # what dlt needs to know stands in the warehouse; a state folder that a killed run
    # left would make it load the old rows and skip the new ones
    shutil.rmtree(state_folder(copy) / schema, ignore_errors=True)
    resources = [
        dlt.resource(
            [table],
            name=name,
            write_disposition="append",
            max_table_nesting=0,
            columns=_hints(table.schema),
            schema_contract=_CONTRACT,
        )
        for name, table in tables.items()
    ]
    # an open connection, because dlt reads a path as an address
    with open_database(copy) as connection, work_folder(copy) as folder:
        pipeline = dlt.pipeline(
            schema,
            destination=dlt.destinations.duckdb(
                connection, preferred_loader_file_format="parquet"
            ),
            dataset_name=schema,
            pipelines_dir=str(folder),
        )
        pipeline.run(resources)


def _hints(columns: pa.Schema) -> Any:
    """Return what dlt would take otherwise: times without a zone, which are UTC."""
    times = (field.name for field in columns if pa.types.is_timestamp(field.type))
    return {name: {"data_type": "timestamp", "timezone": False} for name in times}


def _dlt_reason(error: BaseException) -> str:
    """Return the last line of dlt's many that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def missing_objects(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return what a warehouse lacks of its raw and quality tables.

    Parameters
    ----------
    connection
        Open on the warehouse or its working copy.

    Returns
    -------
    list of str
        ``schema.table`` of every raw table and of every table and view of schema
        ``quality`` that is absent; empty for a complete warehouse.
    """
    rows = connection.execute(
        "select table_schema || '.' || table_name from information_schema.tables"
    ).fetchall()
    present = {row[0] for row in rows}
    wanted = [f"{schema}.{table}" for schema, tables in RAW.items() for table in tables]
    wanted += [f"quality.{name}" for name in _QUALITY.findall(quality_ddl())]
    lacking = [name for name in wanted if name not in present]
    return lacking + [
        f"{name}.{column}"
        for name, columns in missing_columns(connection).items()
        for column in columns
    ]


def missing_columns(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Return the columns that raw tables of an older version lack.

    Parameters
    ----------
    connection
        Open on the warehouse or its working copy.

    Returns
    -------
    dict
        ``schema.table`` -> columns of its contract that it has not, for every table
        that exists.
    """
    rows = connection.execute(
        "select table_schema || '.' || table_name, list(column_name) "
        "from information_schema.columns group by all"
    ).fetchall()
    present = dict(rows)
    lacking = {
        f"{schema}.{table}": [
            name
            for name in columns.names
            if name not in present.get(f"{schema}.{table}", columns.names)
        ]
        for schema, tables in RAW.items()
        for table, columns in tables.items()
    }
    return {name: columns for name, columns in lacking.items() if columns}


def ensure_tables(copy: Path, *, refresh: bool = False) -> None:
    """Make every raw table, empty, and schema ``quality`` where they are missing.

    Parameters
    ----------
    copy
        A database file that nobody else holds; made if absent.
    refresh
        Run the quality statements even where nothing is missing, so that views of
        an older version are replaced.

    Raises
    ------
    WarehouseError
        Where the file is no DuckDB database or cannot be written.
    """
    with open_database(copy) as connection:
        lacking = missing_objects(connection)
    if lacking or refresh:
        with changing(copy) as connection:
            for schema, tables in RAW.items():
                connection.execute(f"create schema if not exists {schema}")
                for name, columns in tables.items():
                    _make_table(connection, f"{schema}.{name}", columns)
            added = _add_columns(connection)
            connection.execute(quality_ddl())
        # a transaction that has altered a table cannot update it too
        with changing(copy) as connection:
            for name, column in added & _FILLED_FROM.keys():
                source = _FILLED_FROM[name, column]
                connection.execute(f"update {name} set {column} = {source}")


def _make_table(
    connection: duckdb.DuckDBPyConnection, name: str, columns: pa.Schema
) -> None:
    """Make a raw table as dlt would: a dlt run takes a second, and many stay empty."""
    kinds = connection.from_arrow(columns.empty_table()).types
    listed = [
        f'"{field.name}" {kind}' + ("" if field.nullable else " not null")
        for field, kind in zip(columns, kinds, strict=True)
    ]
    listed.append('"_dlt_load_id" varchar not null')
    connection.execute(f"create table if not exists {name} ({', '.join(listed)})")


def _add_columns(connection: duckdb.DuckDBPyConnection) -> set[tuple[str, str]]:
    """Give the tables of an older version the columns that came since; say which."""
    added = set()
    for table, names in missing_columns(connection).items():
        schema, _, name = table.partition(".")
        columns = RAW[schema][name].empty_table().select(names)
        for column, kind in zip(
            names, connection.from_arrow(columns).types, strict=True
        ):
            connection.execute(f'alter table {table} add column "{column}" {kind}')
            added.add((table, column))
        # dlt would hold new rows to the columns that it remembers from before
        remembered = connection.execute(
            "select 1 from information_schema.tables where table_schema = ? "
            "and table_name = '_dlt_version'",
            [schema],
        ).fetchall()
        if remembered:
            connection.execute(f"delete from {schema}._dlt_version")
    return added


def open_database(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB file with extension downloads off, or say in one line why not.

    Parameters
    ----------
    path
        The file. It is made where it is absent and ``read_only`` is false.
    read_only
        Open without the right to write; needs no exclusive hold.

    Returns
    -------
    duckdb.DuckDBPyConnection
        Also a context manager, which closes it.

    Raises
    ------
    WarehouseError
        Where another process holds the file (with its PID), or it is no database.
    """
    try:
        connection = duckdb.connect(str(path), read_only=read_only)
        # set afterwards: as connect options they would clash with any other
        # connection of this process to the same file
        connection.execute("set autoinstall_known_extensions = false")
        connection.execute("set autoload_known_extensions = false")
    except duckdb.Error as error:
        raise WarehouseError(_why_not_open(path, error)) from error
    return connection


@contextmanager
def changing(copy: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Change a working copy in one transaction.

    Parameters
    ----------
    copy
        The file.

    Yields
    ------
    duckdb.DuckDBPyConnection
        Inside a transaction, which ends with the block.

    Raises
    ------
    WarehouseError
        For whatever DuckDB refuses.
    """
    try:
        with open_database(copy) as connection:
            connection.begin()
            yield connection
            connection.commit()
    except duckdb.Error as error:
        raise WarehouseError(
            f"warehouse {warehouse_of(copy).name} cannot be written "
            f"({one_line(error)}) and is as it was; check the disk"
        ) from error


def _why_not_open(path: Path, error: duckdb.Error) -> str:
    text = one_line(error)
    if "Conflicting lock" in text:
        holder = re.search(r"\(PID (\d+)\)", text)
        who = f"process {holder[1]}" if holder else "another process"
        return (
            f"warehouse {path} is held open by {who}; close it there (or end that "
            "process) and run this again"
        )
    if "different configuration" in text:
        return (
            f"warehouse {path} is open in this same program with other settings; "
            "close that connection and run this again"
        )
    if "not a valid DuckDB" in text or "version number" in text:
        return (
            f"{path} is not a warehouse that this version can read ({text}); give "
            "another --warehouse path"
        )
    return f"warehouse {path} cannot be opened ({text}); check the path and the disk"
