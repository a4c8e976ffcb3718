"""The warehouse: made whole, changed by one at a time, never by half."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from ingest.errors import WarehouseError
from ingest.raw_tables import ensure_tables, open_database, state_folder, write_raw
from ingest.schemas import RAW
from ingest.warehouse import (
    FileAccount,
    QuarantinedRow,
    init,
    standing_files,
    working_copy,
    write_into,
    write_load,
)

SHA = "a" * 64
DUCKDB_TYPES = {
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.date32(): "DATE",
    pa.decimal128(12, 2): "DECIMAL(12,2)",
    pa.bool_(): "BOOLEAN",
    pa.decimal128(18, 9): "DECIMAL(18,9)",
    pa.decimal128(18, 12): "DECIMAL(18,12)",
    pa.decimal128(9, 4): "DECIMAL(9,4)",
    pa.timestamp("us"): "TIMESTAMP",
}


@pytest.fixture
def warehouse(empty_warehouse: Path) -> Path:
    return empty_warehouse


def _query(path: Path, query: str) -> list[tuple[Any, ...]]:
    with open_database(path, read_only=True) as connection:
        return connection.execute(query).fetchall()


def _tastes(count: int, file: str = "t.csv", sha256: str = SHA) -> pa.Table:
    rows = [
        {
            "run_id": "simulated/x",
            "term": f"term{n}",
            "value": float(n),
            "_source_file": file,
            "_source_sha256": sha256,
            "_source_row": n,
        }
        for n in range(count)
    ]
    return pa.Table.from_pylist(rows, RAW["raw_hotel"]["simulated_taste"])


def _account(count: int, file: str = "t.csv", sha256: str = SHA) -> FileAccount:
    return FileAccount("simulated_taste", file, sha256, None, count, count)


def _load(warehouse: Path, count: int, file: str = "t.csv", sha256: str = SHA) -> Any:
    return write_load(
        warehouse,
        "hotel",
        {"simulated_taste": _tastes(count, file, sha256)},
        [_account(count, file, sha256)],
    )


def test_init_makes_every_table_of_the_contract(pristine_warehouse: Path) -> None:
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for schema, table, *column in _query(
        pristine_warehouse,
        "select table_schema, table_name, column_name, data_type, is_nullable = 'YES' "
        "from information_schema.columns order by ordinal_position",
    ):
        found.setdefault(f"{schema}.{table}", []).append(tuple(column))
    for schema, tables in RAW.items():
        for table, contract in tables.items():
            expected = [
                (field.name, DUCKDB_TYPES[field.type], field.nullable)
                for field in contract
            ]
            load_id = ("_dlt_load_id", "VARCHAR", False)
            assert found[f"{schema}.{table}"] == [*expected, load_id], table
            assert _query(
                pristine_warehouse, f"select count(*) from {schema}.{table}"
            ) == [(0,)]
    assert "quality.row_accounting" in found
    assert "quality.loaded_data" in found


def test_init_leaves_no_other_schema(pristine_warehouse: Path) -> None:
    schemas = _query(
        pristine_warehouse,
        "select distinct table_schema from information_schema.tables order by all",
    )
    assert [name for (name,) in schemas] == ["quality", *sorted(RAW)]


def test_init_keeps_what_is_there(warehouse: Path) -> None:
    _load(warehouse, 3)
    init(warehouse)
    query = "select count(*) from raw_hotel.simulated_taste"
    assert _query(warehouse, query) == [(3,)]


def test_a_table_that_an_older_version_lacked_is_added(warehouse: Path) -> None:
    _load(warehouse, 3)
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("drop view quality.gate_status")
        connection.execute("drop view quality.loaded_data")
        connection.execute("drop table quality.quarantine")
        connection.execute("drop table raw_hotel.capability_score")
    _load(warehouse, 2, "other.csv")
    assert _query(warehouse, "select * from raw_hotel.capability_score") == []
    assert _query(warehouse, "select * from quality.quarantine") == []
    query = "select count(*) from raw_hotel.simulated_taste"
    assert _query(warehouse, query) == [(5,)]


def test_a_column_that_an_older_version_lacked_is_added(warehouse: Path) -> None:
    answer = {
        "bank_sha256": "b",
        "run_id": "release/x",
        "source": "release",
        "ordering": "original",
        "repeat": 1,
        "task_id": 1,
        "id_offset": 0,
        "bank_task_id": 1,
        "_source_file": "t.csv",
        "_source_sha256": SHA,
    }

    def load(file: str, *choices: str | None) -> None:
        rows = [
            {**answer, "choice": choice, "_source_row": n, "_source_file": file}
            for n, choice in enumerate(choices)
        ]
        table = pa.Table.from_pylist(rows, RAW["raw_hotel"]["response"])
        account = FileAccount("response", file, SHA, "b", len(rows), len(rows))
        write_load(warehouse, "hotel", {"response": table}, [account])

    load("old.csv", "A", None)
    with duckdb.connect(str(warehouse)) as connection:
        for name in ("published_choice", "cost_usd"):
            connection.execute(f"alter table raw_hotel.response drop column {name}")
    # dlt remembers the columns of the first load
    load("new.csv", "B")
    found = _query(
        warehouse,
        "select choice, published_choice, cost_usd from raw_hotel.response "
        "order by _source_file desc, _source_row",
    )
    # what was loaded before has one reading, which was the published one
    assert found == [("A", "A", None), (None, None, None), ("B", None, None)]


def test_a_load_without_news_changes_no_byte(warehouse: Path) -> None:
    _load(warehouse, 3)
    before = _seen(warehouse)
    report = _load(warehouse, 3)
    assert (report.rows, len(report.skipped), report.written) == (0, 1, ())
    assert _seen(warehouse) == before


def _seen(warehouse: Path) -> tuple[int, int, bytes]:
    # the time of the last read, which reading it here moves, is left out
    status = warehouse.stat()
    return status.st_ino, status.st_mtime_ns, warehouse.read_bytes()


def test_rows_stand_in_order_of_file_and_row(warehouse: Path) -> None:
    table = pa.concat_tables([_tastes(3, "z.csv"), _tastes(3, "a.csv")])
    backwards = table.take(list(range(5, -1, -1)))
    accounts = [_account(3, "z.csv"), _account(3, "a.csv")]
    write_load(warehouse, "hotel", {"simulated_taste": backwards}, accounts)
    query = "select _source_file, _source_row from raw_hotel.simulated_taste"
    assert _query(warehouse, query) == [
        (file, row) for file in ("a.csv", "z.csv") for row in range(3)
    ]


@pytest.mark.parametrize(
    "account",
    [
        FileAccount("simulated_taste", "t.csv", SHA, None, 3, 2, 1),
        FileAccount("simulated_taste", "t.csv", SHA, None, 4, 3, 0),
        FileAccount("simulated_taste", "other.csv", SHA, None, 3, 3, 0),
        FileAccount("simulated_taste", "t.csv", "b" * 64, None, 3, 3, 0),
        FileAccount("hotel", "t.csv", SHA, None, 3, 3, 0),
        FileAccount("simulated_taste", "t.csv", SHA, None, 4, 3, 1),
    ],
)
def test_rows_that_their_account_does_not_cover_are_refused(
    warehouse: Path, account: FileAccount
) -> None:
    before = warehouse.read_bytes()
    with pytest.raises(ValueError, match=r"account|accepted"):
        write_load(warehouse, "hotel", {"simulated_taste": _tastes(3)}, [account])
    assert warehouse.read_bytes() == before


def test_quarantined_rows_are_stored_with_their_reason(warehouse: Path) -> None:
    account = FileAccount("simulated_taste", "t.csv", SHA, None, 4, 3, 1)
    row = QuarantinedRow("t.csv", SHA, None, 9, "value", "missing", "x" * 5000)
    write_load(warehouse, "hotel", {"simulated_taste": _tastes(3)}, [account], [row])
    ((*where, text),) = _query(
        warehouse,
        "select instrument, source_file, source_row, field, reason, row_text "
        "from quality.quarantine",
    )
    assert where == ["hotel", "t.csv", 9, "value", "missing"]
    # 5,000 characters, cut after 4,000
    assert text == "x" * 4000 + " [1,000 characters more]"


def test_what_the_database_refuses_is_one_line(warehouse: Path) -> None:
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("create or replace table quality.quarantine (x integer)")
    before = warehouse.read_bytes()
    account = FileAccount("simulated_taste", "t.csv", SHA, None, 1, 0, 1)
    row = QuarantinedRow("t.csv", SHA, None, 9, "value", "missing", "x")
    with pytest.raises(WarehouseError, match="cannot be written") as caught:
        write_load(warehouse, "hotel", {}, [account], [row])
    assert "\n" not in str(caught.value)
    assert warehouse.read_bytes() == before


def test_a_superseded_file_leaves_its_rows_and_stays_accounted(
    warehouse: Path,
) -> None:
    _load(warehouse, 3)
    new = "b" * 64
    with working_copy(warehouse) as copy:
        (old,) = standing_files(copy, "hotel")
        report = write_into(
            copy,
            "hotel",
            {"simulated_taste": _tastes(2, sha256=new)},
            [_account(2, sha256=new)],
            superseded=[old],
        )
    assert (report.rows, report.superseded) == (2, 3)
    assert _query(
        warehouse,
        "select source_sha256, rows_read, rows_accepted, rows_quarantined, "
        "rows_superseded from quality.row_accounting order by loaded_at",
    ) == [(SHA, 3, 0, 0, 3), (new, 2, 2, 0, 0)]
    query = "select distinct _source_sha256 from raw_hotel.simulated_taste"
    assert _query(warehouse, query) == [(new,)]
    assert [key.source_sha256 for key in standing_files(warehouse, "hotel")] == [new]


def test_a_file_without_a_good_row_stands_until_it_is_replaced(
    warehouse: Path,
) -> None:
    broken = FileAccount("simulated_taste", "t.csv", SHA, None, 2, 0, 2)
    aside = [QuarantinedRow("t.csv", SHA, None, n, "*", "cut", "x") for n in (1, 2)]
    write_load(warehouse, "hotel", {}, [broken], aside)
    seen = "select source_sha256, rows_quarantined, run_ids from quality.standing_file"
    assert _query(warehouse, seen) == [(SHA, 2, [])]
    new = "b" * 64
    with working_copy(warehouse) as copy:
        write_into(
            copy,
            "hotel",
            {"simulated_taste": _tastes(2, sha256=new)},
            [_account(2, sha256=new)],
            superseded=standing_files(copy, "hotel"),
        )
    assert _query(warehouse, seen) == [(new, 0, [])]
    assert [key.source_sha256 for key in standing_files(warehouse, "hotel")] == [new]


def test_files_of_one_name_from_two_sources_both_stand(warehouse: Path) -> None:
    hashes = {SHA, "b" * 64}
    for sha256 in sorted(hashes):
        table = {"simulated_taste": _tastes(2, sha256=sha256)}
        write_load(warehouse, "hotel", table, [_account(2, sha256=sha256)])
    assert {key.source_sha256 for key in standing_files(warehouse, "hotel")} == hashes
    again = write_load(warehouse, "hotel", table, [_account(2, sha256=sha256)])
    assert (again.rows, len(again.skipped)) == (0, 1)


def test_what_an_older_version_superseded_is_still_known_to_be(
    warehouse: Path,
) -> None:
    _load(warehouse, 3)
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("drop view quality.standing_file")
        connection.execute("drop view quality.gate_status")
        connection.execute("drop view quality.loaded_data")
        connection.execute("alter table quality.row_accounting drop is_superseded")
        connection.execute(
            "insert into quality.row_accounting select * replace ("
            "'old' as source_sha256, 0 as rows_accepted, 3 as rows_superseded) "
            "from quality.row_accounting"
        )
    init(warehouse)
    assert [key.source_sha256 for key in standing_files(warehouse, "hotel")] == [SHA]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (pa.table({"x": [1]}), "does not have the columns of its contract"),
        (
            _tastes(1).set_column(2, "value", pa.array(["much"])),
            "does not fit its contract",
        ),
        (
            _tastes(1).set_column(1, "term", pa.array([None], pa.string())),
            "null values to non-nullable",
        ),
        (
            # rows under a schema that says not null, which Arrow took as they came
            pa.Table.from_pylist([{"run_id": "x"}], _tastes(0).schema),
            "null values to non-nullable",
        ),
    ],
)
def test_rows_outside_the_contract_are_refused(
    warehouse: Path, table: pa.Table, words: str
) -> None:
    with (
        pytest.raises(WarehouseError, match=words),
        working_copy(warehouse) as copy,
    ):
        write_raw(copy, "hotel", {"simulated_taste": table})
    with pytest.raises(WarehouseError, match="not in the contract"):
        write_raw(warehouse, "hotel", {"surprise": _tastes(1)})


def test_what_a_killed_run_left_is_dropped(warehouse: Path) -> None:
    rubbish = warehouse.with_name("w.duckdb.next")
    rubbish.mkdir()
    (rubbish / "w.duckdb").write_bytes(b"half a copy")
    state = state_folder(warehouse) / "raw_hotel"
    state.mkdir(parents=True)
    (state / "state.json").write_text("{half a sta")
    _load(warehouse, 3)
    query = "select count(*) from raw_hotel.simulated_taste"
    assert _query(warehouse, query) == [(3,)]
    assert not rubbish.exists()


def test_dlt_sends_and_keeps_nothing(warehouse: Path) -> None:
    import dlt

    _load(warehouse, 1)
    assert dlt.config["runtime.dlthub_telemetry"] is False
    assert list(state_folder(warehouse).rglob("*.parquet")) == []


def test_ensure_tables_is_idempotent(warehouse: Path) -> None:
    before = warehouse.read_bytes()
    ensure_tables(warehouse)
    assert warehouse.read_bytes() == before


def _definitions(path: Path) -> dict[str, str]:
    with duckdb.connect(str(path), read_only=True) as connection:
        found = connection.execute(
            "select schema_name || '.' || table_name, sql from duckdb_tables() "
            "where schema_name like 'raw%' and table_name not like '!_%' escape '!'"
        )
        return dict(found.fetchall())


def test_empty_tables_are_those_that_dlt_would_make(tmp_path: Path) -> None:
    ours, of_dlt = tmp_path / "ours.duckdb", tmp_path / "of_dlt.duckdb"
    ensure_tables(ours)
    for schema, tables in RAW.items():
        empty = {name: columns.empty_table() for name, columns in tables.items()}
        write_raw(of_dlt, schema.removeprefix("raw_"), empty)
    assert len(_definitions(ours)) == sum(map(len, RAW.values()))
    assert _definitions(ours) == _definitions(of_dlt)
