"""What the loading verbs say of every file and row."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from pathlib import Path

import duckdb
import pytest

from pricebench.cli import main
from pricebench.demo import what_next


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
    # six tasks and two answers; the letter Z is line 3 of its file
    assert out.startswith(
        f"{small_release.folder}: 2 files, 8 rows, 1 run loaded; 1 row quarantined; "
    )
    assert "ignored: notes.txt\n" in out
    assert "quarantined: conjoint_results_phi.csv line 3, choice: " in out
    assert "loading" in err
    assert load(empty_warehouse, str(small_release.folder)) == 0
    again = capsys.readouterr().out
    assert (
        "0 files, 0 rows, 0 runs loaded; 0 rows quarantined; 2 files loaded before"
        in again
    )


def test_a_long_list_of_ignored_files_is_folded_between_names(
    small_release, empty_warehouse, capsys
):
    small_release.tasks()
    names = [f"notes-on-wave-{n:02}.txt" for n in range(30)]
    for name in names:
        small_release.write(name, "hello\n")
    assert load(empty_warehouse, str(small_release.folder)) == 0
    out = capsys.readouterr().out.partition("ignored: ")[2]
    assert out.replace(",", " ").split() == names
    lines = out.rstrip("\n").split("\n")
    # a name, its comma and a space are 22 characters: four fit a line, 30 / 4 = 7.5
    assert len(lines) == 8
    assert max(map(len, lines)) <= 100


def test_what_is_no_file_is_ignored_and_said(small_release, empty_warehouse, capsys):
    small_release.tasks()
    os.mkfifo(small_release.folder / "conjoint_results_phi.csv")
    (small_release.folder / "conjoint_results_gemma.csv").symlink_to("nowhere")
    small_release.write("an odd name, with blanks " * 4, "x")
    assert load(empty_warehouse, str(small_release.folder)) == 0
    out = capsys.readouterr().out
    assert "1 file, 6 rows, 0 runs loaded; 0 rows quarantined; 3 files ignored" in out
    assert "conjoint_results_phi.csv (a named pipe)" in out
    assert "conjoint_results_gemma.csv (a link that leads nowhere)" in out
    # lines break between names, never in one
    assert "an odd name, with blanks " * 4 in out
    (small_release.folder / "conjoint_tasks.csv").unlink()
    assert load(empty_warehouse, str(small_release.folder)) == 1
    err = capsys.readouterr().err
    assert "not read: conjoint_results_gemma.csv: a link that leads nowhere" in err


def test_names_that_no_terminal_can_show_are_printed_as_codes(
    small_release, empty_warehouse, monkeypatch
):
    small_release.tasks()
    try:
        odd = small_release.folder.rename(small_release.folder.with_name("s\udcff"))
    except OSError:
        pytest.skip("this file system takes UTF-8 names alone")
    (odd / "notes-\udcfe-ü.txt").write_text("x")
    for encoding, name in (("utf-8", "notes-\\xfe-ü.txt"), ("ascii", "-\\xfe-?")):
        screen = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr(sys, "stdout", screen)
        assert load(empty_warehouse, str(odd)) == 0
        text = screen.buffer.getvalue().decode()
        assert text.startswith(f"{odd.parent}/s\\xff: ")
        assert name in text


def test_a_name_with_brackets_is_no_markup(empty_warehouse, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    assert load(empty_warehouse, "a[/b]") == 1
    assert "no such file or folder: a[/b]; check the path" in capsys.readouterr().err


def test_an_empty_source_is_not_the_working_folder(
    small_release, empty_warehouse, monkeypatch, capsys
):
    small_release.tasks()
    monkeypatch.chdir(small_release.folder)
    assert load(empty_warehouse, "") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("pricebench: the source is an empty text; ")
    assert load(empty_warehouse, ".") == 0


def test_a_last_row_that_may_be_cut_is_a_warning(
    small_release, empty_warehouse, capsys
):
    path = small_release.tasks()
    path.write_bytes(path.read_bytes()[:-2])
    assert load(empty_warehouse, str(path)) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[1].startswith("warning: conjoint_tasks.csv line 7 ends the file without")


def test_a_source_that_fails_stops_no_other(
    small_release, empty_warehouse, tmp_path, capsys
):
    small_release.tasks()
    missing = tmp_path / "no such folder"
    assert load(empty_warehouse, str(missing), str(small_release.folder)) == 1
    out, err = capsys.readouterr()
    assert "1 file, 6 rows, 0 runs loaded" in out
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
    assert "2 files, 7 rows, 1 run loaded" in out
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
    # six tasks; of each shopper 12 answers and as many true tastes as rows of the table
    out = capsys.readouterr().out
    with duckdb.connect(str(empty_warehouse), read_only=True) as connection:
        tables = ("task", "response", "hotel", "simulated_taste")
        sql = " + ".join(f"(select count(*) from raw_hotel.{one})" for one in tables)
        ((rows,),) = connection.execute(f"select {sql}").fetchall()
    assert rows >= 6 + 2 * 12
    assert out == f"2 simulated shoppers: {rows} rows, 2 runs loaded\n"
    assert (tmp_path / "files" / "conjoint_tasks.csv").is_file()
    assert main(typed) == 0
    assert "2 simulated shoppers: 0 rows, 0 runs loaded; " in capsys.readouterr().out
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


def test_the_commands_to_try_next_name_a_program_that_is_there(monkeypatch, tmp_path):
    program = tmp_path / "bin of mine" / "pricebench"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    def check(expected: str) -> None:
        lines = what_next(tmp_path / "w.duckdb").split("\n")
        commands = [line.strip() for line in lines if " --warehouse " in line]
        verbs = ("board", "query", "runs")
        assert [one.partition(" --warehouse ")[0] for one in commands] == [
            f"{expected} {verb}" for verb in verbs
        ]

    whole = shlex.quote(str(program))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", [str(program), "demo"])
    check(whole)
    # typed as a path from the working folder, it works from any other
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["bin of mine/pricebench", "demo"])
    check(whole)
    monkeypatch.setattr(sys, "argv", ["somewhere/pricebench/__main__.py", "demo"])
    check(f"{shlex.quote(sys.executable)} -m pricebench")
    monkeypatch.setenv("PATH", str(program.parent))
    check("pricebench")
