"""Label files: reading them, changing one record, and writing them so none is lost."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.whole_file import put_whole
from pricebench.errors import CommandError

if TYPE_CHECKING:
    from ingest.parsed_file import ParsedFile
    from pricebench.review.run_files import RunFiles

Record = Mapping[str, Any]

# what a save of several files is going to write: after a crash it is finished from here
JOURNAL = ".review.pending"
REFS = "refs"
_RESTS_ON = ("candidates", "grades", "audit")
_FILE = re.compile(r"verify_(?:labels|second)_(?:exact|equiv|refs)\.json")
_VOLATILE = ("at",)


@dataclass(frozen=True, slots=True)
class Document:
    """A label file of a run.

    Attributes
    ----------
    name
        In the run folder.
    track
        Of a file of rulings; None for corrections of references.
    text
        As it stands in the file; empty while there is none.
    body
        The whole object, also where no file holds it yet.
    """

    name: str
    track: str | None
    text: str
    body: Mapping[str, Any]

    @property
    def container(self) -> str:
        """Return where its records stand."""
        return "labels" if self.track else "refs"

    @property
    def records(self) -> Mapping[str, Record]:
        """Return the records that stand, by candidate or product."""
        found: Mapping[str, Record] = self.body[self.container]
        return found

    @property
    def version(self) -> int:
        """Return how often it was saved."""
        return int(self.body["version"])

    def changed(
        self,
        records: Mapping[str, Record | None],
        *,
        reviewer: str,
        at: str,
        inputs: Mapping[str, str],
        **parts: Any,
    ) -> Document:
        """Return the document after a save.

        Parameters
        ----------
        records
            Candidate or product -> its new record; None takes it back.
        reviewer, at
            By whom and when, for the history.
        inputs
            Files that the rulings rest on, with their hashes.
        **parts
            Other parts of the body.

        Returns
        -------
        Document
            Of the next version, with an entry of history for each record.
        """
        key = "candidate_id" if self.track else "task_id"
        standing = dict(self.records)
        history = list(self.body["history"])
        for one_id, record in records.items():
            entry = {key: one_id, "at": at, "reviewer": reviewer}
            history.append({**entry, "before": standing.get(one_id), "after": record})
            if record is None:
                standing.pop(one_id, None)
            else:
                standing[one_id] = record
        body = {
            **self.body,
            **parts,
            "version": self.version + 1,
            self.container: standing,
            "history": history,
            "inputs": dict(inputs),
            "updated_at": at,
        }
        text = json.dumps(body, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
        return Document(self.name, self.track, text, json.loads(text))


def same(one: Record | None, other: Record | None) -> bool:
    """Return whether two records say the same, whenever they were written."""
    if one is None or other is None:
        return one is other
    names = {*one, *other} - set(_VOLATILE)
    return all(one.get(name) == other.get(name) for name in names)


def read_document(
    folder: Path, name: str, track: str | None, start: Mapping[str, Any]
) -> Document:
    """Read a label file.

    Parameters
    ----------
    folder, name
        The run folder, and the file in it.
    track
        Of a file of rulings.
    start
        Header of a file that is to be started.

    Returns
    -------
    Document
        An empty one of version 0 where there is no file.

    Raises
    ------
    CommandError
        If the file is no label artifact.
    """
    path = folder / name
    if not path.exists():
        container = "labels" if track else "refs"
        body = {**start, "version": 0, container: {}, "history": []}
        return Document(name, track, "", body)
    text = path.read_text(encoding="utf-8", errors="replace")
    return Document(name, track, text, _artifact(name, track, text).body)


def _artifact(name: str, track: str | None, text: str) -> Any:
    from ingest.errors import LoadError
    from ingest.search.artifact import FileKind, read_artifact

    kind = FileKind("verify_labels" if track else "verify_labels_refs", track)
    try:
        return read_artifact(name, text.encode(), kind)
    except LoadError as error:
        raise CommandError(str(error)) from error


def rows_of(document: Document, run_id: str, known: set[str]) -> list[ParsedFile]:
    """Return the rows of a document for the raw tables, by the reader of every load.

    Parameters
    ----------
    document
        With a text, or started.
    run_id
        The run.
    known
        Candidates of the track, or products.

    Returns
    -------
    list of ParsedFile
        Records that break the contract are set aside in them.
    """
    from ingest.parsed_file import FileId
    from ingest.search.read_rulings import read_labels, read_ref_labels

    text = document.text or json.dumps(document.body)
    artifact = _artifact(document.name, document.track, text)
    # the name under which a load knows the file, also that of a second reviewer
    name = f"verify_labels_{document.track or 'refs'}.json"
    file = FileId(f"{run_id}/{name}", artifact.sha256, artifact.tasks_sha256)
    read = read_labels if document.track else read_ref_labels
    return read(artifact, file, run_id, known)


def label_file(name: str, is_second: bool = False) -> str:
    """Return the name of a file of rulings: that of a second reviewer is apart."""
    return f"verify_{'second' if is_second else 'labels'}_{name}.json"


def read_documents(
    files: RunFiles, tracks: Sequence[str], is_second: bool
) -> dict[str, Document]:
    """Read the label files of a run.

    Parameters
    ----------
    files
        The run.
    tracks
        Those under review.
    is_second
        Read the rulings of a second reviewer; references are the first one's.

    Returns
    -------
    dict
        Track, and ``refs`` -> document.

    Raises
    ------
    CommandError
        If a file is no label artifact.
    """
    from importlib.metadata import version

    from pricebench.review.labels import now_text

    at = now_text()
    header = {**files.header, "created_at": at, "updated_at": at}
    header["tool_version"] = version("pricebench")
    found = {}
    for name in (*tracks, REFS):
        track = None if name == REFS else name
        kind = "verify_labels" if track else "verify_labels_refs"
        start = {
            **header,
            "schema": f"search-bench/{kind}/1",
            "inputs": inputs_of(files.folder, name),
        }
        file = label_file(name, is_second and track is not None)
        found[name] = read_document(files.folder, file, track, start)
    return found


def inputs_of(folder: Path, name: str) -> dict[str, str]:
    """Return the files that rulings rest on, with their hashes.

    Parameters
    ----------
    folder
        The run folder.
    name
        A track, or ``refs``.

    Returns
    -------
    dict
        Of those that are there.
    """
    kinds: Sequence[str] = () if name == REFS else _RESTS_ON
    names = ["tasks.json", *(f"{kind}_{name}.json" for kind in kinds)]
    return {
        one: hashlib.sha256((folder / one).read_bytes()).hexdigest()
        for one in names
        if (folder / one).is_file()
    }


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep other reviews of the same run from saving meanwhile.

    A save in which a crash came is finished first.

    Parameters
    ----------
    folder
        The run folder.

    Raises
    ------
    CommandError
        If what that save was to write can't be read.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        _finish_pending(folder)
        yield
    finally:
        os.close(handle)


def save(folder: Path, documents: Sequence[Document]) -> None:
    """Write documents, all or none, so that no crash loses what was answered.

    Parameters
    ----------
    folder
        The run folder, held.
    documents
        Those that have changed.
    """
    if len(documents) > 1:
        pending = {one.name: one.text for one in documents}
        write(folder / JOURNAL, json.dumps(pending))
    for one in documents:
        write(folder / one.name, one.text)
    (folder / JOURNAL).unlink(missing_ok=True)


def _finish_pending(folder: Path) -> None:
    path = folder / JOURNAL
    if not path.exists():
        return
    try:
        pending = json.loads(path.read_text(encoding="utf-8"))
        # a run folder may come from anybody
        if not all(_FILE.fullmatch(name) for name in pending):
            raise ValueError("it names other files")
    except ValueError as error:
        raise CommandError(
            f"{path} is damaged ({error}): remove it; the label files beside it are "
            "as the save before left them"
        ) from error
    for name, text in pending.items():
        write(folder / name, text)
    path.unlink()


def write(path: Path, text: str) -> None:
    """Put a text in a file's place, whole and on the disk, or not at all.

    Parameters
    ----------
    path
        The file.
    text
        Its content.
    """
    put_whole(path, text.encode())
