"""Queries read the warehouse and can do nothing else."""

from __future__ import annotations

import json
import subprocess
import sys

import duckdb
import pytest

from pricebench.cli import main


@pytest.fixture
def numbers(tmp_path):
    path = tmp_path / "w.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table numbers as select range as n from range(3)")
    return path


def run(warehouse, *typed: str) -> int:
    return main(["query", "--warehouse", str(warehouse), *typed])


def test_a_query_prints_its_rows_alone_on_standard_output(numbers, capsys):
    assert (
        run(numbers, "select n, n * 0.5::double as half from numbers where n > 0") == 0
    )
    out, err = capsys.readouterr()
    head, _rule, *rows = (line.split() for line in out.strip().split("\n"))
    assert head == ["n", "half"]
    assert rows == [["1", "0.5"], ["2", "1.0"]]
    assert err == ""


def test_a_query_may_stand_in_a_file(numbers, tmp_path, capsys):
    file = tmp_path / "question.sql"
    file.write_text("-- how many?\nselect count(*) as n from numbers;\n")
    assert run(numbers, "--file", str(file), "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == [{"n": 3}]


def test_the_last_of_several_statements_is_shown(numbers, capsys):
    assert run(numbers, "--format", "csv", "select 1 as a; select 2 as b") == 0
    assert capsys.readouterr().out == "b\n2\n"


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("delete from numbers", "read-only"),
        ("create table other as select 1", "read-only"),
        ("copy numbers to '{folder}/out.csv'", "disabled by configuration"),
        ("export database '{folder}/out'", "disabled by configuration"),
        ("select * from read_csv('{folder}/secret.csv')", "disabled by configuration"),
        ("select * from read_text('{folder}/secret.csv')", "disabled by configuration"),
        ("attach '{folder}/new.duckdb'", "disabled by configuration"),
        ("set enable_external_access = true", ""),
        ("set lock_configuration = false", ""),
        ("install httpfs", "disabled"),
        ("load httpfs", "disabled"),
    ],
)
def test_a_query_can_change_or_read_nothing_else(sql, says, numbers, tmp_path, capsys):
    (tmp_path / "secret.csv").write_text("word\nsecret\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert run(numbers, sql.format(folder=tmp_path)) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ([], "needs SQL or --file"),
        (["select 1", "--file", "x.sql"], "needs SQL or --file"),
        ([" "], "no SQL in the command line"),
        (["--file", "absent.sql"], "cannot read absent.sql"),
        (["selec 1"], "syntax error"),
        (["select * from numbrs"], 'Did you mean "numbers"'),
        (["select 'a'::int"], "Could not convert string 'a'"),
    ],
)
def test_a_query_that_cannot_run_is_one_line(typed, says, numbers, capsys):
    assert run(numbers, *typed) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err


def test_a_file_that_is_no_text_is_named(numbers, tmp_path, capsys):
    (tmp_path / "binary.sql").write_bytes(b"\xff\xfe\x00")
    assert run(numbers, "--file", str(tmp_path / "binary.sql")) == 1
    assert "binary.sql is not UTF-8 text" in capsys.readouterr().err


def test_a_file_that_is_no_warehouse_is_named(tmp_path, capsys):
    path = tmp_path / "w.duckdb"
    path.write_text("not a database, but long enough to be looked at" * 10)
    assert run(path, "select 1") == 1
    err = capsys.readouterr().err
    assert f"warehouse {path} cannot be opened" in err
    assert err.count("\n") == 1
    assert path.read_text().startswith("not a database")


def test_a_warehouse_held_by_a_writer_names_the_process(numbers, capsys):
    code = (
        "import duckdb, sys\n"
        "held = duckdb.connect(sys.argv[1])\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(numbers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert run(numbers, "select 1") == 1
        err = capsys.readouterr().err
        assert "is open for writing in another process" in err
        assert f"PID {holder.pid}" in err
        assert err.count("\n") == 1
        holder.communicate()
    assert run(numbers, "select 1") == 0
