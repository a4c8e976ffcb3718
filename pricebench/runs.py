"""What is loaded, and taking a run out of the marts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ingest.schemas import RAW
from pricebench.errors import CommandError
from pricebench.reader import Grid, fetch, open_reader

# A failed call has no choice and says so; every other answer without a choice is one
# that could not be read (a release stores it as a blank).
_COUNTS = """
    select
        run_id,
        bank_sha256,
        count(*) as answers,
        count(*) filter (choice is null and reply_state is distinct from 'failed')
            as invalid,
        count(*) filter (reply_state = 'failed') as failed
    from {schema}.response
    group by run_id, bank_sha256
"""

# A search run has many agents, so the list names how many, and an answer is what one of
# them made of one product.
_SEARCH_RUNS = """
select
    'search' as instrument,
    run.run_id,
    run.source,
    coalesce(agents.agents, 0) || ' agents' as model_tag,
    coalesce(agents.tracks, 'no answers') as variant,
    calls.called_at::date as run_date,
    run.bank_sha256,
    coalesce(calls.answers, 0) as answers,
    coalesce(calls.invalid, 0) as invalid,
    coalesce(calls.failed, 0) as failed,
    excluded.reason as excluded
from raw_search.run as run
left join (
    select run_id, count(distinct agent) as agents,
        string_agg(distinct track, '+' order by track desc) as tracks
    from raw_search.agent group by run_id
) as agents on run.run_id = agents.run_id
left join (
    select run_id, count(*) as answers, min(started_at) as called_at,
        count(*) filter (status in ('refused', 'unparsable', 'truncated')) as invalid,
        count(*) filter (status = 'transport_error') as failed
    from raw_search.call group by run_id
) as calls on run.run_id = calls.run_id
left join quality.excluded_run as excluded
    on excluded.instrument = 'search' and run.run_id = excluded.run_id
"""

_RUNS = """
select
    '{instrument}' as instrument,
    run.run_id,
    run.source,
    run.model_tag,
    run.variant,
    run.run_date,
    run.bank_sha256,
    coalesce(counts.answers, 0) as answers,
    coalesce(counts.invalid, 0) as invalid,
    coalesce(counts.failed, 0) as failed,
    excluded.reason as excluded
from {schema}.run as run
left join ({counts}) as counts
    on run.run_id = counts.run_id and run.bank_sha256 = counts.bank_sha256
left join quality.excluded_run as excluded
    on excluded.instrument = '{instrument}' and run.run_id = excluded.run_id
"""


def list_runs(warehouse: Path) -> Grid:
    """Return every loaded run with its counts.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse; it need not have been built.

    Returns
    -------
    Grid
        One row per run and bank, in order of instrument and run: answers as they stand
        in the files (of search, an agent's to one product), how many could not be read,
        how many calls failed, and the reason of an exclusion (null: the run counts). No
        row where nothing is loaded.

    Raises
    ------
    CommandError
        If the warehouse cannot be read or lacks the raw tables.
    """
    import duckdb

    parts = [
        _RUNS.format(
            instrument=schema.removeprefix("raw_"),
            schema=schema,
            counts=_COUNTS.format(schema=schema),
        )
        for schema, tables in RAW.items()
        if "response" in tables
    ]
    parts.append(_SEARCH_RUNS)
    sql = "\nunion all\n".join(parts) + "\norder by instrument, run_id, bank_sha256"
    with open_reader(warehouse) as connection:
        try:
            return fetch(connection, sql)
        except duckdb.CatalogException as error:
            raise CommandError(
                f"{warehouse} lacks the raw tables: run `pricebench init --warehouse "
                f"{warehouse}`"
            ) from error


def for_reading(runs: Grid) -> Grid:
    """Narrow the list of runs to what a reader looks for, in some 120 columns.

    Parameters
    ----------
    runs : Grid
        What `list_runs` returned.

    Returns
    -------
    Grid
        The same rows with 12 digits of the bank's hash, without the instrument where
        there is one only, the source where every run's id starts with it, and the run
        date where no run has one.
    """
    records = runs.records()
    idle = {
        "instrument": len({row["instrument"] for row in records}) == 1,
        "source": all(row["run_id"].startswith(f"{row['source']}/") for row in records),
        "run_date": all(row["run_date"] is None for row in records),
    }
    keep = [name for name in runs.columns if not (records and idle.get(name))]
    short = ({**row, "bank_sha256": row["bank_sha256"][:12]} for row in records)
    names = tuple({"bank_sha256": "bank"}.get(name, name) for name in keep)
    return Grid(names, tuple(tuple(map(row.get, keep)) for row in short))


def known_run(warehouse: Path, run_id: str) -> dict[str, Any]:
    """Return the row of one run.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse.
    run_id : str
        The run's full id.

    Returns
    -------
    dict
        Its row as in `list_runs`; over several banks, that of the first with the counts
        of all.

    Raises
    ------
    CommandError
        If no run has this id; the message names those that resemble it.
    """
    rows = list_runs(warehouse).records()
    mine = [row for row in rows if row["run_id"] == run_id]
    if not mine:
        raise CommandError(f"no run {run_id!r} in {warehouse}: {_advice(run_id, rows)}")
    counts = ("answers", "invalid", "failed")
    return mine[0] | {name: sum(row[name] for row in mine) for name in counts}


def _advice(run_id: str, rows: list[dict[str, Any]]) -> str:
    from difflib import get_close_matches

    names = sorted({row["run_id"] for row in rows})
    inside = [name for name in names if run_id and run_id in name]
    close = inside[:3] or get_close_matches(run_id, names, n=3, cutoff=0.5)
    if close:
        return "did you mean " + " or ".join(close) + "?"
    return "`pricebench runs` lists those that are loaded"


def exclude_run(warehouse: Path, run_id: str, reason: str) -> str:
    """Take a run out of the marts; its answers stay in the raw tables.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse.
    run_id : str
        The run's full id.
    reason : str
        Why; shown by ``pricebench runs``.

    Returns
    -------
    str
        One line that says what was done and what it takes to see it.

    Raises
    ------
    CommandError
        If the run is unknown, excluded already, or no reason is given.
    """
    run = known_run(warehouse, run_id)
    if not reason.strip():
        raise CommandError("exclude needs a reason: --reason 'why this run is out'")
    if run["excluded"] is not None:
        raise CommandError(
            f"run {run_id} is excluded already ({run['excluded']}): nothing changed; "
            "--undo includes it again"
        )
    _write(
        warehouse,
        "insert into quality.excluded_run values (?, ?, ?, now() at time zone 'UTC')",
        [run["instrument"], run_id, reason.strip()],
    )
    return (
        f"excluded {run_id}: {run['answers']:,} answers leave the marts with the next "
        "`pricebench build`"
    )


def include_run(warehouse: Path, run_id: str) -> str:
    """Let an excluded run count again.

    Parameters
    ----------
    warehouse : Path
        Absolute path of the warehouse.
    run_id : str
        The run's full id.

    Returns
    -------
    str
        One line that says what was done and what it takes to see it.

    Raises
    ------
    CommandError
        If the run is unknown or not excluded.
    """
    run = known_run(warehouse, run_id)
    if run["excluded"] is None:
        raise CommandError(f"run {run_id} is not excluded: nothing changed")
    _write(
        warehouse,
        "delete from quality.excluded_run where instrument = ? and run_id = ?",
        [run["instrument"], run_id],
    )
    return (
        f"included {run_id}: {run['answers']:,} answers enter the marts with the next "
        "`pricebench build`"
    )


def _write(warehouse: Path, sql: str, parameters: list[Any]) -> None:
    import duckdb

    from ingest.warehouse import working_copy

    with working_copy(warehouse) as copy:
        connection = duckdb.connect(str(copy))
        try:
            connection.execute(sql, parameters)
        finally:
            connection.close()
