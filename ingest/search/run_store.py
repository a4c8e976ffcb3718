"""A run folder that is worked on: its artifacts are read, and written whole or not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ingest.errors import LoadError
from ingest.search.artifact import Artifact, kind_of, read_artifact
from ingest.search.pages.evidence import write_evidence
from ingest.search.run_folder import TASKS_FILE
from ingest.search.schemas import TRACKS
from ingest.search.write_artifact import artifact_text
from ingest.whole_file import write_whole

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunStore:
    """The folder of one run.

    Attributes
    ----------
    folder
        It holds a ``tasks.json``.
    tasks
        The products, which name the bank.
    """

    folder: Path
    tasks: Artifact
    # answers are long: read once, until a phase writes
    _answers: dict[str, dict[str, Artifact]] = field(default_factory=dict, repr=False)
    _identity: list[tuple[str, str]] = field(default_factory=list, repr=False)

    @property
    def products(self) -> dict[str, Record]:
        """Return the records of ``tasks.json`` by product, in the order of position."""
        ordered = sorted(
            self.tasks.body["tasks"], key=lambda one: (one["position"], one["task_id"])
        )
        return {one["task_id"]: one for one in ordered}

    def read(self, name: str) -> Artifact | None:
        """Return an artifact made from these products, None where there is none yet.

        Parameters
        ----------
        name
            Within the folder.

        Returns
        -------
        Artifact or None

        Raises
        ------
        LoadError
            Where it breaks its contract, or was made from other products.
        """
        path, kind = self.folder / name, kind_of(name)
        if kind is None:
            raise ValueError(f"{name} is no artifact")
        if not path.is_file():
            return None
        found = read_artifact(name, path.read_bytes(), kind)
        if found.tasks_sha256 not in (None, self.tasks.sha256):
            raise LoadError(
                f"{path} was made from another {TASKS_FILE}; give the runs a folder "
                "each, or do again what follows the products"
            )
        return found

    def answers(self, track: str) -> dict[str, Artifact]:
        """Return the answers of a track by agent, in order of name."""
        if track in self._answers:
            return self._answers[track]
        found = {}
        for path in sorted(self.folder.glob(f"raw_*_{track}.json")):
            kind = kind_of(path.name)
            if kind is not None and kind.agent is not None and kind.track == track:
                artifact = self.read(path.name)
                if artifact is not None:
                    found[kind.agent] = artifact
        self._answers[track] = found
        return found

    def identity(self) -> tuple[str, str]:
        """Return run and source: those of the answers, else those of the products.

        Raises
        ------
        LoadError
            Where the answers are of several runs or sources.
        """
        if self._identity:
            return self._identity[0]
        made = [one for track in TRACKS for one in self.answers(track).values()]
        pairs = {(one.run_id, one.source) for one in made or [self.tasks]}
        if len(pairs) > 1:
            told = " and ".join(sorted(f"{run} ({source})" for run, source in pairs))
            raise LoadError(
                f"{self.folder} holds answers of {told}; give each a folder"
            )
        self._identity.append(pairs.pop())
        return self._identity[0]

    def write(
        self, name: str, body: Record, at: datetime, made_of: Iterable[str]
    ) -> None:
        """Write an artifact in its place, whole and on the disk.

        Parameters
        ----------
        name
            Within the folder.
        body
            What it holds beside the header.
        at
            Now, UTC.
        made_of
            Files of the folder that it rests on; those that are not there are left out.
        """
        write_whole(self.folder / name, encoded(self.text(name, body, at, made_of)))
        self._answers.clear()

    def text(
        self, name: str, body: Record, at: datetime, made_of: Iterable[str]
    ) -> str:
        """Return an artifact as ``write`` would write it.

        Parameters
        ----------
        name, body, at, made_of
            As for ``write``.

        Returns
        -------
        str
        """
        kind = kind_of(name)
        if kind is None:
            raise ValueError(f"{name} is no artifact")
        before = self.folder / name
        created = None
        if before.is_file():
            created = read_artifact(name, before.read_bytes(), kind).body["created_at"]
        run_id, source = self.identity()
        return artifact_text(
            kind.kind,
            body,
            run_id=run_id,
            at=at,
            inputs=self.hashes(made_of),
            tool_version=version("pricebench"),
            source=source,
            created_at=created,
            rules=self.tasks.protocol,
        )

    def write_changed(
        self, name: str, body: Record, at: datetime, made_of: Iterable[str]
    ) -> None:
        """Write an artifact, unless it says the same already.

        A new time alone would make everything that rests on it look stale.

        Parameters
        ----------
        name, body, at, made_of
            As for ``write``.
        """
        inputs = list(made_of)
        stored = self.read(name)
        if (
            stored is not None
            and stored.inputs == self.hashes(inputs)
            and all(stored.body.get(key) == value for key, value in body.items())
        ):
            return
        self.write(name, body, at, inputs)

    def hashes(self, names: Iterable[str]) -> dict[str, str]:
        """Return the hashes of files of the folder, of those that are there."""
        return {
            name: hashlib.sha256((self.folder / name).read_bytes()).hexdigest()
            for name in names
            if (self.folder / name).is_file()
        }

    def image(self, sha256: str | None) -> bytes | None:
        """Return a stored picture, None where there is none."""
        if sha256 is None:
            return None
        path = self.folder / f"images/{sha256}.jpg"
        return path.read_bytes() if path.is_file() else None

    def put_image(self, data: bytes) -> str:
        """Store a picture under its hash, and return that."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.folder / f"images/{sha256}.jpg"
        if not path.is_file():
            write_whole(path, data)
        return sha256

    def put_page(self, data: bytes) -> str:
        """Store a page snapshot under the hash of the page; return that."""
        return write_evidence(self.folder, data)


def open_store(folder: Path) -> RunStore:
    """Open a run folder.

    Parameters
    ----------
    folder
        Of one run.

    Returns
    -------
    RunStore

    Raises
    ------
    LoadError
        Where it holds no products, or they break their contract.
    """
    path = folder / TASKS_FILE
    kind = kind_of(TASKS_FILE)
    if kind is None or not path.is_file():
        raise LoadError(f"{folder} is no run folder: it holds no {TASKS_FILE}")
    return RunStore(folder, read_artifact(TASKS_FILE, path.read_bytes(), kind))


def journal_header(store: RunStore, phase: str, **more: Any) -> dict[str, Any]:
    """Return the first line of a phase's journal: what decides its records.

    Parameters
    ----------
    store
        The run.
    phase
        Its name.
    **more
        What else decides them.

    Returns
    -------
    dict
    """
    run_id, source = store.identity()
    return {
        "instrument": "search",
        "phase": phase,
        "run_id": run_id,
        "source": source,
        "tasks_sha256": store.tasks.sha256,
        **more,
    }


def encoded(text: str) -> bytes:
    """Return an artifact's bytes; half a character, which none may hold, becomes ?."""
    return text.encode("utf-8", "replace")


def names_of(track: str, *kinds: str) -> Sequence[str]:
    """Return the names of a track's artifacts of some kinds."""
    return [f"{kind}_{track}.json" for kind in kinds]
