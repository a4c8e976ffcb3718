"""Changing a warehouse: one at a time, never by half, whatever goes wrong."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from ingest.errors import WarehouseError
from ingest.raw_tables import open_database, state_folder
from ingest.warehouse import init, locked, working_copy
from ingest.warehouse_path import copy_path


@pytest.fixture
def warehouse(empty_warehouse: Path) -> Path:
    return empty_warehouse


def _exclude(copy: Path, run_id: str) -> None:
    with open_database(copy) as connection:
        connection.execute(
            "insert into quality.excluded_run values ('hotel', ?, 'why', now())",
            [run_id],
        )


def _change(warehouse: Path, run_id: str = "new") -> None:
    with working_copy(warehouse) as copy:
        _exclude(copy, run_id)


def _excluded(warehouse: Path) -> list[str]:
    query = "select run_id from quality.excluded_run order by run_id"
    with open_database(warehouse, read_only=True) as connection:
        return [row[0] for row in connection.execute(query).fetchall()]


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


def test_a_failed_change_leaves_the_warehouse_as_it_was(warehouse: Path) -> None:
    before = warehouse.read_bytes()

    def change_and_fail(copy: Path) -> None:
        _exclude(copy, "r")
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


def test_every_copy_has_one_name_in_a_folder_of_its_own(warehouse: Path) -> None:
    with working_copy(warehouse) as copy:
        assert copy.parent.parent == warehouse.parent
        assert copy.name == copy_path(warehouse.with_name("other.duckdb")).name
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
    _change(warehouse)
    assert not warehouse.with_name("w.duckdb.wal").exists()
    assert _excluded(warehouse) == ["new", "r"]


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
    ended = subprocess.run([sys.executable, "-c", code], check=False, cwd=root)
    assert ended.returncode == 9
    _change(warehouse)
    assert _excluded(warehouse) == ["new"]


def test_a_writer_elsewhere_is_named(warehouse: Path) -> None:
    before = warehouse.read_bytes()
    with (
        _held_open(warehouse, "w") as pid,
        pytest.raises(WarehouseError, match=f"held open by process {pid}") as caught,
    ):
        _change(warehouse)
    assert "\n" not in str(caught.value)
    assert warehouse.read_bytes() == before


def test_readers_do_not_block_and_see_no_half(warehouse: Path) -> None:
    _change(warehouse)
    with _held_open(warehouse, "r"), open_database(warehouse, read_only=True) as reader:
        _change(warehouse, "another")
        query = "select run_id from quality.excluded_run"
        assert reader.execute(query).fetchall() == [("new",)]
    assert _excluded(warehouse) == ["another", "new"]


def test_a_warehouse_changed_meanwhile_is_not_overwritten(warehouse: Path) -> None:
    def change_both(copy: Path) -> None:
        _exclude(copy, "r")
        with duckdb.connect(str(warehouse)) as other:
            other.execute("create table main.precious as select 1 as x")

    with (
        pytest.raises(WarehouseError, match="changed by something else meanwhile"),
        working_copy(warehouse) as copy,
    ):
        change_both(copy)
    with open_database(warehouse, read_only=True) as connection:
        assert connection.execute("from main.precious").fetchall() == [(1,)]


def test_a_link_is_followed(warehouse: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.duckdb"
    link.symlink_to(warehouse)
    _change(link)
    assert link.is_symlink()
    assert _excluded(warehouse) == ["new"]


def test_rights_are_kept(warehouse: Path) -> None:
    warehouse.chmod(0o640)
    _change(warehouse)
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
        _change(warehouse)
    monkeypatch.undo()
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(WarehouseError, match=r"cannot be replaced .*No space left"):
        _change(warehouse)
    assert warehouse.read_bytes() == before
    assert not warehouse.with_name("w.duckdb.next").exists()


def test_a_damaged_warehouse_is_one_line(warehouse: Path) -> None:
    data = bytearray(warehouse.read_bytes())
    data[12:4096] = b"\xff" * 4084
    warehouse.write_bytes(data)
    with pytest.raises(WarehouseError) as caught:
        _change(warehouse)
    assert "\n" not in str(caught.value)
    assert str(warehouse) in str(caught.value)


def test_a_lock_that_cannot_name_its_holder_is_a_lock(empty_warehouse, monkeypatch):
    def full(*_arguments: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    # on a full disk the copy says what is amiss, and how much room it needs
    monkeypatch.setattr("ingest.working_copy.os.pwrite", full)
    with (
        locked(empty_warehouse),
        pytest.raises(WarehouseError, match="at work on"),
        locked(empty_warehouse),
    ):
        pass
