"""What ``make setup`` does ahead is what the first build would else do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pricebench import build

ROOT = Path(__file__).parents[2]
SWEEPS = {"_lean", "_curve", "_factorise", "_solve"}


def test_every_sweep_of_the_bootstrap_is_compiled(tmp_path):
    pytest.importorskip("numba")
    code = "from pricebench.prepare import compile_bootstrap; compile_bootstrap()"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
    # bootstrap_kernels._lean-89.py311.1.nbc
    compiled = {
        path.name.split(".")[1].split("-")[0] for path in tmp_path.rglob("*.nbc")
    }
    assert compiled == SWEEPS


def test_the_project_is_read_for_later_builds(tmp_path, monkeypatch):
    kept = tmp_path / "kept" / build._PARSED.name
    monkeypatch.setattr(build, "_PARSED", kept)
    before = Path.cwd()
    build.read_project()
    assert kept.stat().st_size > 0
    assert Path.cwd() == before
