"""What the artifacts of a run say that no ruling changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pricebench.search_run import TRACKS

Record = Mapping[str, Any]

_EVIDENCE_ENDS = (".html.gz", ".json")
# of the header of the products, what a label file that is started takes over
_TAKEN_OVER = ("protocol", "source")


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The artifacts of a run that a reviewer sees.

    Attributes
    ----------
    folder
        The run folder.
    run_id
        The run.
    header
        What a new artifact of the run takes over from the products.
    tasks
        Product -> record, in the order of the run.
    candidates, audits, grades
        Track -> candidate -> record, of the tracks that have candidates.
    files
        Hash of an image or a page snapshot -> its file within the folder, of those
        that an artifact names and that are there.
    """

    folder: Path
    run_id: str
    header: Record
    tasks: Mapping[str, Record]
    candidates: Mapping[str, Mapping[str, Record]]
    audits: Mapping[str, Mapping[str, Record]]
    grades: Mapping[str, Mapping[str, Record]]
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def tracks(self) -> tuple[str, ...]:
        """Return the tracks that have candidates."""
        return tuple(self.candidates)

    def file_of(self, sha256: str | None) -> str | None:
        """Return the file of a hash within the folder; None where it is not there."""
        return None if sha256 is None else self.files.get(sha256)

    def paths(self) -> set[str]:
        """Return every image and snapshot that may be shown."""
        return set(self.files.values())


def read_run_files(folder: Path) -> RunFiles:
    """Read the artifacts of a run whose contract a load has checked.

    Parameters
    ----------
    folder
        The run folder.

    Returns
    -------
    RunFiles
    """
    bank = _body(folder, "tasks.json")
    tasks = sorted(bank["tasks"], key=lambda one: (one["position"], one["task_id"]))
    found: dict[str, dict[str, Any]] = {}
    run_id = bank["run_id"]
    for kind, part in (
        ("candidates", "candidates"),
        ("audit", "audits"),
        ("grades", "grades"),
    ):
        found[kind] = {}
        for track in TRACKS:
            body = _body(folder, f"{kind}_{track}.json")
            # later artifacts name the run; a bank may serve several
            run_id = body.get("run_id", run_id)
            if body or kind != "candidates":
                found[kind][track] = body.get(part, {})
    files = _files(folder, tasks, found)
    header = {"run_id": run_id} | {
        name: bank[name] for name in _TAKEN_OVER if name in bank
    }
    by_id = {task["task_id"]: task for task in tasks}
    return RunFiles(
        folder,
        run_id,
        header,
        by_id,
        found["candidates"],
        found["audit"],
        found["grades"],
        files,
    )


def _body(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    if not path.is_file():
        return {}
    body: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return body


def _files(folder: Path, tasks: Any, found: Mapping[str, Any]) -> dict[str, str]:
    images = {(task.get("image") or {}).get("sha256") for task in tasks}
    pages = {(task.get("extraction") or {}).get("evidence") for task in tasks}
    for records in found["candidates"].values():
        images |= {one.get("image_sha256") for one in records.values()}
    for records in found["audit"].values():
        for one in records.values():
            pages |= {check.get("evidence") for check in one.get("checks") or []}
    # a run folder of a stranger's may hold links to anywhere
    own = folder.resolve()
    names = {one: (f"images/{one}.jpg",) for one in images if one}
    names |= {
        one: tuple(f"evidence/{one}{end}" for end in _EVIDENCE_ENDS)
        for one in pages
        if one
    }
    return {
        sha256: name
        for sha256, choices in names.items()
        for name in choices
        if (folder / name).is_file() and (folder / name).resolve().is_relative_to(own)
    }
