"""The warehouse: made whole, changed by one at a time, never by half."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    locked,
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
    pa.decimal128(18, 9): "DECIMAL(18,9)",
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


@contextmanager
def _held_open(path: Path, mode: str) -> Iterator[int]:
    """Keep a database open in another process."""
    code = (
        f"import duckdb, sys; c = duckdb.connect({str(path)!r}, {mode == 'r'});"
        "print('open', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == b"open\n"
    try:
        yield process.pid
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


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
        connection.execute("drop table raw_hotel.capability_score")
    _load(warehouse, 2, "other.csv")
    assert _query(warehouse, "select * from raw_hotel.capability_score") == []
    query = "select count(*) from raw_hotel.simulated_taste"
    assert _query(warehouse, query) == [(5,)]


def test_a_load_without_news_changes_no_byte(warehouse: Path) -> None:
    _load(warehouse, 3)
    before = (warehouse.stat(), warehouse.read_bytes())
    report = _load(warehouse, 3)
    assert (report.rows, len(report.skipped), report.written) == (0, 1, ())
    assert (warehouse.stat(), warehouse.read_bytes()) == before


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


def test_a_failed_change_leaves_the_warehouse_as_it_was(warehouse: Path) -> None:
    before = warehouse.read_bytes()

    def change_and_fail(copy: Path) -> None:
        write_raw(copy, "hotel", {"simulated_taste": _tastes(1)})
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"), working_copy(warehouse) as copy:
        change_and_fail(copy)
    assert warehouse.read_bytes() == before
    assert not copy.parent.exists()


def test_a_missing_warehouse_is_not_made_by_a_failed_change(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with pytest.raises(RuntimeError, match="stop"), working_copy(path):
        raise RuntimeError("stop")
    assert not path.exists()


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


def test_the_copy_has_the_same_name_and_catalog(warehouse: Path) -> None:
    with working_copy(warehouse) as copy:
        assert copy.name == warehouse.name
        assert copy.parent != warehouse.parent
        assert state_folder(copy) == state_folder(warehouse)


def test_a_log_that_a_crash_left_is_folded_in(warehouse: Path, tmp_path: Path) -> None:
    code = (
        f"import duckdb, os; c = duckdb.connect({str(warehouse)!r})\n"
        "c.execute('insert into quality.excluded_run values (?, ?, ?, now())', "
        "['hotel', 'r', 'why'])\n"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert warehouse.with_name("w.duckdb.wal").exists()
    _load(warehouse, 1)
    assert not warehouse.with_name("w.duckdb.wal").exists()
    assert _query(warehouse, "select run_id from quality.excluded_run") == [("r",)]


def test_a_log_without_its_warehouse_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "w.duckdb.wal").write_bytes(b"x")
    with pytest.raises(WarehouseError, match="has no warehouse beside it"):
        init(tmp_path / "w.duckdb")


def test_a_second_writer_is_told_who_is_at_work(warehouse: Path) -> None:
    with (
        locked(warehouse),
        pytest.raises(WarehouseError, match=rf"process {os.getpid()}\) is at work"),
        working_copy(warehouse),
    ):
        pass


def test_the_lock_ends_with_its_holder(warehouse: Path) -> None:
    code = (
        "import os; from pathlib import Path; from ingest.warehouse import locked\n"
        f"with locked(Path({str(warehouse)!r})): os._exit(9)"
    )
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", code], check=False, cwd=root)
    assert _load(warehouse, 1).rows == 1


def test_a_writer_elsewhere_is_named(warehouse: Path) -> None:
    before = warehouse.read_bytes()
    with (
        _held_open(warehouse, "w") as pid,
        pytest.raises(WarehouseError, match=f"held open by process {pid}") as caught,
    ):
        _load(warehouse, 1)
    assert "\n" not in str(caught.value)
    assert warehouse.read_bytes() == before


def test_readers_do_not_block_and_see_no_half(warehouse: Path) -> None:
    _load(warehouse, 1)
    with _held_open(warehouse, "r"), open_database(warehouse, read_only=True) as reader:
        query = "select count(*) from raw_hotel.simulated_taste"
        assert _load(warehouse, 2, "other.csv").rows == 2
        assert reader.execute(query).fetchall() == [(1,)]
    assert _query(warehouse, query) == [(3,)]


def test_a_warehouse_changed_meanwhile_is_not_overwritten(warehouse: Path) -> None:
    def change_both(copy: Path) -> None:
        write_raw(copy, "hotel", {"simulated_taste": _tastes(1)})
        with duckdb.connect(str(warehouse)) as other:
            other.execute("create table main.precious as select 1 as x")

    with (
        pytest.raises(WarehouseError, match="changed by something else meanwhile"),
        working_copy(warehouse) as copy,
    ):
        change_both(copy)
    assert _query(warehouse, "select x from main.precious") == [(1,)]


def test_a_link_is_followed(warehouse: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.duckdb"
    link.symlink_to(warehouse)
    _load(link, 2)
    assert link.is_symlink()
    query = "select count(*) from raw_hotel.simulated_taste"
    assert _query(warehouse, query) == [(2,)]


def test_rights_are_kept(warehouse: Path) -> None:
    warehouse.chmod(0o640)
    _load(warehouse, 1)
    assert warehouse.stat().st_mode & 0o777 == 0o640


def test_paths_that_cannot_be_written_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("some notes, no database")
    for path, words in [
        (tmp_path / "file" / "w.duckdb", "is a file, not a folder"),
        (tmp_path / "file", "no warehouse but some other file"),
        (tmp_path, "is a folder"),
        (Path("/proc/w.duckdb"), "cannot be written"),
    ]:
        with pytest.raises(WarehouseError, match=words) as caught:
            init(path)
        assert "\n" not in str(caught.value)
    assert (tmp_path / "file").read_text() == "some notes, no database"


def test_a_full_disk_is_one_line_and_nothing_is_lost(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = warehouse.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(WarehouseError, match=r"cannot be copied .*No space left"):
        _load(warehouse, 1)
    monkeypatch.undo()
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(WarehouseError, match=r"cannot be replaced .*No space left"):
        _load(warehouse, 1)
    assert warehouse.read_bytes() == before
    assert not warehouse.with_name("w.duckdb.next").exists()


def test_a_damaged_warehouse_is_one_line(warehouse: Path) -> None:
    data = bytearray(warehouse.read_bytes())
    data[12:4096] = b"\xff" * 4084
    warehouse.write_bytes(data)
    with pytest.raises(WarehouseError) as caught:
        _load(warehouse, 1)
    assert "\n" not in str(caught.value)
    assert str(warehouse) in str(caught.value)


def test_dlt_sends_and_keeps_nothing(warehouse: Path) -> None:
    import dlt

    _load(warehouse, 1)
    assert dlt.config["runtime.dlthub_telemetry"] is False
    assert list(state_folder(warehouse).rglob("*.parquet")) == []


def test_ensure_tables_is_idempotent(warehouse: Path) -> None:
    before = warehouse.read_bytes()
    ensure_tables(warehouse)
    assert warehouse.read_bytes() == before
