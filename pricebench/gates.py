"""What the gates say of the data now loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pricebench.errors import CommandError
from pricebench.reader import fetch

Gate = Mapping[str, Any]

# What lets dependents pass while the data stays the same; all else is red, or the
# gate has not run: skipped, bypassed.
PASSING = ("green", "empty")


def read_gates(connection: Any) -> list[dict[str, Any]]:
    """Read the newest verdict of every gate.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        An open warehouse.

    Returns
    -------
    list of dict
        ``instrument``, ``gate``, ``layer``, ``status``, ``refusal`` (null: the gate
        lets its dependents pass) and ``last_green_at``, red gates first. Empty where no
        gate ever ran.

    Raises
    ------
    duckdb.Error
        If the database has no such view, so is no warehouse.
    """
    return fetch(
        connection,
        "select instrument, gate, layer, status, refusal, last_green_at "
        # A red gate explains those behind it, which are merely out of date.
        f"from quality.gate_status order by status in {PASSING}, run_at, gate",
    ).records()


def first_refusals(gates: Sequence[Gate]) -> dict[str, str]:
    """Return the refusal that explains the others, by instrument.

    Parameters
    ----------
    gates : sequence of mapping
        What `read_gates` returned.

    Returns
    -------
    dict
        Refusal by instrument; no entry for one whose gates all let pass.
    """
    found: dict[str, str] = {}
    for gate in gates:
        if gate["refusal"] is not None:
            found.setdefault(gate["instrument"], gate["refusal"])
    return found


def refuse_unless_green(connection: Any, warehouse: Path, instrument: str) -> None:
    """Raise unless every gate of an instrument is green for the data now loaded.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        An open warehouse.
    warehouse : Path
        Its path, for the message.
    instrument : str
        The instrument.

    Raises
    ------
    CommandError
        Naming the gate, and the date of the last figures that passed all gates.
    """
    import duckdb

    try:
        gates = read_gates(connection)
    except duckdb.CatalogException as error:
        raise _no_warehouse(warehouse) from error
    refusal = first_refusals(gates).get(instrument)
    last = last_gate(gates, instrument)
    if refusal is not None:
        raise CommandError(
            f"no {instrument} board: {refusal} (last good figures: {green_date(last)})"
        )
    if last is None:
        raise CommandError(
            f"no {instrument} board: {warehouse} was never built to the end; run "
            "`pricebench build`"
        )


def last_gate(gates: Sequence[Gate], instrument: str) -> Gate | None:
    """Return the gate behind the marts of an instrument; null if it never ran."""
    mine = (gate for gate in gates if gate["instrument"] == instrument)
    return next((gate for gate in mine if gate["layer"] == "marts"), None)


def green_date(gate: Gate | None) -> str:
    """Return when a gate was last green, in words."""
    when: datetime | None = gate["last_green_at"] if gate else None
    return "none" if when is None else f"{when:%Y-%m-%d %H:%M} UTC"


def refuse_boards(refusals: Sequence[str]) -> None:
    """Raise where boards could not be shown.

    Parameters
    ----------
    refusals : sequence of str
        A line each; none: nothing happens.

    Raises
    ------
    CommandError
        With the last line, after the others were written.
    """
    from pricebench import console

    for line in refusals[:-1]:
        console.complain(line)
    if refusals:
        raise CommandError(refusals[-1])


def loaded_instruments(connection: Any, warehouse: Path) -> frozenset[str]:
    """Return the instruments that a file was loaded for.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        An open warehouse.
    warehouse : Path
        Its path, for the message.

    Returns
    -------
    frozenset of str
        Their names; empty where nothing was loaded.

    Raises
    ------
    CommandError
        If the database is no warehouse.
    """
    import duckdb

    try:
        rows = fetch(connection, "select instrument from quality.row_accounting").rows
    except duckdb.CatalogException as error:
        raise _no_warehouse(warehouse) from error
    return frozenset(instrument for (instrument,) in rows)


def _no_warehouse(warehouse: Path) -> CommandError:
    return CommandError(
        f"{warehouse} is not a warehouse: make one with `pricebench init`"
    )
