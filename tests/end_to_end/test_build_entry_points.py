"""Three ways to build give the same marts: dbt, python -m dbt, and pricebench."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from ingest.hotel.cast import default_cast
from ingest.simulate import load_simulated_hotel

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def all_marts(warehouse: Path) -> dict[str, list[tuple]]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        names = connection.execute(
            "select table_name from information_schema.tables"
            " where table_schema = 'marts' order by 1"
        ).fetchall()
        assert len(names) >= 12
        return {
            name: connection.execute(
                f'select * from marts."{name}" order by all'
            ).fetchall()
            for (name,) in names
        }


@pytest.fixture(scope="module")
def by_pricebench(tmp_path_factory) -> dict[str, list[tuple]]:
    folder = tmp_path_factory.mktemp("by_pricebench")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    load_simulated_hotel(folder / "w.duckdb", shoppers=default_cast()[:2])
    command = [str(BIN / "pricebench"), "build", "--warehouse", "../w.duckdb"]
    subprocess.run(command, cwd=elsewhere, check=True, capture_output=True)
    return all_marts(folder / "w.duckdb")


@pytest.mark.parametrize(
    "dbt",
    [[str(BIN / "dbt")], [sys.executable, "-m", "dbt.cli.main"]],
    ids=["dbt", "-m"],
)
def test_dbt_from_its_folder_builds_the_same_marts(dbt, by_pricebench, tmp_path):
    warehouse = tmp_path / "other_name.duckdb"
    load_simulated_hotel(warehouse, shoppers=default_cast()[:2])
    # as an analyst would, but with dbt's own files out of the checkout
    options = ["--target-path", str(tmp_path / "t"), "--log-path", str(tmp_path / "l")]
    done = subprocess.run(
        [*dbt, "build", *options],
        cwd=ROOT / "dbt_project",
        env=os.environ | {"PRICEBENCH_WAREHOUSE": str(warehouse)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert all_marts(warehouse) == by_pricebench


def test_an_empty_variable_names_no_warehouse(empty_warehouse, tmp_path):
    project = tmp_path / "checkout" / "dbt_project"
    ignored = shutil.ignore_patterns("target", "logs")
    shutil.copytree(ROOT / "dbt_project", project, ignore=ignored)
    shutil.copytree(ROOT / "analyses", project.parent / "analyses")
    warehouse = shutil.copy(empty_warehouse, project.parent / "warehouse.duckdb")
    done = subprocess.run(
        [str(BIN / "dbt"), "build", "--select", "model_registry"],
        cwd=project,
        env=os.environ | {"PRICEBENCH_WAREHOUSE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        built = connection.execute(
            "select count(*) > 0 from information_schema.tables"
            " where table_name = 'model_registry'"
        ).fetchall()
    assert built == [(True,)]
