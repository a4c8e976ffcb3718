"""CONTRIBUTING.md works word for word, in a temporary copy of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.hotel.shoppers import Shopper
from ingest.simulate import load_simulated_hotel

ROOT = Path(__file__).parents[2]


def blocks(section: str) -> list[tuple[str, str]]:
    """Language and text of the fenced blocks under a heading of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    body = re.split(r"^## ", text, flags=re.MULTILINE)
    (chosen,) = [part for part in body if part.startswith(f"{section}\n")]
    found = re.findall(r"^```(\w+)\n(.*?)^```$", chosen, re.DOTALL | re.MULTILINE)
    assert found
    return found


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project as git would clone it, with a `pricebench` that runs the copy."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    project = tmp_path / "project"
    for name in listed.stdout.split():
        if (ROOT / name).is_file():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, project / name)
    shim = tmp_path / "bin" / "pricebench"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pricebench "$@"\n')
    shim.chmod(0o755)
    return project


def follow(section: str, project: Path, warehouse: Path) -> str:
    """Carry out every block of a section; give what the last one printed."""
    environment = os.environ | {
        "PATH": f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(project),
        "PRICEBENCH_WAREHOUSE": str(warehouse),
    }
    printed = ""
    for language, text in blocks(section):
        command = ["bash", "-euo", "pipefail", "-c", text]
        if language == "diff":
            command = ["patch", "-p1", "--fuzz=0"]
        done = subprocess.run(
            command,
            cwd=project,
            env=environment,
            input=text if language == "diff" else None,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        printed = done.stdout
    return printed


def test_add_a_model(copy, tmp_path):
    warehouse = tmp_path / "warehouse.duckdb"
    shopper = Shopper("example/new-model-7b", {"review_score": 1.0, "log_price": -2.0})
    load_simulated_hotel(warehouse, shoppers=[shopper])
    printed = follow("Add a model", copy, warehouse)
    assert "New Model 7B" in printed
    assert "Example" in printed


def test_add_a_metric(copy, tmp_path):
    warehouse = tmp_path / "warehouse.duckdb"
    shopper = Shopper("simulated/dear", {"review_score": 1.0, "log_price": -2.0})
    load_simulated_hotel(warehouse, shoppers=[shopper])
    printed = follow("Add a metric", copy, warehouse)
    assert "max_price_usd" in printed
    rows = [line for line in printed.splitlines() if "simulated/dear" in line]
    assert len(rows) == 2
    for line in rows:
        median, dearest = (float(text) for text in line.split()[-2:])
        assert dearest > median
