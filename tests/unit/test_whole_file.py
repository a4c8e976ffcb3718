"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingest.errors import LoadError
from ingest.whole_file import put_whole, write_whole

ROOT = Path(__file__).parents[2]


def full(*_):
    raise OSError(28, "No space left on device")


def test_a_file_is_replaced_and_its_folder_is_made(tmp_path):
    path = tmp_path / "a/b.json"
    for content in (b"one", b"two"):
        write_whole(path, content)
        assert path.read_bytes() == content
    assert [one.name for one in path.parent.iterdir()] == ["b.json"]


def test_where_the_disk_is_full_the_old_file_stands(tmp_path, monkeypatch):
    path = tmp_path / "b.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LoadError, match=r"b\.json cannot be written \(No space left"):
        write_whole(path, b"new")
    with pytest.raises(OSError, match="No space left"):
        put_whole(path, b"new")
    assert path.read_bytes() == b"old"
    # what can be made again waits for no disk
    put_whole(path, b"new", durable=False)
    assert path.read_bytes() == b"new"


def test_what_is_written_whole_is_written_in_one_place():
    # a warehouse is copied, and what a person asks for keeps the rights of its file
    others = {"ingest/working_copy.py", "pricebench/console.py"}
    found = {
        str(path.relative_to(ROOT))
        for folder in ("ingest", "pricebench")
        for path in (ROOT / folder).rglob("*.py")
        if ".replace(path)" in path.read_text()
    }
    assert found == {"ingest/whole_file.py", *others}
