"""A warehouse whose path is full of marks: loaded, built and shown like any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pricebench.cli import main

FOLDER = 'John\'s #2; "new" 100% [b]*{{c}} y=1'
FILE = "q\"q; it's #1, 100%.duckdb"


def test_load_build_and_board_under_every_mark(
    small_release: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_release.tasks()
    small_release.answers("phi", ["1,A,A", "2,B,B"])
    (tmp_path / "what?").mkdir()
    source = small_release.folder.rename(tmp_path / "what?" / FOLDER)
    warehouse = tmp_path / FOLDER / FILE
    typed = ["--warehouse", str(warehouse)]
    assert main(["load", "hotel", str(source), *typed]) == 0
    assert "2 files, 8 rows, 1 run loaded" in capsys.readouterr().out
    assert main(["build", *typed]) == 0
    capsys.readouterr()
    assert main(["board", "--format", "json", *typed]) == 0
    (study,) = json.loads(capsys.readouterr().out)
    assert [model["model_id"] for model in study["models"]] == ["microsoft/phi-2"]
    sql = "select count(*) as n from marts.hotel_booking_outcome where n = 2"
    assert main(["query", sql, "--format", "json", *typed]) == 0
    ((count,),) = [row.values() for row in json.loads(capsys.readouterr().out)]
    assert count > 0
    # nothing is left of the copy
    beside = {path.name for path in warehouse.parent.iterdir()}
    assert beside == {f"{FILE}{suffix}" for suffix in ("", ".dbt", ".lock")}
