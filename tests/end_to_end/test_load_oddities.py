"""What the published release has out of the ordinary loads as it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.hotel.release import load_hotel
from ingest.warehouse import open_database


def _query(path: Path, query: str) -> list[tuple[Any, ...]]:
    with open_database(path, read_only=True) as connection:
        return connection.execute(query).fetchall()


def _answers(path: Path) -> list[tuple[Any, ...]]:
    return _query(
        path,
        "select ordering, task_id, id_offset, bank_task_id, choice "
        "from raw_hotel.response order by _source_file, _source_row",
    )


def test_a_second_block_under_another_offset(
    small_release: Any, empty_warehouse: Path
) -> None:
    small_release.tasks()
    # one swapped file with the usual block and one under an older offset
    small_release.answers(
        "mistral_swap", ["10001,A,B", "10002,B,A", "1001,A,B", "1002,A,B"]
    )
    report = load_hotel(small_release.folder, empty_warehouse)
    assert (report.quarantined, report.errors) == (0, ())
    assert _answers(empty_warehouse) == [
        ("swapped", 10001, 10000, 1, "A"),
        ("swapped", 10002, 10000, 2, "B"),
        ("swapped", 1001, 1000, 1, "A"),
        ("swapped", 1002, 1000, 2, "A"),
    ]


def test_blank_doubled_missing_and_interleaved_rows(
    small_release: Any, empty_warehouse: Path
) -> None:
    small_release.tasks()
    # task 3 is missing, 2 stands twice (blank first), ternary rows come between
    small_release.answers("phi", ["5,C,C", "2,,", "1,A,A", "6,B,B", "2,B,B", "4,A,A"])
    report = load_hotel(small_release.folder, empty_warehouse)
    assert (report.quarantined, report.errors) == (0, ())
    assert [row[1:] for row in _answers(empty_warehouse)] == [
        (5, 0, 5, "C"),
        (2, 0, 2, None),
        (1, 0, 1, "A"),
        (6, 0, 6, "B"),
        (2, 0, 2, "B"),
        (4, 0, 4, "A"),
    ]


def test_whole_numbers_written_with_a_point(
    small_release: Any, empty_warehouse: Path
) -> None:
    lines = small_release.task_lines()
    small_release.tasks([*lines[:5], *(_floats(line) for line in lines[5:])])
    small_release.answers("phi", ["1.0,A,A", "10005.0,C,C"])
    report = load_hotel(small_release.folder, empty_warehouse)
    assert report.quarantined == 0
    query = "select c_hotel_id, c_price::varchar from raw_hotel.task where task_id = 5"
    # third option: hotel 3 at $100 + 2 x 10 + 5
    assert _query(empty_warehouse, query) == [(3, "125.00")]
    assert [row[1:4] for row in _answers(empty_warehouse)] == [
        (1, 0, 1),
        (10005, 10000, 5),
    ]


def _floats(line: str) -> str:
    """Write the numbers of the third option as a reader with blanks writes them."""
    fields = line.split(",")
    whole = [f"{text}.0" if text.isdigit() else text for text in fields[26:]]
    return ",".join([*fields[:26], *whole])


def test_both_orders_of_a_model_are_one_run(
    small_release: Any, empty_warehouse: Path
) -> None:
    small_release.tasks()
    small_release.quintets()
    small_release.answers("phi", ["1,A,A"])
    small_release.answers("phi_swap", ["10001,A,B"])
    small_release.answers("phi_json_swap", ["10001,A,B"])
    small_release.answers("phi_5opt", ["1,E,E"])
    load_hotel(small_release.folder, empty_warehouse)
    runs = _query(
        empty_warehouse,
        "select run_id, variant, model_tag, source, settings, _source_file, "
        "task_type from raw_hotel.run join (select distinct bank_sha256, task_type "
        "from raw_hotel.task where task_id = 1) using (bank_sha256) order by all",
    )
    assert [row[:4] for row in runs] == [
        ("release/phi", "base", "phi", "release"),
        ("release/phi/fiveopt", "fiveopt", "phi", "release"),
        ("release/phi/json", "json", "phi", "release"),
    ]
    assert json.loads(runs[0][4]) == {"temperature": 0.0, "max_tokens": 16}
    assert runs[0][5] == "conjoint_results_phi.csv"
    assert [row[6] for row in runs] == ["binary", "fiveopt", "binary"]


def test_a_line_break_inside_a_reply_keeps_line_numbers_true(
    small_release: Any, empty_warehouse: Path
) -> None:
    small_release.tasks()
    # header 1, reply over lines 2-4, bad row on 5, good row on 6
    small_release.answers("phi", ['1,A,"First,', "second", 'third"', "2,Z,Z", "3,B,B"])
    report = load_hotel(small_release.folder, empty_warehouse)
    (aside,) = report.quarantined_rows
    assert (aside.source_row, aside.field) == (5, "choice")
    query = "select _source_row, raw_output from raw_hotel.response order by 1"
    assert _query(empty_warehouse, query) == [(2, "First,\nsecond\nthird"), (6, "B")]


def test_answers_alone_find_the_only_bank_of_the_warehouse(
    small_release: Any, empty_warehouse: Path
) -> None:
    load_hotel(small_release.tasks(), empty_warehouse)
    report = load_hotel(small_release.answers("phi", ["1,A,A"]), empty_warehouse)
    # 1 answer and its run
    assert (report.rows, report.errors) == (2, ())


def test_answers_alone_with_several_banks_need_a_choice(
    small_release: Any, empty_warehouse: Path
) -> None:
    lines = small_release.task_lines()
    load_hotel(small_release.tasks(lines), empty_warehouse)
    load_hotel(small_release.tasks(lines[:4]), empty_warehouse)
    banks = _query(
        empty_warehouse,
        "select bank_sha256 from raw_hotel.task group by all order by count(*)",
    )
    (short,), (full,) = banks
    answers = small_release.answers("phi", ["1,A,A", "5,C,C"])
    report = load_hotel(answers, empty_warehouse)
    (error,) = report.errors
    assert short[:12] in error
    assert full[:12] in error
    assert "--bank" in error
    assert load_hotel(answers, empty_warehouse, bank="zz").errors
    report = load_hotel(answers, empty_warehouse, bank=short[:8])
    # task 5 is not in the short bank
    assert (report.errors, report.quarantined, report.rows) == ((), 1, 2)
    report = load_hotel(answers, empty_warehouse, bank=full[:8])
    assert (report.errors, report.quarantined, report.rows) == ((), 0, 3)


def test_the_bank_in_the_source_comes_before_the_warehouse_s(
    small_release: Any, empty_warehouse: Path
) -> None:
    lines = small_release.task_lines()
    load_hotel(small_release.tasks(lines), empty_warehouse)
    small_release.tasks(lines[:4])
    small_release.answers("phi", ["1,A,A", "5,C,C"])
    report = load_hotel(small_release.folder, empty_warehouse)
    assert (report.errors, report.quarantined) == ((), 1)


def test_a_choice_of_bank_says_nothing_about_the_other_kind(
    small_release: Any, empty_warehouse: Path
) -> None:
    small_release.tasks()
    small_release.quintets()
    load_hotel(small_release.folder, empty_warehouse)
    query = "select distinct bank_sha256 from raw_hotel.task where task_type = 'binary'"
    ((conjoint,),) = _query(empty_warehouse, query)
    small_release.answers("phi", ["1,A,A"])
    small_release.answers("phi_5opt", ["1,D,D"])
    report = load_hotel(small_release.folder, empty_warehouse, bank=conjoint[:6])
    assert (report.errors, report.quarantined, report.rows) == ((), 0, 4)


def test_changed_content_needs_replace(
    small_release: Any, empty_warehouse: Path
) -> None:
    small_release.tasks()
    small_release.answers("phi", ["1,A,A", "2,B,B", "3,B,B"])
    small_release.answers("phi_swap", ["10001,A,B"])
    load_hotel(small_release.folder, empty_warehouse)
    before = empty_warehouse.read_bytes()
    small_release.answers("phi", ["1,B,B", "2,B,B"])
    report = load_hotel(small_release.folder, empty_warehouse)
    (error,) = report.errors
    assert "conjoint_results_phi.csv" in error
    assert "--replace" in error
    assert empty_warehouse.read_bytes() == before

    report = load_hotel(small_release.folder, empty_warehouse, replace=True)
    # 3 answers and the run's row go, 2 answers and a new row come
    assert (report.errors, report.superseded, report.rows) == ((), 4, 3)
    assert [row[4] for row in _answers(empty_warehouse)] == ["B", "B", "A"]
    assert _query(
        empty_warehouse,
        "select table_name, rows_read, rows_accepted, rows_superseded "
        "from quality.row_accounting where source_file like '%phi.csv' "
        "order by table_name, loaded_at",
    ) == [
        ("response", 3, 0, 3),
        ("response", 2, 2, 0),
        ("run", 1, 0, 1),
        ("run", 1, 1, 0),
    ]
    _assert_run_is_that_of_its_file(empty_warehouse)


def _assert_run_is_that_of_its_file(warehouse: Path) -> None:
    assert _query(
        warehouse,
        "select count(*) from raw_hotel.run join quality.row_accounting as a "
        "on _source_sha256 = a.source_sha256 and a.table_name = 'run' "
        "and a.rows_accepted = 1",
    ) == [(1,)]


def test_a_file_may_be_replaced_back(small_release: Any, empty_warehouse: Path) -> None:
    small_release.tasks()
    for choice in ("A", "B", "A"):
        small_release.answers("phi", [f"1,{choice},{choice}"])
        report = load_hotel(small_release.folder, empty_warehouse, replace=True)
        assert report.rows == (8 if report.superseded == 0 else 2)
        assert [row[4] for row in _answers(empty_warehouse)] == [choice]
        again = load_hotel(small_release.folder, empty_warehouse, replace=True)
        assert again.rows == 0


def test_the_same_file_from_another_folder_is_the_same_file(
    small_release: Any, empty_warehouse: Path
) -> None:
    small_release.tasks()
    small_release.answers("phi", ["1,A,A"])
    load_hotel(small_release.folder, empty_warehouse)
    for path in list(small_release.folder.iterdir()):
        small_release.write(f"copy/{path.name}", path.read_bytes())
        path.unlink()
    report = load_hotel(small_release.folder, empty_warehouse)
    assert (report.rows, report.errors, len(report.skipped)) == (0, (), 2)


def test_one_name_in_two_folders(small_release: Any, empty_warehouse: Path) -> None:
    small_release.tasks()
    small_release.answers("phi", ["1,A,A"])
    path = small_release.answers("gemma", ["1,A,A"])
    small_release.write(f"old/{path.name}", path.read_bytes())
    other = "task_id,choice,raw_output\n1,B,B\n"
    small_release.write("old/conjoint_results_phi.csv", other)
    report = load_hotel(small_release.folder, empty_warehouse)
    (error,) = report.errors
    assert "conjoint_results_phi.csv and old/conjoint_results_phi.csv" in error
    assert report.skipped == ("old/conjoint_results_gemma.csv",)
    assert _query(
        empty_warehouse, "select distinct run_id from raw_hotel.response"
    ) == [("release/gemma",)]


def test_another_load_adds_and_removes_nothing(
    small_release: Any, empty_warehouse: Path, tmp_path: Path
) -> None:
    small_release.tasks()
    small_release.answers("phi", ["1,A,A"])
    load_hotel(small_release.folder, empty_warehouse)
    (small_release.folder / "conjoint_results_phi.csv").unlink()
    small_release.answers("gemma", ["1,B,B"])
    load_hotel(small_release.folder, empty_warehouse)
    query = "select run_id, choice from raw_hotel.response order by all"
    assert _query(empty_warehouse, query) == [
        ("release/gemma", "B"),
        ("release/phi", "A"),
    ]


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_files_from_other_editors(
    small_release: Any, empty_warehouse: Path, mark: bytes
) -> None:
    path = small_release.tasks()
    path.write_bytes(mark + path.read_bytes().replace(b"\n", b"\r\n"))
    small_release.answers("phi", ["1,A,A"])
    report = load_hotel(small_release.folder, empty_warehouse)
    assert (report.rows, report.quarantined, report.errors) == (8, 0, ())
