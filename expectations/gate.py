"""Runs the suite of one layer, records the results and stops the build on a red one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING

from expectations.fingerprint import code_sha256
from expectations.outcome import Outcome
from expectations.rules import Suite
from expectations.validation import as_table, validate

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

# Name under which the one row per run of a gate stands in quality.gate_results.
SUMMARY = "gate"


class GateFailed(Exception):
    """A rule of severity ``stop`` is broken or could not be checked."""


class GateRefused(Exception):
    """A table stands behind a gate that is not green for the data now loaded."""


def run_gate(
    session: duckdb.DuckDBPyConnection,
    *,
    gate: str,
    relations: Mapping[str, duckdb.DuckDBPyRelation],
    suite: Suite | None = None,
) -> pa.Table:
    """Check the rules of one layer and record the results in ``quality``.

    Parameters
    ----------
    session
        Connection of the dbt model. Everything runs on cursors of it, so that the
        results are kept when the model fails and is rolled back.
    gate
        ``<instrument>_<layer>``, for instance ``hotel_raw``.
    relations
        Name in the suite -> relation of the layer, already built.
    suite
        The rules; ``SUITE`` of the module ``expectations.<gate>`` when left out.

    Returns
    -------
    pyarrow.Table
        One row: ``gate, data_sha256, code_sha256, status``, where ``status`` is
        ``green``, or ``empty`` for an instrument without a raw row. It holds no
        clock: the same data and code give the same row.

    Raises
    ------
    GateFailed
        A ``stop`` rule is broken or could not be checked; one line for each, with
        the rows and files, after all results were recorded.
    """
    instrument, layer = gate.split("_", maxsplit=1)
    suite = suite or import_module(f"expectations.{gate}").SUITE
    side = session.cursor()
    data_sha256, row_count = _loaded(side, instrument)
    tables = {name: as_table(relation) for name, relation in relations.items()}
    outcomes = validate(side, suite, tables)
    summary = _summarise(outcomes, is_empty=not row_count)
    identity = (gate, instrument, layer, datetime.now(UTC).replace(tzinfo=None))
    _record(side, identity, data_sha256, [*outcomes, summary])
    if summary.status not in ("green", "empty"):
        raise GateFailed(_explain(gate, outcomes))
    return _as_row(gate, data_sha256, summary.status)


def require_green(session: duckdb.DuckDBPyConnection, gate: str) -> None:
    """Stop unless a gate's newest run is green or empty for the data now loaded.

    The rule itself is the database macro ``quality.gate_refusal``, which the dbt macro
    of this function's name asks too.

    Parameters
    ----------
    session
        A connection to the warehouse.
    gate
        ``<instrument>_<layer>``.

    Raises
    ------
    GateRefused
        The gate, or one before it in its instrument, is red, out of date or has not
        run; one line with the date of the last green run and what to do.
    """
    asked = session.cursor().execute("select quality.gate_refusal(?)", [gate])
    refusal = asked.fetchall()[0][0]
    if refusal is not None:
        raise GateRefused(refusal)


def _loaded(side: duckdb.DuckDBPyConnection, instrument: str) -> tuple[str | None, int]:
    """Return the hash of an instrument's data and the rows of its raw tables."""
    found = side.execute(
        "select data_sha256, row_count from quality.loaded_data where instrument = ?",
        [instrument],
    ).fetchall()
    return found[0] if found else (None, 0)


def _stopping(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [
        outcome
        for outcome in outcomes
        if outcome.severity == "stop" and outcome.status != "ok"
    ]


def _summarise(outcomes: Sequence[Outcome], is_empty: bool) -> Outcome:
    stopping = _stopping(outcomes)
    if any(outcome.status == "failed" for outcome in stopping):
        status = "failed"
    elif stopping:
        status = "error"
    else:
        status = "empty" if is_empty else "green"
    return Outcome(
        table="*",
        expectation=SUMMARY,
        column=None,
        severity="stop",
        status=status,
        element_count=len(outcomes),
        unexpected_count=len(stopping),
    )


def _record(
    side: duckdb.DuckDBPyConnection,
    identity: tuple[str, str, str, datetime],
    data_sha256: str | None,
    outcomes: Sequence[Outcome],
) -> None:
    """Store all rows of one run at once, so that no run is half recorded."""
    rows = [
        (
            *identity,
            data_sha256,
            outcome.table,
            outcome.expectation,
            outcome.column,
            outcome.severity,
            outcome.status,
            outcome.element_count,
            outcome.unexpected_count,
            outcome.sample,
            outcome.source_files,
        )
        for outcome in outcomes
    ]
    side.begin()
    side.executemany(
        "insert into quality.gate_results (gate, instrument, layer, run_at, "
        "data_sha256, table_name, expectation, column_name, severity, status, "
        "element_count, unexpected_count, unexpected_sample, source_files) "
        f"values ({', '.join('?' * len(rows[0]))})",
        rows,
    )
    side.commit()


def _explain(gate: str, outcomes: Sequence[Outcome]) -> str:
    stopping = _stopping(outcomes)
    lines = [_line(gate, outcome) for outcome in stopping]
    counted = Counter(outcome.status for outcome in stopping)
    total = ", ".join(f"{count} {status}" for status, count in sorted(counted.items()))
    return "\n".join(
        [
            f"gate {gate} is red: {total} of {len(outcomes)} expectations",
            *lines,
            f"every result: quality.gate_results where gate = '{gate}'; repair the "
            "source, load it with --replace, then run pricebench build",
        ]
    )


def _line(gate: str, outcome: Outcome) -> str:
    place = outcome.table + (f".{outcome.column}" if outcome.column else "")
    head = f"{gate}: {outcome.expectation} on {place}"
    if outcome.status == "error":
        return f"{head} could not be checked: {outcome.sample}"
    share = f"{outcome.unexpected_count} of {outcome.element_count} rows"
    return f"{head} failed for {share}: {outcome.sample}"


def _as_row(gate: str, data_sha256: str | None, status: str) -> pa.Table:
    import pyarrow as pa

    row = {
        "gate": gate,
        "data_sha256": data_sha256,
        "code_sha256": code_sha256(),
        "status": status,
    }
    schema = pa.schema([(column, pa.string()) for column in row])
    return pa.Table.from_pylist([row], schema=schema)
