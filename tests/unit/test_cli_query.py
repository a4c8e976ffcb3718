"""Queries read the warehouse and can do nothing else."""

from __future__ import annotations

import hashlib
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


@pytest.mark.parametrize("first", ["select 1 as a", "explain select 1", "from numbers"])
def test_no_result_of_several_goes_unseen(first, numbers, capsys):
    assert run(numbers, "--format", "csv", f"{first}; select 2 as b") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("pricebench: two statements with a result: ask one at a time")


LOG = "enable_logging('QueryLog', storage='file', storage_path='{folder}/log')"


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("delete from numbers", "DELETE refused"),
        ("create table other as select 1", "read-only"),
        ("copy numbers to '{folder}/out.csv'", "COPY refused"),
        ("export database '{folder}/out'", "EXPORT refused"),
        ("import database '{folder}'", "disabled by configuration"),
        ("select * from read_csv('{folder}/secret.csv')", "disabled by configuration"),
        ("select * from read_text('{folder}/secret.csv')", "disabled by configuration"),
        ("attach '{folder}/new.duckdb'", "ATTACH refused"),
        ("attach ':memory:' as other", "ATTACH refused"),
        ("set enable_external_access = true", "SET refused"),
        ("set lock_configuration = false", "SET refused"),
        # the note that figures are old looks for the schema
        ("set search_path = 'main'; from numbers", "SET refused"),
        ("use main; from numbers", "USE refused"),
        ("install httpfs", "INSTALL refused"),
        ("load httpfs", "LOAD refused"),
        ("pragma enable_profiling", "PRAGMA refused"),
        ("checkpoint", "CHECKPOINT refused"),
        # each of these went through, and with a file the first ended the process
        (f"call {LOG}; select 1", "CALL refused"),
        (f"from {LOG}; select 1", "enable_logging() refused"),
        (f"select 1 where exists (from {LOG})", "enable_logging() refused"),
        (f"explain analyze from {LOG}", "enable_logging() refused"),
        (f"create temp view v as from {LOG}; from v", "enable_logging() refused"),
        ('from "Enable_Logging" /* ( */ ()', "enable_logging() refused"),
        ("from enable_profiling(save_location='{folder}/p.json')", "ing() refused"),
        ("from query('from enable_' || 'logging()')", "query() refused"),
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


def test_a_refusal_names_what_is_allowed(numbers, capsys):
    assert run(numbers, "copy numbers to 'out.csv'") == 1
    assert capsys.readouterr().err == (
        "pricebench: COPY refused: query only reads the warehouse (SELECT, FROM, WITH, "
        "VALUES, DESCRIBE, SHOW, SUMMARIZE, PIVOT, EXPLAIN; before them CREATE TEMP or "
        "SET VARIABLE); save a result with `pricebench query --format csv … > FILE`\n"
    )


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("from numbers order by n", ["n", "0", "1", "2"]),
        ("with t as (select 7 as n) from t", ["n", "7"]),
        ("values (7)", ["col0", "7"]),
        ("create temp table t as select 7 as n; from t", ["n", "7"]),
        ("set variable x = 7; select getvariable('x') as n", ["n", "7"]),
        ("pivot (from numbers where n = 1) on n using max(n)", ["1", "1"]),
        ("select 'query (x)' as query -- enable_logging (", ["query", "query (x)"]),
        ("select count(*) as n from (describe numbers)", ["n", "1"]),
    ],
)
def test_whatever_only_reads_is_allowed(sql, rows, numbers, capsys):
    assert run(numbers, "--format", "csv", sql) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == rows
    assert err == ""


@pytest.fixture
def marts(tmp_path):
    """A small warehouse: one name in two schemas, and a raw table that dbt hides."""
    path = tmp_path / "w.duckdb"
    with duckdb.connect(str(path)) as connection:
        for schema in ("intermediate", "marts", "raw_hotel", "quality"):
            connection.execute(f"create schema {schema}")
        connection.execute("create table marts.hotel_wtp as select 1/3 as wtp_usd")
        connection.execute(
            "create table intermediate.hotel_wtp as select 9.0 as wtp_usd"
        )
        connection.execute("create view intermediate.int_figure as select 2 as n")
        connection.execute("create table raw_hotel.response as select 3 as n")
    return path


REFERENCE = "{{ ref('hotel_wtp') }}"


def test_an_analysis_file_runs_as_it_stands(marts, tmp_path, capsys):
    file = tmp_path / "worth.sql"
    file.write_text(
        "-- What is it worth?\n"
        f"select round(wtp.wtp_usd, 2) as usd, other.n\nfrom {REFERENCE} as wtp\n"
        'cross join {{ref("int_figure")}} as other\n'
    )
    assert run(marts, "--file", str(file), "--format", "json") == 0
    # the table of the marts, 1/3, and not that of the layer before
    assert json.loads(capsys.readouterr().out) == [{"usd": 0.33, "n": 2}]


@pytest.mark.parametrize(
    "reference",
    [
        REFERENCE,
        "{{ref('hotel_wtp')}}",
        '{{  ref( "hotel_wtp" )  }}',
        "{{ ref(\n'hotel_wtp'\n) }}",
    ],
)
def test_a_reference_may_be_typed_in_any_spacing(reference, marts, capsys):
    assert run(marts, "--format", "csv", f"select count(*) as n from {reference}") == 0
    assert capsys.readouterr().out == "n\n1\n"


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        (
            "select * from {{ ref('hotle_wtp') }}",
            "{{ ref('hotle_wtp') }} names no table of the warehouse: did you mean"
            " hotel_wtp?",
        ),
        # raw tables are sources, which ref() never names
        (
            "select * from {{ ref('response') }}",
            "names no table of the warehouse: `pricebench query 'show all tables'`",
        ),
        (
            "select * from {{ source('raw_hotel', 'response') }}",
            "cannot resolve {{ source('raw_hotel', 'response') }}, only {{ ref('name')"
            " }}: compile it with `dbt compile` from dbt_project/",
        ),
        ("select {{ ref('a', 'b') }}", "cannot resolve {{ ref('a', 'b') }}"),
        ("{% for n in [1] %} select 1 {% endfor %}", "cannot resolve {% for n in"),
        ("select 1 {# a\nremark #}", "cannot resolve {# a remark #}"),
    ],
)
def test_a_reference_that_stands_for_nothing_is_one_line(sql, says, marts, capsys):
    assert run(marts, sql) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err


def test_a_table_is_short_to_read_and_csv_exact(marts, capsys):
    sql = "select wtp_usd, sha256('x') as hash from marts.hotel_wtp"
    digest = hashlib.sha256(b"x").hexdigest()
    assert run(marts, sql) == 0
    row = capsys.readouterr().out.strip().split("\n")[-1].split()
    assert row == ["0.333333", f"{digest[:59]}…"]
    assert run(marts, sql, "--format", "md") == 0
    assert capsys.readouterr().out.endswith(f"| 0.333333 | {digest} |\n")
    assert run(marts, sql, "--format", "csv") == 0
    assert capsys.readouterr().out == f"wtp_usd,hash\n{1 / 3!r},{digest}\n"


REFUSAL = "gate hotel_raw is red (failed), never green; run pricebench build"


@pytest.fixture
def red(marts):
    """The same with a red gate, one behind it, and another instrument's green one."""
    with duckdb.connect(str(marts)) as connection:
        connection.execute(
            "create table quality.gate_status (gate varchar, instrument varchar, layer"
            " varchar, status varchar, refusal varchar, last_green_at timestamp, run_at"
            " timestamp)"
        )
        connection.executemany(
            "insert into quality.gate_status values (?, ?, ?, ?, ?, null, now()::"
            "timestamp)",
            [
                ("hotel_marts", "hotel", "marts", "green", "gate hotel_marts is old"),
                ("hotel_raw", "hotel", "raw", "failed", REFUSAL),
                ("search_raw", "search", "raw", "green", None),
            ],
        )
    return marts


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) as n from marts.hotel_wtp",
        'select count(*) as n from "marts".hotel_wtp',
        f"select count(*) as n from {REFERENCE}",
    ],
)
def test_old_figures_of_the_marts_are_noted_beside_the_result(sql, red, capsys):
    assert run(red, "--format", "csv", sql) == 0
    out, err = capsys.readouterr()
    assert out == "n\n1\n"
    assert err == f"note: {REFUSAL}; figures of hotel may be old\n"


def test_other_tables_are_never_old(red, capsys):
    assert run(red, "select * from raw_hotel.response") == 0
    assert capsys.readouterr().err == ""


def test_a_database_without_gates_has_no_note(marts, capsys):
    assert run(marts, "select * from marts.hotel_wtp") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ([], "needs SQL or --file"),
        (["select 1", "--file", "x.sql"], "needs SQL or --file"),
        ([" "], "no SQL in the command line"),
        ([""], "no SQL in the command line"),
        ([";"], "no statement in the SQL: give one, such as 'select"),
        ([" -- a remark"], "no statement in the SQL"),
        (["--file", "absent.sql"], "cannot read absent.sql"),
        (["selec 1"], 'pricebench: Parser Error: syntax error at or near "selec"\n'),
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
