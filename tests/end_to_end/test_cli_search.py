"""The verbs of search as a person types them."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from search_folder import edit, example, without, write

from pricebench.cli import main


@pytest.fixture
def warehouse(built_search: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(built_search, tmp_path / "w.duckdb"))


def test_a_run_loads_and_says_what_is_missing_and_what_is_broken(
    empty_warehouse, tmp_path, capsys
):
    files = without(example(), "verify_labels_exact", "sourcing_log")
    edit(
        files,
        "raw_bazaar_equiv.json",
        lambda body: body["entries"]["t001"].update(status="lost"),
    )
    folder = write(tmp_path / "run", files)
    assert (
        main(["load", "search", str(folder), "--warehouse", str(empty_warehouse)]) == 0
    )
    out = capsys.readouterr().out
    assert "1 run loaded" in out
    assert "warning: example-7: no sourcing_log.json" in out
    assert "warning: example-7: track exact has no human rulings yet" in out
    assert (
        "quarantined: example-7/raw_bazaar_equiv.json record 1, status: t001: "
        '"lost" is not one of ok, empty'
    ) in out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: shutil.rmtree(folder), "no such file or folder: "),
        (lambda folder: (folder / "tasks.json").unlink(), "holds no search run"),
        (
            lambda folder: (folder / "tasks.json").write_text("{"),
            "is no JSON at line 1",
        ),
    ],
)
def test_what_cannot_be_loaded_is_one_line(warehouse, tmp_path, capsys, change, words):
    folder = write(tmp_path / "run", example())
    change(folder)
    assert main(["load", "search", str(folder), "--warehouse", str(warehouse)]) == 1
    *_, line = capsys.readouterr().err.splitlines()
    assert line.startswith("pricebench: ")
    assert words in line


def test_the_example_is_simulated_once_and_can_be_loaded_again(
    warehouse, tmp_path, capsys
):
    folder = tmp_path / "kept"
    given = ["--warehouse", str(warehouse)]
    # the folder holds summaries too, of two tracks in two scenarios
    assert main(["simulate", "search", "--out", str(folder), *given]) == 0
    assert "4 rows, 0 runs loaded; 140 files loaded before" in capsys.readouterr().out
    assert main(["load", "search", str(folder), *given]) == 0
    assert "144 files loaded before, skipped" in capsys.readouterr().out
    write(folder, {"tasks.json": b"{}"})
    assert main(["simulate", "search", "--out", str(folder), *given]) == 1
    assert "nothing was written" in capsys.readouterr().err


def test_a_search_run_is_listed_and_taken_out(warehouse, capsys):
    given = ["--warehouse", str(warehouse)]
    assert main(["runs", "--format", "csv", *given]) == 0
    header, row = capsys.readouterr().out.splitlines()
    told = dict(zip(header.split(","), row.split(","), strict=True))
    assert (told["instrument"], told["run_id"]) == ("search", "example-7")
    assert (told["model_tag"], told["variant"]) == ("5 agents", "exact+equiv")
    assert (told["answers"], told["invalid"], told["failed"]) == ("100", "3", "1")
    assert main(["exclude", "example-7", "--reason", "made up", *given]) == 0
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        marked = connection.execute(
            "select is_excluded, excluded_reason from staging.stg_search_run"
        ).fetchall()
    assert marked == [(True, "made up")]
