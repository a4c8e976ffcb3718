"""What the loading verbs say of every file and row."""

from __future__ import annotations

import json
from pathlib import Path

from pricebench.cli import main


def load(warehouse: Path, *sources: str) -> int:
    return main(["load", "hotel", "--warehouse", str(warehouse), *sources])


def test_a_load_counts_rows_lists_ignored_files_and_quarantined_rows(
    small_release, empty_warehouse, capsys
):
    small_release.tasks()
    small_release.answers("phi", ["1,A,A", "2,Z,Z", "3,,"])
    small_release.write("notes.txt", "hello\n")
    assert load(empty_warehouse, str(small_release.folder)) == 0
    out, err = capsys.readouterr()
    # six tasks, two answers and the run's own row; the letter Z is line 3 of its file
    assert out.startswith(f"{small_release.folder}: 2 files, 9 rows loaded; 1 row quar")
    assert "ignored: notes.txt\n" in out
    assert "quarantined: conjoint_results_phi.csv line 3, choice: " in out
    assert "loading" in err
    assert load(empty_warehouse, str(small_release.folder)) == 0
    again = capsys.readouterr().out
    assert "0 files, 0 rows loaded; 0 rows quarantined; 2 files loaded before" in again


def test_a_source_that_fails_stops_no_other(
    small_release, empty_warehouse, tmp_path, capsys
):
    small_release.tasks()
    missing = tmp_path / "no such folder"
    assert load(empty_warehouse, str(missing), str(small_release.folder)) == 1
    out, err = capsys.readouterr()
    assert "1 file, 6 rows loaded" in out
    assert err.strip().split("\n")[-1].startswith("pricebench: ")
    assert str(missing) in err.strip().split("\n")[-1]


def test_each_file_that_fails_has_its_line(small_release, empty_warehouse, capsys):
    small_release.tasks()
    small_release.answers("phi", ["1,A,A"])
    small_release.write("conjoint_results_one.csv", b"\x00\x01\x02")
    small_release.write(
        "conjoint_results_two.csv", "task_id;choice;raw_output\n1;A;A\n"
    )
    assert load(empty_warehouse, str(small_release.folder)) == 1
    out, err = capsys.readouterr()
    assert "2 files, 8 rows loaded" in out
    assert "2 files not loaded" in out
    lines = [line for line in err.split("\n") if line.startswith("pricebench: ")]
    assert len(lines) == 3
    assert "conjoint_results_one.csv" in lines[0]
    assert "conjoint_results_two.csv" in lines[1]
    assert lines[2].startswith("pricebench: 2 files or sources could not be loaded")


def test_many_quarantined_rows_are_counted_not_listed(
    small_release, empty_warehouse, capsys
):
    small_release.tasks()
    small_release.answers("phi", [f"{n},A,A" for n in range(100, 115)])
    assert load(empty_warehouse, str(small_release.folder)) == 0
    out = capsys.readouterr().out
    assert "15 rows quarantined" in out
    assert out.count("quarantined: ") == 10
    assert "… and 5 more in quality.quarantine" in out


def test_a_simulation_is_loaded_once(empty_warehouse, tmp_path, capsys):
    typed = ["simulate", "hotel", "--tasks", "6", "--shoppers", "2"]
    typed += ["--warehouse", str(empty_warehouse)]
    assert main([*typed, "--out", str(tmp_path / "files")]) == 0
    assert "2 simulated shoppers: " in capsys.readouterr().out
    assert (tmp_path / "files" / "conjoint_tasks.csv").is_file()
    assert main(typed) == 0
    assert "2 simulated shoppers: 0 rows loaded; " in capsys.readouterr().out
    assert main(["runs", "--format", "json", "--warehouse", str(empty_warehouse)]) == 0
    runs = json.loads(capsys.readouterr().out)
    # six tasks in two orders
    assert [(run["source"], run["answers"]) for run in runs] == [("simulated", 12)] * 2


def test_a_simulation_that_cannot_be_is_one_line(empty_warehouse, capsys):
    typed = ["simulate", "hotel", "--tasks", "7", "--warehouse", str(empty_warehouse)]
    assert main(typed) == 1
    err = capsys.readouterr().err.strip().split("\n")
    assert err[-1].startswith("pricebench: tasks: 7 asked")


def test_the_demo_refuses_a_warehouse_with_real_runs(
    small_release, empty_warehouse, capsys
):
    small_release.tasks()
    small_release.answers("phi", ["1,A,A"])
    assert load(empty_warehouse, str(small_release.folder)) == 0
    capsys.readouterr()
    before = empty_warehouse.read_bytes()
    assert main(["demo", "--warehouse", str(empty_warehouse)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"pricebench: {empty_warehouse} holds runs that are not sim")
    assert "(1, such as release/phi): give the demo a file of its own" in err
    assert err.count("\n") == 1
    assert empty_warehouse.read_bytes() == before
