"""What is loaded, and taking a run out."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import duckdb
import pytest

from ingest.simulate import load_simulated_hotel
from pricebench.cli import main
from pricebench.reader import Grid
from pricebench.runs import for_reading

# choice and reply state of every answer: a release stores no state, and a blank choice
# there is a reply that could not be read
ANSWERS = {
    "release/phi": [("A", None), (None, None), ("B", None)],
    "simulated/mumbler": [("A", "letter"), (None, "invalid"), (None, "failed")],
    "simulated/silent": [],
}


@pytest.fixture
def loaded(empty_warehouse: Path) -> Path:
    with duckdb.connect(str(empty_warehouse)) as connection:
        for run_id, answers in ANSWERS.items():
            source = run_id.partition("/")[0]
            connection.execute(
                "insert into raw_hotel.run by name select ? as run_id, 'b1' as"
                " bank_sha256, ? as source, 'tag' as model_tag, 'base' as variant,"
                " 'p' as protocol, '{}' as settings, 'f' as _source_file,"
                " 's' as _source_sha256, 1 as _source_row, 'l' as _dlt_load_id",
                [run_id, source],
            )
            for row, (choice, state) in enumerate(answers):
                connection.execute(
                    "insert into raw_hotel.response by name select 'b1' as bank_sha256,"
                    " ? as run_id, ? as source, 'original' as ordering, 1 as repeat,"
                    " 1 as task_id, 0 as id_offset, 1 as bank_task_id, ? as choice,"
                    " ? as reply_state, 'f' as _source_file, 's' as _source_sha256,"
                    " ? as _source_row, 'l' as _dlt_load_id",
                    [run_id, source, choice, state, row],
                )
    return empty_warehouse


def listed(warehouse: Path, capsys) -> dict[str, dict]:
    assert main(["runs", "--warehouse", str(warehouse), "--format", "json"]) == 0
    return {row["run_id"]: row for row in json.loads(capsys.readouterr().out)}


def test_runs_are_listed_with_their_counts_before_any_build(loaded, capsys):
    rows = listed(loaded, capsys)
    counts = {
        run_id: (row["answers"], row["invalid"], row["failed"])
        for run_id, row in rows.items()
    }
    # counted by hand from ANSWERS: a failed call is no unread reply
    assert counts == {
        "release/phi": (3, 1, 0),
        "simulated/mumbler": (3, 1, 1),
        "simulated/silent": (0, 0, 0),
    }
    assert {row["excluded"] for row in rows.values()} == {None}
    assert {row["instrument"] for row in rows.values()} == {"hotel"}


def test_an_empty_warehouse_has_no_runs(empty_warehouse, capsys):
    assert listed(empty_warehouse, capsys) == {}


def test_a_database_without_raw_tables_says_how_to_make_them(tmp_path, capsys):
    path = tmp_path / "w.duckdb"
    duckdb.connect(str(path)).close()
    assert main(["runs", "--warehouse", str(path)]) == 1
    err = capsys.readouterr().err
    assert "lacks the raw tables: run `pricebench init" in err
    assert err.count("\n") == 1


def test_a_table_to_read_leaves_out_what_the_run_id_says(loaded, capsys):
    assert exclude(loaded, "release/phi", "--reason", "half of it is noise") == 0
    assert main(["runs", "--warehouse", str(loaded)]) == 0
    head, _rule, first, *_ = capsys.readouterr().out.strip().split("\n")
    # one instrument, ids that start with the source, and no run date
    assert head.split() == [
        "run_id",
        "model_tag",
        "variant",
        "bank",
        "answers",
        "invalid",
        "failed",
        "excluded",
    ]
    assert " ".join(first.split()) == (
        "release/phi tag base b1 3 1 0 half of it is noise"
    )


def test_what_the_run_id_does_not_say_is_shown():
    columns = ("instrument", "run_id", "source", "run_date", "bank_sha256")
    rows = (
        ("hotel", "release/a", "release", None, "0123456789abcdef"),
        ("search", "batch-7", "collected", date(2026, 1, 2), "b"),
    )
    assert for_reading(Grid(columns, rows)) == Grid(
        ("instrument", "run_id", "source", "run_date", "bank"),
        (
            ("hotel", "release/a", "release", None, "0123456789ab"),
            ("search", "batch-7", "collected", date(2026, 1, 2), "b"),
        ),
    )


def test_the_runs_of_the_cast_fit_a_hundred_and_twenty_columns(empty_warehouse, capsys):
    load_simulated_hotel(empty_warehouse, tasks=6)
    assert main(["runs", "--warehouse", str(empty_warehouse)]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert any("second-card-leaner" in line for line in lines)
    assert max(map(len, lines)) <= 120


def exclude(warehouse: Path, *typed: str) -> int:
    return main(["exclude", "--warehouse", str(warehouse), *typed])


def test_a_run_is_excluded_once_and_included_again(loaded, capsys):
    mumbler = ("simulated/mumbler", "--reason", "half of it is noise")
    assert exclude(loaded, *mumbler) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "excluded simulated/mumbler: 3 answers leave the marts with the next "
        "`pricebench build`\n"
    )
    assert listed(loaded, capsys)["simulated/mumbler"]["excluded"] == (
        "half of it is noise"
    )
    assert listed(loaded, capsys)["simulated/mumbler"]["answers"] == 3

    assert exclude(loaded, *mumbler) == 1
    assert "excluded already (half of it is noise)" in capsys.readouterr().err

    assert exclude(loaded, "simulated/mumbler", "--undo") == 0
    assert listed(loaded, capsys)["simulated/mumbler"]["excluded"] is None
    assert exclude(loaded, "simulated/mumbler", "--undo") == 1
    assert "is not excluded: nothing changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["phi", "--reason", "x"], "did you mean release/phi?"),
        (["simulated/mumbla", "--reason", "x"], "did you mean simulated/mumbler"),
        (["nothing-like-it", "--reason", "x"], "`pricebench runs` lists those"),
        (["release/phi"], "exclude needs a reason"),
        (["release/phi", "--reason", "  "], "exclude needs a reason"),
    ],
)
def test_what_cannot_be_excluded_changes_nothing(typed, says, loaded, capsys):
    before = loaded.read_bytes()
    assert exclude(loaded, *typed) == 1
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1
    assert loaded.read_bytes() == before


def test_an_exclusion_makes_the_loaded_data_another(loaded):
    def data() -> str:
        with duckdb.connect(str(loaded), read_only=True) as connection:
            return connection.execute(
                "select data_sha256 from quality.loaded_data where instrument = 'hotel'"
            ).fetchall()[0][0]

    before = data()
    assert exclude(loaded, "release/phi", "--reason", "x") == 0
    assert data() != before
    assert exclude(loaded, "release/phi", "--undo") == 0
    assert data() == before


READER = """
import duckdb, sys
reader = duckdb.connect(sys.argv[1], read_only=True)
print("open", flush=True)
sys.stdin.readline()
print(reader.execute("select count(*) from quality.excluded_run").fetchall())
"""


def test_an_open_reader_does_not_stand_in_the_way(loaded, capsys):
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(loaded)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "open\n"
        assert exclude(loaded, "release/phi", "--reason", "x") == 0
        # it still sees the warehouse that it opened
        seen, _ = reader.communicate("go on\n")
        assert seen == "[(0,)]\n"
    capsys.readouterr()
    assert listed(loaded, capsys)["release/phi"]["excluded"] == "x"
