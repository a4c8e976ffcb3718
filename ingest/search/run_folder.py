"""A run folder: the files that belong together, and whether they agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ingest.errors import LoadError
from ingest.search.artifact import (
    BEFORE_TASKS,
    POLICY_FILE,
    Artifact,
    kind_of,
    other_rules,
    read_artifact,
)
from ingest.search.read_files import is_evidence
from ingest.source import Source

TASKS_FILE = "tasks.json"
# what phases resume from: the artifacts beside it say the same, so it is not read
JOURNAL = re.compile(r"journal_[a-z0-9_-]+\.jsonl")


@dataclass
class RunFolder:
    """One run folder of a source.

    Attributes
    ----------
    folder
        Within the source; empty for the source itself.
    files
        Name within the run folder -> name within the source, of what belongs to a run.
    artifacts
        Name within the run folder -> JSON artifact that could be read.
    errors
        One line per artifact that could not.
    """

    folder: str
    files: dict[str, str]
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @property
    def tasks(self) -> Artifact:
        """Return the products of the run, which name its bank."""
        return self.artifacts[TASKS_FILE]

    @property
    def later(self) -> list[Artifact]:
        """Return the artifacts that were made after the products."""
        made = self.artifacts.values()
        return [one for one in made if one.kind.kind not in BEFORE_TASKS]

    def of_kind(self, kind: str) -> Iterator[Artifact]:
        """Yield the artifacts of one kind in order of name."""
        for name in sorted(self.artifacts):
            if self.artifacts[name].kind.kind == kind:
                yield self.artifacts[name]

    def run_id(self) -> str:
        """Return the run; raise LoadError where artifacts are of several."""
        ids = sorted({one.run_id for one in self.later}) or [self.tasks.run_id]
        if len(ids) > 1:
            raise LoadError(
                f"{self.label} holds artifacts of several runs ({', '.join(ids)}); "
                "give each its own folder"
            )
        return ids[0]

    def source(self) -> str:
        """Return where the answers come from; raise LoadError where from several."""
        made = sorted({one.source for one in self.later}) or [self.tasks.source]
        if len(made) > 1:
            raise LoadError(
                f"{self.label} holds {' and '.join(made)} artifacts; give each kind "
                "its own folder"
            )
        return made[0]

    @property
    def label(self) -> str:
        """Return how messages name the folder."""
        return self.folder or "the run folder"

    def differences(self) -> list[str]:
        """Return where artifacts were made under other rules or from another bank.

        Returns
        -------
        list of str
            One line each; empty where all agree.
        """
        rules, bank = self.tasks.protocol_sha256, self.tasks.sha256
        found = []
        for name, one in sorted(self.artifacts.items()):
            own = other_rules(one)
            if own is not None:
                found.append(own)
            if one.protocol_sha256 != rules:
                found.append(
                    f"{name} was made under protocol {one.protocol_sha256[:12]}, "
                    f"{TASKS_FILE} under {rules[:12]}"
                )
            if one.kind.kind in BEFORE_TASKS:
                continue
            if one.tasks_sha256 is None:
                found.append(f"{name} does not say which {TASKS_FILE} it was made from")
            elif one.tasks_sha256 != bank:
                found.append(
                    f"{name} was made from {TASKS_FILE} {one.tasks_sha256[:12]}, the "
                    f"folder has {bank[:12]}"
                )
        return found

    def stale(self, hashes: dict[str, str]) -> list[str]:
        """Return which other inputs have changed since something was made from them.

        Parameters
        ----------
        hashes
            Hash of every file of the folder that was read.

        Returns
        -------
        list of str
            One line each.
        """
        return [
            f"{name} was made from another {input_name} "
            f"({stated[:12]}, the folder has {hashes[input_name][:12]})"
            for name, one in sorted(self.artifacts.items())
            for input_name, stated in sorted(one.inputs.items())
            if input_name != TASKS_FILE and hashes.get(input_name, stated) != stated
        ]


def find_runs(opened: Source) -> list[RunFolder]:
    """Return the run folders of a source: those that hold a ``tasks.json``.

    Parameters
    ----------
    opened
        A source; it may be a run folder itself or hold several.

    Returns
    -------
    list of RunFolder
        In order of name, files listed and none read yet; empty where there is none.
    """
    folders = [_parent(one) for one in opened.names if _is_named(one, TASKS_FILE)]
    found = {folder: RunFolder(folder, {}) for folder in folders}
    for name in opened.names:
        for folder, run in found.items():
            inner = _inside(name, folder)
            if inner is not None and belongs(inner):
                run.files[inner] = name
    return list(found.values())


def belongs(name: str) -> bool:
    """Return whether a file is part of a run by its name within the run folder."""
    if kind_of(name) is not None or name == POLICY_FILE:
        return True
    return is_evidence(name) or JOURNAL.fullmatch(name) is not None


def read_artifacts(run: RunFolder, opened: Source) -> None:
    """Read the JSON artifacts of a run folder.

    Parameters
    ----------
    run
        Filled in: artifacts, and errors of those that could not be read.
    opened
        The source.

    Raises
    ------
    LoadError
        Where the products cannot be read, without which nothing can.
    """
    for inner, name in sorted(run.files.items(), key=lambda x: x[0] != TASKS_FILE):
        kind = kind_of(inner)
        if kind is None:
            continue
        try:
            run.artifacts[inner] = read_artifact(inner, opened.read(name), kind)
        except LoadError as error:
            inside = run.folder and not str(error).startswith(name)
            line = f"not loaded: {f'{run.folder}/' if inside else ''}{error}"
            if inner == TASKS_FILE:
                raise LoadError(line) from error
            run.errors.append(line)


def _parent(name: str) -> str:
    parent = str(PurePosixPath(name).parent)
    return "" if parent == "." else parent


def _is_named(name: str, wanted: str) -> bool:
    return PurePosixPath(name).name == wanted


def _inside(name: str, folder: str) -> str | None:
    if not folder:
        return name
    return name.removeprefix(f"{folder}/") if name.startswith(f"{folder}/") else None
