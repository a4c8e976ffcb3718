"""A gate on raw tables: what it records, what it raises and what each rule catches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from expectations.gate import GateFailed, GateRefused, require_green, run_gate
from expectations.hotel_raw import SUITE
from expectations.rules import (
    EmptyRule,
    RowRule,
    Rule,
    Suite,
    not_null,
    one_of,
    unique,
    within,
)
from ingest.schemas import RAW, RAW_HOTEL, quality_ddl

BANK, POOL, FILE_HASH = "b" * 64, "d" * 64, "f" * 64
VARIANTS = Path(__file__).parents[2] / "dbt_project" / "seeds" / "hotel_variant.csv"


def _row(table: str, row: int, **values: object) -> dict[str, object]:
    place = {"_source_file": f"{table}.csv", "_source_sha256": FILE_HASH}
    return {**place, "_source_row": row, **values}


def _task(task_id: int, kind: str, letters: str) -> dict[str, object]:
    option = {
        "hotel_id": 1,
        "name": "Hotel",
        "stars": 3.0,
        "neighborhood": "Midtown",
        "review_score": 8.1,
        "review_count": 10,
        "room_type": "Queen",
        "cancellation_free": 1,
        "breakfast_included": 0,
        "price": 120,
    }
    cards = {f"{x}_{name}": value for x in letters for name, value in option.items()}
    head = {"bank_sha256": BANK, "task_id": task_id, "task_type": kind}
    return _row("task", task_id + 1, **head, group_id=task_id, rep=1, **cards)


def _answer(row: int, task_id: int, choice: str | None) -> dict[str, object]:
    run = {"bank_sha256": BANK, "run_id": "release/x", "source": "release"}
    ids = {"task_id": task_id, "id_offset": 0, "bank_task_id": task_id}
    asked = {"ordering": "original", "repeat": 1, "choice": choice}
    return _row("response", row, **run, **ids, **asked)


# Two tasks, one run with three answers (one of them blank), a hotel, a score, a taste.
ROWS: dict[str, list[dict[str, object]]] = {
    "task": [_task(1, "binary", "ab"), _task(2, "ternary", "abc")],
    "response": [_answer(2, 1, "A"), _answer(3, 2, "C"), _answer(4, 2, None)],
    "run": [
        _row(
            "run",
            1,
            run_id="release/x",
            bank_sha256=BANK,
            source="release",
            model_tag="x",
            variant="base",
            protocol="published",
            settings='{"temperature": 0}',
        )
    ],
    "hotel": [_row("hotel", 1, pool_sha256=POOL, hotel_id=1, name="Hotel")],
    "capability_score": [_row("capability_score", 2, model_name="X")],
    "simulated_taste": [
        _row("simulated_taste", 1, run_id="release/x", term="stars", value=0.5)
    ],
}


def _warehouse(
    rows: Mapping[str, list[dict[str, object]]],
) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for other in RAW.keys() - {"raw_hotel"}:
        connection.execute(f"create schema {other}")
        for table, schema in RAW[other].items():
            connection.register("arriving", schema.empty_table())
            connection.execute(f"create table {other}.{table} as from arriving")
    connection.execute("create schema raw_hotel")
    for table, schema in RAW_HOTEL.items():
        # planted rows must reach the gate, so nothing may be refused on the way
        open_schema = pa.schema([field.with_nullable(True) for field in schema])
        connection.register(
            "arriving", pa.Table.from_pylist(rows.get(table, []), schema=open_schema)
        )
        connection.execute(f"create table raw_hotel.{table} as from arriving")
    connection.execute(quality_ddl())
    for table, held in rows.items():
        bank = BANK if "bank_sha256" in RAW_HOTEL[table].names else None
        connection.execute(
            "insert into quality.row_accounting "
            "values ('hotel', ?, ?, ?, ?, ?, ?, 0, 0, now(), false)",
            [table, f"{table}.csv", FILE_HASH, bank, len(held), len(held)],
        )
    connection.execute(f"create table hotel_variant as from read_csv('{VARIANTS}')")
    return connection


@pytest.fixture
def warehouse() -> duckdb.DuckDBPyConnection:
    return _warehouse(ROWS)


def _gate(
    connection: duckdb.DuckDBPyConnection, suite: Suite | None = None
) -> pa.Table:
    relations = {name: connection.table(f"raw_hotel.{name}") for name in RAW_HOTEL}
    for name in ("row_accounting", "quarantine"):
        relations[name] = connection.table(f"quality.{name}")
    relations["hotel_variant"] = connection.table("hotel_variant")
    return run_gate(connection, gate="hotel_raw", relations=relations, suite=suite)


def _results(connection: duckdb.DuckDBPyConnection, status: str) -> dict[str, tuple]:
    found = connection.execute(
        "select expectation, table_name, column_name, element_count, unexpected_count, "
        "unexpected_sample, source_files from quality.gate_results where status = ?",
        [status],
    ).fetchall()
    return {row[0]: row[1:] for row in found}


def _summary(connection: duckdb.DuckDBPyConnection) -> list[str]:
    rows = connection.execute(
        "select status from quality.gate_results where expectation = 'gate' "
        "order by run_at, rowid"
    ).fetchall()
    return [status for (status,) in rows]


def test_consistent_rows_are_green_and_the_row_holds_no_clock(warehouse):
    first, second = _gate(warehouse), _gate(warehouse)
    assert first.equals(second)
    assert first.column_names == ["gate", "data_sha256", "code_sha256", "status"]
    loaded = warehouse.execute(
        "select data_sha256 from quality.loaded_data where instrument = 'hotel'"
    ).fetchall()
    assert first.to_pylist()[0]["data_sha256"] == loaded[0][0]
    assert first["status"].to_pylist() == ["green"]
    assert _summary(warehouse) == ["green", "green"]
    # one row per rule and run, and the two summaries
    count = "select count(*) from quality.gate_results"
    assert warehouse.execute(count).fetchall() == [(2 * (len(SUITE.rules) + 1),)]


def test_an_instrument_without_a_row_is_empty():
    warehouse = _warehouse({})
    assert _gate(warehouse)["status"].to_pylist() == ["empty"]
    assert _summary(warehouse) == ["empty"]
    require_green(warehouse, "hotel_raw")


COPY = "insert into raw_hotel.{0} by name select * replace ({1}) from raw_hotel.{0}"

# What is planted, and the rule that must catch it.
PLANTED = [
    (
        "alter table raw_hotel.task alter a_price type double",
        "columns_have_their_types",
    ),
    (
        "update raw_hotel.response set _source_row = 2",
        "expect_compound_columns_to_be_unique",
    ),
    (
        "update raw_hotel.run set variant = null",
        "every_row_has_a_value",
    ),
    (
        "update raw_hotel.response set choice = 'Z' where task_id = 1",
        "expect_column_values_to_be_in_set",
    ),
    (
        "update raw_hotel.task set b_price = null where task_id = 1",
        "every_option_is_complete_for_its_format",
    ),
    (
        "update raw_hotel.task set c_hotel_id = 7 where task_id = 1",
        "every_option_is_complete_for_its_format",
    ),
    (
        "update raw_hotel.task set a_price = 0 where task_id = 1",
        "every_option_is_complete_for_its_format",
    ),
    ("update raw_hotel.run set source = 'collected'", "every_answer_has_a_run"),
    (
        "update raw_hotel.response set bank_task_id = 9, task_id = 9 where task_id = 1",
        "every_answer_has_a_task",
    ),
    (
        "update raw_hotel.response set id_offset = 1000 where task_id = 1",
        "every_id_is_its_task_plus_an_offset",
    ),
    (
        "update raw_hotel.response set choice = 'C' where task_id = 1",
        "every_choice_is_an_option_of_its_task",
    ),
    (
        "update raw_hotel.response set published_choice = 'C' where task_id = 1",
        "every_choice_is_an_option_of_its_task",
    ),
    (
        "update raw_hotel.response set reply_state = 'failed', choice = null, "
        "published_choice = 'A' where task_id = 1",
        "reply_state_agrees_with_choice",
    ),
    (
        "update raw_hotel.response set reply_state = 'failed' where task_id = 1",
        "reply_state_agrees_with_choice",
    ),
    (
        "update raw_hotel.response set reply_state = 'letter' where choice is null",
        "reply_state_agrees_with_choice",
    ),
    ("update raw_hotel.run set bank_sha256 = 'other'", "every_run_has_a_bank"),
    ("update raw_hotel.run set variant = 'new'", "every_variant_is_in_the_registry"),
    ("update raw_hotel.run set settings = '[1]'", "every_setting_is_a_json_object"),
    ("update raw_hotel.run set settings = 'warm'", "every_setting_is_a_json_object"),
    (
        "update raw_hotel.run set source = 'collected'",
        "every_model_asked_has_a_provider",
    ),
    ("update raw_hotel.simulated_taste set run_id = 'y'", "every_taste_has_a_run"),
    (
        "update quality.row_accounting set rows_read = rows_read + 1",
        "read_is_accepted_quarantined_or_superseded",
    ),
    (COPY.format("hotel", "2 as hotel_id"), "accepted_rows_are_the_raw_rows"),
    ("delete from raw_hotel.capability_score", "accepted_rows_are_the_raw_rows"),
    (
        "update quality.row_accounting set rows_read = rows_read + 1, "
        "rows_quarantined = 1 where table_name = 'task'",
        "quarantined_rows_are_the_rows_in_quarantine",
    ),
]


@pytest.mark.parametrize(("plant", "expectation"), PLANTED)
def test_a_planted_row_turns_the_gate_red_and_is_named(warehouse, plant, expectation):
    named = tuple(rule for rule in SUITE.rules if rule.name == expectation)
    _gate(warehouse, Suite(SUITE.keys, named))
    warehouse.execute(plant)
    with pytest.raises(GateFailed, match=expectation) as raised:
        _gate(warehouse, Suite(SUITE.keys, named))
    assert expectation in _results(warehouse, "failed")
    assert not _results(warehouse, "error")
    assert _summary(warehouse) == ["green", "failed"]
    assert raised.value.args[0].startswith("gate hotel_raw is red: ")


def test_every_rule_across_tables_is_planted_against():
    rules = {rule.name for rule in SUITE.rules if isinstance(rule, EmptyRule)}
    assert rules <= {expectation for _, expectation in PLANTED}


def test_the_message_names_rule_count_row_and_file(warehouse):
    warehouse.execute("update raw_hotel.response set choice = 'C' where task_id = 1")
    with pytest.raises(GateFailed) as raised:
        _gate(warehouse)
    _, line, advice = raised.value.args[0].splitlines()
    assert line == (
        "hotel_raw: every_choice_is_an_option_of_its_task on response failed for "
        "1 of 3 rows: run_id=release/x, task_id=1, choice=C, published_choice=null, "
        "task_type=binary (response.csv row 2)"
    )
    assert "quality.gate_results where gate = 'hotel_raw'" in advice
    recorded = _results(warehouse, "failed")["every_choice_is_an_option_of_its_task"]
    assert recorded[:4] == ("response", None, 3, 1)
    assert recorded[5] == "response.csv"


def test_results_outlive_the_rollback_of_the_model(warehouse):
    warehouse.execute("update raw_hotel.run set variant = 'new'")
    warehouse.begin()
    with pytest.raises(GateFailed):
        _gate(warehouse)
    warehouse.rollback()
    assert _summary(warehouse) == ["failed"]


def _suite(*rules: Rule) -> Suite:
    return Suite(keys={"response": ("task_id",), "absent": ()}, rules=rules)


@pytest.mark.parametrize(
    "broken",
    [
        RowRule("response", "ExpectColumnValuesToNotBeNull", {"column": "x"}, ("x",)),
        RowRule("response", "ExpectNonsense", {}, ()),
        RowRule("response", "ExpectColumnValuesToNotBeNull", {"colum": "x"}, ("x",)),
        RowRule("absent", "ExpectColumnValuesToNotBeNull", {"column": "x"}, ("x",)),
        EmptyRule("response", "no_such_column", "select x from response"),
        EmptyRule("absent", "no_such_table", "select 1 as x from absent"),
        EmptyRule("response", "not_a_number", "select choice::int as x from response"),
    ],
)
def test_a_rule_that_cannot_be_checked_is_an_error_and_stops(warehouse, broken):
    sound = EmptyRule("response", "sound", "select 1 as x from response where false")
    with pytest.raises(GateFailed, match="could not be checked"):
        _gate(warehouse, _suite(broken, sound))
    assert len(_results(warehouse, "error")) == 2  # the rule and the summary
    assert list(_results(warehouse, "ok")) == ["sound"]
    assert _summary(warehouse) == ["error"]


def test_a_broken_rule_outweighs_one_that_cannot_be_checked(warehouse):
    errs = EmptyRule("response", "errs", "select x from response")
    with pytest.raises(GateFailed, match="1 error, 1 failed of 2 expectations"):
        _gate(warehouse, _suite(errs, *unique("response", "task_id")))
    assert _summary(warehouse) == ["failed"]


def test_a_warning_is_recorded_and_does_not_stop(warehouse):
    warning = [
        *one_of("response", "choice", ["A"], severity="warn"),
        *within("response", "task_id", high=1, severity="warn"),
    ]
    _gate(warehouse, _suite(*warning, *not_null("response", "task_id")))
    failed = _results(warehouse, "failed")
    # choices A, C and null: C is outside the set, null is not judged
    assert failed["expect_column_values_to_be_in_set"][2:4] == (3, 1)
    assert failed["expect_column_values_to_be_between"][2:4] == (3, 2)
    assert _summary(warehouse) == ["green"]


def test_only_a_green_gate_on_the_data_now_loaded_lets_pass(warehouse):
    with pytest.raises(GateRefused, match="gate hotel_raw has not run"):
        require_green(warehouse, "hotel_raw")
    _gate(warehouse)
    require_green(warehouse, "hotel_raw")
    warehouse.execute(COPY.format("hotel", "2 as hotel_id"))
    with pytest.raises(GateRefused, match="out of date for the data now loaded"):
        require_green(warehouse, "hotel_raw")
    with pytest.raises(GateFailed):
        _gate(warehouse)
    with pytest.raises(GateRefused, match=r"is red \(failed\), last green \d{4}-\d\d"):
        require_green(warehouse, "hotel_raw")
    warehouse.execute("delete from raw_hotel.hotel where hotel_id = 2")
    _gate(warehouse)
    require_green(warehouse, "hotel_raw")


def test_a_red_gate_closes_the_later_ones_too(warehouse):
    hotels = warehouse.table("raw_hotel.hotel")
    run_gate(
        warehouse,
        gate="hotel_estimates",
        relations={"hotel": hotels},
        suite=Suite(
            {"hotel": ("hotel_id",)}, tuple(within("hotel", "hotel_id", low=0))
        ),
    )
    _gate(warehouse)
    require_green(warehouse, "hotel_estimates")
    # an edit in place leaves the row counts, and so the hash of the data, as they were
    warehouse.execute("update raw_hotel.run set variant = 'new'")
    with pytest.raises(GateFailed):
        _gate(warehouse)
    with pytest.raises(GateRefused, match="gate hotel_raw is red"):
        require_green(warehouse, "hotel_estimates")
