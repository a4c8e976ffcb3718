"""Where a warehouse may stand: any mark in its path works or is refused in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ingest.errors import WarehouseError
from ingest.raw_tables import missing_objects, open_database
from ingest.schemas import RAW
from ingest.warehouse import init
from ingest.warehouse_path import (
    SCHEMAS,
    check_name,
    copy_path,
    state_folder,
    warehouse_of,
)
from pricebench.cli import main

ROOT = Path(__file__).parents[2]

# marks that mean something in SQL, in addresses, in file patterns or in templates
MARKS = ["'", "%20 100%", '"', "#;", "[b]*", "a=b", "{{b}}:é\\"]


@pytest.mark.parametrize("mark", MARKS)
def test_a_warehouse_stands_under_any_mark(tmp_path: Path, mark: str) -> None:
    warehouse = tmp_path / f"x{mark}y" / f"p{mark}q.duckdb"
    assert init(warehouse) == warehouse
    with open_database(warehouse, read_only=True) as connection:
        assert missing_objects(connection) == []
    beside = {path.name for path in warehouse.parent.iterdir()}
    assert beside - {f"{warehouse.name}.dlt"} == {
        warehouse.name,
        f"{warehouse.name}.lock",
    }


@pytest.mark.parametrize("mark", MARKS)
def test_a_copy_is_known_by_its_warehouse(tmp_path: Path, mark: str) -> None:
    warehouse = tmp_path / f"x{mark}y" / f"p{mark}q.duckdb"
    copy = copy_path(warehouse)
    assert copy.parent == warehouse.with_name(f"{warehouse.name}.next")
    # it stands in SQL without quotes
    assert re.fullmatch(r"\w+\.duckdb", copy.name)
    assert warehouse_of(copy) == warehouse
    assert state_folder(copy) == state_folder(warehouse)


def test_a_folder_called_like_that_of_a_copy_holds_warehouses_of_its_own(
    tmp_path: Path,
) -> None:
    for own in ("x.next/warehouse.duckdb", ".next/w.duckdb", "w.next/w.duckdb"):
        assert warehouse_of(tmp_path / own) == tmp_path / own


REFUSED = [
    ("w?.duckdb", "has a ? in its path"),
    ("what?/w.duckdb", "has a ? in its path"),
    ("w\udcff.duckdb", "bytes in its path that are not UTF-8"),
    ("marts.duckdb", "cannot be called marts, "),
    ("Marts.old.duckdb", "cannot be called marts, "),
    (".quality.duckdb", "cannot be called quality, "),
    ("raw_hotel.db", "cannot be called raw_hotel, "),
    ("staging", "cannot be called staging, "),
    ("intermediate.duckdb", "cannot be called intermediate, "),
    ("estimates.duckdb", "cannot be called estimates, "),
    ("system.duckdb", "cannot be called system, "),
    ("temp.duckdb", "cannot be called temp, "),
    ("main.duckdb", "cannot be called main, "),
    ("information_schema.duckdb", "cannot be called information_schema, "),
]


@pytest.mark.parametrize(("name", "words"), REFUSED)
def test_a_name_that_duckdb_cannot_use_is_one_line(
    tmp_path: Path, name: str, words: str
) -> None:
    with pytest.raises(WarehouseError) as caught:
        init(tmp_path / "new" / name)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    # the advice can be followed
    advised = re.search(r"--warehouse (/\S+)$", str(caught.value))
    if "cannot be called" in words:
        assert advised is not None
        check_name(Path(advised[1]))
    assert not (tmp_path / "new").exists()


def test_other_names_near_those_are_taken(tmp_path: Path) -> None:
    for name in ("my.marts.duckdb", "marts2.duckdb", "memory.duckdb", "hotel.duckdb"):
        warehouse = tmp_path / "marts" / name
        assert init(warehouse) == warehouse


def test_every_schema_of_the_project_is_known() -> None:
    text = (ROOT / "dbt_project" / "dbt_project.yml").read_text()
    named = set(re.findall(r"^ *\+schema: (\w+)$", text, re.MULTILINE))
    assert named | {*RAW, "quality"} == set(SCHEMAS)


VERBS = [
    ["init"],
    ["load", "hotel", "."],
    ["simulate", "hotel"],
    ["demo"],
    ["build"],
    ["exclude", "release/phi", "--reason", "why"],
    ["board"],
    ["query", "select 1"],
]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("marts.duckdb", "cannot be called marts, "),
        ("w?.duckdb", "has a ? in its path"),
        ("w" * 300, "cannot be opened (File name too long)"),
        ("~nobody-of-this-name/w.duckdb", "cannot be opened (Could not determine home"),
    ],
)
def test_every_verb_refuses_such_a_path_at_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verb: list[str],
    path: str,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*verb, "--warehouse", path]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("pricebench: warehouse ")
    assert words in err
    assert list(tmp_path.iterdir()) == []
