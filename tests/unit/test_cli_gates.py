"""When a board is shown, and when it is refused."""

from __future__ import annotations

from datetime import datetime

import duckdb
import pytest

from pricebench.cli import main
from pricebench.errors import CommandError
from pricebench.gates import refuse_unless_green

GREEN = datetime(2026, 1, 2, 3, 4)


def gates(*rows: tuple[str, str, str | None, datetime | None]):
    connection = duckdb.connect()
    connection.execute("create schema quality")
    connection.execute(
        "create table quality.gate_status (gate varchar, instrument varchar, layer"
        " varchar, refusal varchar, last_green_at timestamp, run_at timestamp,"
        " status varchar)"
    )
    for at, (instrument, layer, refusal, green) in enumerate(rows):
        connection.execute(
            "insert into quality.gate_status values (?, ?, ?, ?, ?, ?, ?)",
            [
                f"{instrument}_{layer}",
                instrument,
                layer,
                refusal,
                green,
                GREEN.replace(day=at + 1),
                "failed" if refusal and "is red" in refusal else "green",
            ],
        )
    return connection


def is_refused(connection, tmp_path) -> bool:
    try:
        refuse_unless_green(connection, tmp_path / "w", "hotel")
    except CommandError:
        return True
    return False


def test_a_board_behind_green_gates_is_shown(tmp_path):
    green = [("hotel", "raw", None, GREEN), ("hotel", "marts", None, GREEN)]
    assert not is_refused(gates(*green), tmp_path)
    red = ("hotel", "raw", "gate hotel_raw is red (failed)", GREEN)
    assert is_refused(gates(red, green[1]), tmp_path)


def test_a_red_gate_is_named_with_the_date_of_the_last_good_figures(tmp_path):
    # the staging gate ran before, and is out of date only because raw is red
    connection = gates(
        ("hotel", "staging", "gate hotel_staging is out of date", GREEN),
        ("hotel", "marts", "gate hotel_marts is out of date", GREEN),
        ("hotel", "raw", "gate hotel_raw is red (failed)", GREEN.replace(day=9)),
    )
    with pytest.raises(CommandError) as failure:
        refuse_unless_green(connection, tmp_path / "w", "hotel")
    # the marts gate is the last of all: what it passed was shown
    assert str(failure.value) == (
        "no hotel board: gate hotel_raw is red (failed) (last good figures: "
        "2026-01-02 03:04 UTC)"
    )


def test_another_instruments_gate_stops_no_board(tmp_path):
    connection = gates(
        ("search", "raw", "gate search_raw is red", None),
        ("hotel", "marts", None, GREEN),
    )
    assert not is_refused(connection, tmp_path)


@pytest.mark.parametrize("rows", [(), (("hotel", "raw", None, GREEN),)])
def test_a_warehouse_that_was_not_built_to_the_end_says_so(rows, tmp_path):
    with pytest.raises(
        CommandError, match=r"never built to the end; run `pricebench b"
    ):
        refuse_unless_green(gates(*rows), tmp_path / "w", "hotel")


def test_a_database_without_gates_is_no_warehouse(tmp_path):
    with pytest.raises(CommandError, match=r"is not a warehouse: make one with"):
        refuse_unless_green(duckdb.connect(), tmp_path / "w", "hotel")


def test_an_instrument_without_a_board_is_named(tmp_path, capsys):
    assert main(["board", "casino", "--warehouse", str(tmp_path / "w.duckdb")]) == 1
    assert capsys.readouterr().err == (
        "pricebench: no board for 'casino': name one of hotel, purchase, search\n"
    )
