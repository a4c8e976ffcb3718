"""The example run of search as files that a test may change before it reads them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ingest.search.example_run import example_files
from ingest.search.read_run import RunRows, read_run_rows
from ingest.search.run_folder import RunFolder, find_runs, read_artifacts
from ingest.source import open_source

Files = dict[str, bytes]
Change = Callable[[dict[str, Any]], object]


@cache
def _example() -> Mapping[str, bytes]:
    return example_files()


def example() -> Files:
    """Return the files of the example run, to be changed at will."""
    return dict(_example())


def read(files: Mapping[str, bytes], name: str) -> dict[str, Any]:
    """Return an artifact as it stands."""
    return json.loads(files[name])


def edit(files: Files, name: str, change: Change) -> Files:
    """Change an artifact; what was made from it goes on naming the old one."""
    body = read(files, name)
    change(body)
    text = json.dumps(body, sort_keys=True, indent=2, ensure_ascii=False)
    files[name] = f"{text}\n".encode()
    return files


def restate(files: Files) -> Files:
    """Let every artifact name the products and other inputs as they are now."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    for name in files:
        if name.endswith(".json") and "/" not in name:
            made_of = read(files, name)["inputs"]
            if any(hashes.get(one) != was for one, was in made_of.items()):
                now = {one: hashes.get(one, was) for one, was in made_of.items()}
                edit(files, name, lambda body, now=now: body.update(inputs=now))
                return restate(files)
    return files


def without(files: Files, *starts: str) -> Files:
    """Return the files whose names do not start so."""
    return {
        name: data for name, data in files.items() if not name.startswith(tuple(starts))
    }


def write(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write the files to a folder and return it."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def rows_of(folder: Path) -> tuple[RunFolder, RunRows]:
    """Read the run in a folder, without a warehouse."""
    with open_source(folder) as opened:
        (run,) = find_runs(opened)
        read_artifacts(run, opened)
        return run, read_run_rows(run, opened)


def first(mapping: Mapping[str, Any]) -> Any:
    """Return the first value of a JSON object in order of key."""
    return mapping[min(mapping)]


def aside(rows: RunRows) -> list[tuple[str, str, str]]:
    """Return table, field and reason of everything that was set aside."""
    return [
        (one.table_name, row.field, row.reason)
        for one in rows.parsed
        for row in one.quarantined
    ]
