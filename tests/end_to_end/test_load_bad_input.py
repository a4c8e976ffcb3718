"""Bad input: one clear line each, the rest loads, nothing is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import LoadError, WarehouseError
from ingest.hotel.release import LoadReport, load_hotel
from ingest.warehouse import open_database

ROOT = Path(__file__).resolve().parents[2]


def _query(path: Path, query: str) -> list[tuple[Any, ...]]:
    with open_database(path, read_only=True) as connection:
        return connection.execute(query).fetchall()


def _one_line(report: LoadReport, *words: str) -> None:
    (error,) = report.errors
    assert "\n" not in error
    for word in words:
        assert word in error


@pytest.fixture
def good(small_release: Any) -> Any:
    """A source that would load without a word: 6 tasks, 2 answers, 1 run."""
    small_release.tasks()
    small_release.answers("good", ["1,A,A", "2,B,B"])
    return small_release


GOOD_ROWS = 6 + 2 + 1


def test_no_such_folder(tmp_path: Path, empty_warehouse: Path) -> None:
    before = empty_warehouse.read_bytes()
    with pytest.raises(LoadError, match=r"no such file or folder: .*absent"):
        load_hotel(tmp_path / "absent", empty_warehouse)
    assert empty_warehouse.read_bytes() == before


def test_empty_folder(tmp_path: Path, empty_warehouse: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(LoadError, match="empty holds no file"):
        load_hotel(tmp_path / "empty", empty_warehouse)


def test_folder_without_hotel_data(tmp_path: Path, empty_warehouse: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "triage.csv").write_text("a,b\n")
    with pytest.raises(
        LoadError, match=r"no hotel data \(files seen: 1\); expected conjoint"
    ):
        load_hotel(tmp_path / "notes", empty_warehouse)


def test_no_tasks_anywhere(small_release: Any, tmp_path: Path) -> None:
    small_release.answers("phi", ["1,A,A"])
    small_release.answers("phi_swap", ["10001,A,A"])
    report = load_hotel(small_release.folder, tmp_path / "w.duckdb")
    _one_line(
        report, "conjoint_results_phi.csv", "neither the source nor the warehouse"
    )
    assert report.rows == 0


@pytest.mark.parametrize(
    ("cut", "reason"),
    [(b"4,A", "the file ends inside this row"), (b'4,A,"so', "a quote is opened")],
)
def test_truncated_csv(
    good: Any, empty_warehouse: Path, cut: bytes, reason: str
) -> None:
    path = good.answers("phi", ["1,A,A", "2,B,B", "3,B,B"])
    path.write_bytes(path.read_bytes() + cut)
    report = load_hotel(good.folder, empty_warehouse)
    assert report.errors == ()
    (aside,) = report.quarantined_rows
    assert (aside.source_file, aside.source_row) == ("conjoint_results_phi.csv", 5)
    assert reason in aside.reason
    assert aside.row_text == cut.decode()
    # 3 answers of the cut file and its run
    assert report.rows == GOOD_ROWS + 3 + 1
    assert _query(
        empty_warehouse,
        "select source_file, source_row, field, row_text from quality.quarantine",
    ) == [("conjoint_results_phi.csv", 5, "*", cut.decode())]
    assert _query(
        empty_warehouse,
        "select rows_read, rows_accepted, rows_quarantined from quality.row_accounting "
        "where table_name = 'response' and source_file like '%phi%'",
    ) == [(4, 3, 1)]


def test_truncated_task_file(good: Any, empty_warehouse: Path) -> None:
    path = good.tasks()
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b"Midtown")])
    report = load_hotel(good.folder, empty_warehouse)
    (aside,) = report.quarantined_rows
    assert (aside.source_row, aside.field) == (7, "*")
    assert "the file ends inside this row" in aside.reason
    assert report.rows == GOOD_ROWS - 1


@pytest.mark.parametrize("name", ["conjoint_tasks.csv", "conjoint_results_good.csv"])
def test_a_last_row_that_may_be_cut_is_loaded_and_named(
    good: Any, empty_warehouse: Path, name: str
) -> None:
    path = good.folder / name
    data = path.read_bytes()
    # the price of the last task loses its last digit, the last reply its line break
    path.write_bytes(data[:-2] if "tasks" in name else data[:-1])
    report = load_hotel(good.folder, empty_warehouse)
    assert (report.errors, report.quarantined, report.rows) == ((), 0, GOOD_ROWS)
    (note,) = report.notes
    line, field = (7, "c_price") if "tasks" in name else (3, "raw_output")
    assert note.startswith(
        f"{name} line {line} ends the file without a line break: its last field "
        f"({field}) may be cut; the row is loaded as it stands, "
    )
    assert "\n" not in note


def test_a_price_cut_in_its_decimals_is_set_aside(
    good: Any, empty_warehouse: Path
) -> None:
    lines = good.task_lines()
    # the published file writes the prices of third options with a point
    path = good.tasks([*lines[:5], *(f"{line}.0" for line in lines[5:])])
    for cut in (1, 2, 3):
        path.write_bytes(path.read_bytes()[:-1])  # the line break, then 0, then .
        report = load_hotel(path, empty_warehouse, replace=True)
        if cut == 1:
            assert (report.quarantined, len(report.notes)) == (0, 1)
            continue
        (aside,) = report.quarantined_rows
        assert (aside.source_row, aside.field, report.notes) == (7, "*", ())
        assert "the file ends inside this row: c_price '126" in aside.reason


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"task_id;choice;raw_output\n1;A;A\n", "semicolons"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        (b"\xff\xd8\xff\xe0plain", "not UTF-8"),
        (b"task_id,choice,choice\n1,A,A\n", "repeats choice"),
        (b"task_id,choice\n1,A\n", "lacks raw_output"),
        (b"task_id,choice,raw_output,note\n1,A,A,x\n", "unknown note"),
        (b"1,A,A\n2,B,B\n", "lacks task_id"),
        (b"", "is empty"),
        (b"<!DOCTYPE html>\n<html>\n", "lacks task_id"),
    ],
)
def test_a_file_that_cannot_be_read_costs_that_file_alone(
    good: Any, empty_warehouse: Path, data: bytes, words: str
) -> None:
    good.write("conjoint_results_phi.csv", data)
    report = load_hotel(good.folder, empty_warehouse)
    _one_line(report, "conjoint_results_phi.csv", words)
    assert report.rows == GOOD_ROWS
    assert _query(empty_warehouse, "select run_id from raw_hotel.run") == [
        ("release/good",)
    ]


def test_a_task_file_that_cannot_be_read_holds_its_answers_back(
    good: Any, empty_warehouse: Path
) -> None:
    load_hotel(good.folder, empty_warehouse)
    # other answers with a broken task file must not fall back on the stored bank
    good.write("conjoint_tasks.csv", b"task_id;task_type\n")
    good.answers("phi", ["1,A,A"])
    report = load_hotel(good.folder, empty_warehouse)
    assert len(report.errors) == 2
    assert "conjoint_tasks.csv line 1" in report.errors[0]
    assert "conjoint_results_good.csv, conjoint_results_phi.csv" in report.errors[1]
    assert "could not be read" in report.errors[1]
    assert report.rows == 0


def test_unknown_option_letter(good: Any, empty_warehouse: Path) -> None:
    good.answers("phi", ["1,A,A", "2,F,F", "3,C,C"])
    report = load_hotel(good.folder, empty_warehouse)
    assert report.errors == ()
    assert [(row.source_row, row.field) for row in report.quarantined_rows] == [
        (3, "choice"),
        (4, "choice"),
    ]
    assert "'F' is no option of the binary task 2 (A, B)" in (
        report.quarantined_rows[0].reason
    )
    assert report.rows == GOOD_ROWS + 1 + 1


def test_answers_for_unknown_tasks(good: Any, empty_warehouse: Path) -> None:
    good.answers("phi", ["1,A,A", "777,A,A"])
    report = load_hotel(good.folder, empty_warehouse)
    (aside,) = report.quarantined_rows
    assert (aside.source_row, aside.field) == (3, "task_id")
    assert "no task 777 in bank" in aside.reason


def test_a_file_of_unknown_tasks_alone_says_so(
    good: Any, empty_warehouse: Path
) -> None:
    good.answers("phi", ["777,A,A", "778,A,A"])
    report = load_hotel(good.folder, empty_warehouse)
    assert report.quarantined == 2
    (note,) = report.notes
    assert "conjoint_results_phi.csv: none of its 2 rows fits bank" in note
    # a run without an answer is no run
    assert _query(empty_warehouse, "select run_id from raw_hotel.run") == [
        ("release/good",)
    ]


def test_a_folder_with_the_name_of_a_file(good: Any, empty_warehouse: Path) -> None:
    (good.folder / "conjoint_results_phi.csv").mkdir()
    report = load_hotel(good.folder, empty_warehouse)
    assert (report.errors, report.rows) == ((), GOOD_ROWS)


def test_warehouse_held_open_by_another_process(
    good: Any, empty_warehouse: Path
) -> None:
    before = empty_warehouse.read_bytes()
    code = (
        f"import duckdb, sys; c = duckdb.connect({str(empty_warehouse)!r});"
        "print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(
            WarehouseError, match=f"held open by process {holder.pid}"
        ) as caught:
            load_hotel(good.folder, empty_warehouse)
    assert "\n" not in str(caught.value)
    assert empty_warehouse.read_bytes() == before
    assert load_hotel(good.folder, empty_warehouse).rows == GOOD_ROWS


def test_a_path_that_cannot_be_written(good: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file" / "w.duckdb", Path("/proc/w.duckdb"), tmp_path):
        said: list[str] = []
        with pytest.raises(WarehouseError) as caught:
            load_hotel(good.folder, path, progress=said.append)
        assert "\n" not in str(caught.value)
        assert "--warehouse" in str(caught.value) or "folder" in str(caught.value)
        assert said == []  # nothing was begun


# each step of a load, as the function after which the process dies
STEPS = [
    ("ingest.working_copy", "_start"),
    ("ingest.hotel.release", "read_answers"),
    ("ingest.raw_tables", "_run_dlt"),
    ("ingest.warehouse", "_store"),
    ("ingest.working_copy", "_publish"),
]


@pytest.mark.parametrize(("module", "function"), STEPS)
def test_a_load_killed_between_its_steps_and_run_again(
    good: Any, empty_warehouse: Path, module: str, function: str
) -> None:
    before = empty_warehouse.read_bytes()
    code = f"""
import importlib, os, signal
from pathlib import Path
from ingest.hotel.release import load_hotel
module = importlib.import_module({module!r})
step = module.{function}
def die_after(*arguments, **named):
    step(*arguments, **named)
    os.kill(os.getpid(), signal.SIGKILL)
module.{function} = die_after
load_hotel({str(good.folder)!r}, Path({str(empty_warehouse)!r}))
"""
    killed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert killed.returncode == -9
    published = function == "_publish"
    assert (empty_warehouse.read_bytes() != before) == published
    report = load_hotel(good.folder, empty_warehouse)
    assert report.errors == ()
    assert report.rows == (0 if published else GOOD_ROWS)
    assert _query(empty_warehouse, "select count(*) from raw_hotel.response") == [(2,)]
    assert _query(empty_warehouse, "select count(*) from raw_hotel.task") == [(6,)]
    assert _query(
        empty_warehouse,
        "select sum(rows_read), sum(rows_accepted) from quality.row_accounting",
    ) == [(GOOD_ROWS, GOOD_ROWS)]
    left = {path.name for path in empty_warehouse.parent.glob("w.duckdb*")}
    assert left == {"w.duckdb", "w.duckdb.lock", "w.duckdb.dlt"}


def test_a_load_killed_in_the_middle_of_dlt(good: Any, empty_warehouse: Path) -> None:
    """Leave a pending package behind, which dlt would load instead of the new rows."""
    code = f"""
import os, signal
import dlt.load.load
from pathlib import Path
from ingest.hotel.release import load_hotel
dlt.load.load.Load.run = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
load_hotel({str(good.folder)!r}, Path({str(empty_warehouse)!r}))
"""
    killed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert killed.returncode == -9
    state = empty_warehouse.with_name("w.duckdb.dlt")
    assert list(state.rglob("*.parquet"))  # the package is there
    good.answers("good", ["1,B,B"])
    report = load_hotel(good.folder, empty_warehouse)
    assert (report.errors, report.rows) == ((), GOOD_ROWS - 1)
    assert _query(empty_warehouse, "select choice from raw_hotel.response") == [("B",)]
