"""The rules of the house that a reader relies on, held by reading the files."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from expectations import vocabulary
from ingest import sources

ROOT = Path(__file__).parents[2]
PACKAGES = ("pricebench", "ingest", "models", "expectations")
# What each package may import of the others.
ALLOWED = {
    "ingest": set(),
    "models": set(),
    "expectations": {"models"},  # the status vocabulary
    "pricebench": {"ingest", "models", "expectations"},
}


def tracked(*patterns: str) -> list[Path]:
    # untracked files that git does not ignore count, so that a new file is held too
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(
        [*command, "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.split() if (ROOT / name).is_file()]


def imported_packages(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_arrows_point_one_way(package):
    files = tracked(f"{package}/*.py")
    assert files
    for path in files:
        others = imported_packages(path) & set(PACKAGES) - {package}
        assert others <= ALLOWED[package], path


def test_estimates_and_gates_import_only_their_own_room():
    estimates = tracked("dbt_project/models/estimates/*.py")
    gates = tracked("dbt_project/models/gates/*.py")
    assert estimates
    assert gates
    for path in estimates:
        # expectations: every table that reads a gated layer asks its gate
        assert imported_packages(path) & set(PACKAGES) <= {"models", "expectations"}, (
            path
        )
    for path in gates:
        assert imported_packages(path) & set(PACKAGES) <= {"expectations"}, path


def test_models_and_estimators_know_neither_duckdb_nor_dbt():
    for path in tracked("models/*.py"):
        assert not imported_packages(path) & {"duckdb", "dbt", "dlt"}, path


def test_no_package_file_hides_the_estimators_from_dbt():
    assert not tracked("dbt_project/**/__init__.py")


def test_files_stay_readable():
    sql = tracked("dbt_project/**/*.sql", "analyses/*.sql", "ingest/*.sql")
    python = tracked("*.py")
    assert sql
    for path in sql:
        assert len(path.read_text().splitlines()) <= 150, path
    for path in python:
        assert len(path.read_text().splitlines()) <= 400, path


def test_every_model_opens_with_its_grain():
    files = tracked("dbt_project/models/**/*.sql", "dbt_project/models/estimates/*.py")
    assert files
    for path in files:
        assert re.match(r"(--|#) grain:", path.read_text()), path


def test_every_analysis_opens_with_its_question():
    files = tracked("analyses/*.sql")
    assert len(files) >= 3
    for path in files:
        first = path.read_text().splitlines()[0]
        assert re.match(r"-- .+\?$", first), path


def test_engine_specific_functions_stand_behind_dispatch():
    specific = re.compile(
        r"\b(sha256|json_extract\w*|regexp_\w+|unnest|strptime|list_\w+|struct_\w+"
        r"|arg_max|arg_min|hash|len|string_agg)\s*\("
    )
    for path in tracked("dbt_project/models/**/*.sql", "analyses/*.sql"):
        text = re.sub(r"--[^\n]*|\{\{[\s\S]*?\}\}", "", path.read_text())
        assert not specific.search(text), path


def test_lock_holds_hashes_and_no_address():
    text = (ROOT / "requirements.lock").read_text()
    assert "://" not in text
    pins = re.findall(r"^[A-Za-z0-9._-]+==", text, re.MULTILINE)
    assert len(pins) > 50
    blocks = re.split(r"\n(?=[A-Za-z0-9._-]+==)", text)
    for block in blocks[1:]:
        assert "--hash=sha256:" in block, block.splitlines()[0]


def test_no_machine_path_is_committed():
    pattern = re.compile(r"(?<![\w.])/(work|root|home/\w+|Users/\w+)/")
    for path in tracked():
        if path.name == "requirements.lock" or path == Path(__file__):
            continue
        assert not pattern.search(path.read_text(errors="ignore")), path


def test_the_gates_know_the_sources_that_loaders_write():
    # gates import no loader, so the closed set stands there a second time
    assert set(vocabulary.OBSERVED_SOURCES) == set(sources.OBSERVED)
    assert set(vocabulary.SOURCES) == set(sources.SOURCES)
