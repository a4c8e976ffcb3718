"""The hash over the code that figures depend on."""

from __future__ import annotations

from pathlib import Path

import pytest

from expectations.fingerprint import ROOT, code_sha256

FILES = {
    "dbt_project/models/staging/stg_x.sql": "select 1 as x\n",
    "dbt_project/models/_models.yml": "version: 2\n",
    "dbt_project/seeds/names.csv": "a,b\n1,2\n",
    "models/fit.py": "X = 1\n",
    "expectations/hotel_raw.py": "Y = 2\n",
}


def _checkout(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    return root


def test_the_place_of_the_checkout_and_line_ends_do_not_matter(tmp_path):
    here = _checkout(tmp_path / "here", FILES)
    windows = {name: text.replace("\n", "\r\n") for name, text in FILES.items()}
    there = _checkout(tmp_path / "far" / "there", dict(reversed(windows.items())))
    assert code_sha256(here) == code_sha256(there)


@pytest.mark.parametrize("name", FILES)
def test_every_source_file_counts(tmp_path, name):
    before = code_sha256(_checkout(tmp_path / "a", FILES))
    changed = FILES | {name: FILES[name] + "\n"}
    assert code_sha256(_checkout(tmp_path / "b", changed)) != before
    renamed = {
        key if key != name else f"{key[:-4]}_2{key[-4:]}": FILES[key] for key in FILES
    }
    assert code_sha256(_checkout(tmp_path / "c", renamed)) != before


@pytest.mark.parametrize(
    "name",
    [
        "dbt_project/target/compiled/stg_x.sql",
        "dbt_project/logs/dbt.py",
        "models/__pycache__/fit.py",
        "models/notes.md",
        "ingest/llm.py",
    ],
)
def test_what_is_built_or_shapes_no_figure_does_not_count(tmp_path, name):
    before = code_sha256(_checkout(tmp_path / "a", FILES))
    assert code_sha256(_checkout(tmp_path / "b", FILES | {name: "x"})) == before


def test_a_checkout_without_one_of_the_folders_is_named(tmp_path):
    partial = {name: FILES[name] for name in FILES if not name.startswith("models/")}
    with pytest.raises(FileNotFoundError, match="models is missing"):
        code_sha256(_checkout(tmp_path, partial))


def test_this_checkout_has_a_fingerprint():
    assert code_sha256() == code_sha256(ROOT)
    assert len(code_sha256()) == 64
