"""A review of one run: what it shows, and what a save does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from pricebench.console import Say
from pricebench.errors import CommandError
from pricebench.review import labels as rules
from pricebench.review import sample
from pricebench.review.documents import (
    REFS,
    Document,
    held,
    inputs_of,
    label_file,
    read_document,
    read_documents,
    rows_of,
    same,
    save,
)
from pricebench.review.errors import Refused
from pricebench.review.figures import TARGET, Figures
from pricebench.review.run_files import RunFiles, read_run_files
from pricebench.review.state import in_force, review_state
from pricebench.search_run import TRACKS, artifacts, private_warehouse


class Case:
    """A run under review.

    Parameters
    ----------
    files
        Its artifacts.
    figures
        Its figures, in a warehouse of its own.
    is_references
        References alone are reviewed.
    is_second
        The reviewer is a second one, who sees nothing of the first one's rulings.
    """

    def __init__(
        self, files: RunFiles, figures: Figures, is_references: bool, is_second: bool
    ) -> None:
        self.files = files
        self.is_references = is_references
        self.is_second = is_second
        self._figures = figures
        self._documents: dict[str, Document] = {}
        self._read()

    @classmethod
    @contextmanager
    def open(
        cls, folder: Path, say: Say, *, is_references: bool, is_second: bool
    ) -> Iterator[Self]:
        """Load a run folder into a warehouse of its own and take up its review.

        Parameters
        ----------
        folder
            The run folder.
        say
            Called with a line per step.
        is_references, is_second
            As for the class.

        Yields
        ------
        Case

        Raises
        ------
        CommandError
            If the run can't be loaded, or there is nothing to review yet.
        """
        with held(folder):
            named = artifacts(folder)
        if is_second:
            for track in TRACKS:
                named.pop(label_file(track), None)
        if not is_references and not any(
            f"candidates_{x}.json" in named for x in TRACKS
        ):
            raise CommandError(
                f"{folder} has no candidates yet: settle its references with "
                "--references, or review it once its agents have answered"
            )
        label = f"{folder} cannot be reviewed"
        with (
            private_warehouse(label, named, say, [TARGET]) as warehouse,
            Figures.open(warehouse) as figures,
        ):
            yield cls(read_run_files(folder), figures, is_references, is_second)

    @property
    def tracks(self) -> tuple[str, ...]:
        """Return the tracks under review."""
        return self.files.tracks or TRACKS

    def version(self, name: str) -> int:
        """Return the version of the label file of a track, or of ``refs``."""
        return self._documents[name].version

    def state(self, track: str) -> dict[str, Any]:
        """Return what the page of a track shows, from the labels as they are saved.

        Parameters
        ----------
        track
            One of ``tracks``.

        Returns
        -------
        dict
            See ``pricebench.review.state``.

        Raises
        ------
        Refused
            A label file was changed into something that can't be read.
        """
        self.refresh()
        candidates = {} if self.is_references else self._figures.candidates(track)
        return review_state(
            self.files,
            track,
            self._figures.tasks(),
            candidates,
            self._documents,
            self._chances(track),
            is_references=self.is_references,
            is_second=self.is_second,
        )

    def refresh(self) -> None:
        """Take in label files that others have changed since."""
        stale = [
            name for name, one in self._documents.items() if self._text(one) != one.text
        ]
        if stale:
            try:
                self._read()
            except CommandError as error:
                raise Refused(str(error), status=503) from error

    def save_label(self, track: str, request: Mapping[str, Any]) -> None:
        """Save a ruling, or take it back.

        Parameters
        ----------
        track
            Which track.
        request
            ``version``, ``candidate_id``, ``label``.

        Raises
        ------
        Refused
            Another version stands, or the label breaks a rule; nothing is changed.
        """
        one_id = request.get("candidate_id")
        with held(self.files.folder):
            self.refresh()
            document = self._documents[track]
            row = self._figures.candidates(track).get(str(one_id))
            if row is None:
                raise Refused(f"no candidate {one_id!r} here", field="label")
            before = document.records.get(row["candidate_id"])
            self._require_version(document, request, before)
            at, posted = rules.now_text(), request.get("label")
            label = None
            if posted is not None:
                verdict = row["panel_verdict"]
                label = rules.label_of(posted, track, verdict, before, at)
                chances = self._chances(track)
                label = sample.marked(label, row["candidate_id"], chances)
            if same(before, label):
                return
            author = _author(request, label, before)
            changes = {track: {row["candidate_id"]: label}}
            changes |= self._shared(track, row["candidate_id"], label)
            self._keep(
                {
                    name: self._changed(name, records, author, at)
                    for name, records in changes.items()
                },
                lambda: self._check(track, row["candidate_id"], label),
            )

    def save_ref(self, request: Mapping[str, Any]) -> None:
        """Save a correction of a reference, or take it back.

        Parameters
        ----------
        request
            ``version``, ``task_id``, ``ref``.

        Raises
        ------
        Refused
            As ``save_label``; and whatever a second reviewer posts.
        """
        if self.is_second:
            raise Refused(
                "a second reviewer rules on candidates, not on references", status=403
            )
        task_id = request.get("task_id")
        with held(self.files.folder):
            self.refresh()
            document = self._documents[REFS]
            if task_id not in self.files.tasks:
                raise Refused(f"no product {task_id!r} in this run", field="ref")
            before = document.records.get(str(task_id))
            self._require_version(document, request, before)
            at, posted = rules.now_text(), request.get("ref")
            ref = None if posted is None else rules.ref_of(posted, at)
            if same(before, ref):
                return
            author = _author(request, ref, before)
            changed = self._changed(REFS, {str(task_id): ref}, author, at)
            self._keep({REFS: changed}, lambda: None)

    def draw_sample(self, share: float, seed: int) -> dict[str, int]:
        """Draw candidates at random, once for a run, and mark labels that they have.

        Parameters
        ----------
        share, seed
            See ``pricebench.review.sample.draw``.

        Returns
        -------
        dict
            Track -> candidates drawn.

        Raises
        ------
        CommandError
            If candidates were drawn with another share or seed before.
        """
        at, documents, drawn = rules.now_text(), {}, {}
        with held(self.files.folder):
            self.refresh()
            for track in self.files.tracks:
                document = self._documents[track]
                old = document.body.get("sample")
                if sample.stored(document.body):
                    if old is None or (old["share"], old["seed"]) != (share, seed):
                        raise CommandError(
                            f"{document.name} holds a sample already: a second draw "
                            "would falsify the chances; review it without --sample"
                        )
                    drawn[track] = len(old["chances"])
                    continue
                rows = self._figures.candidates(track)
                verdicts = {one: row["panel_verdict"] for one, row in rows.items()}
                chances = sample.draw(verdicts, share, seed, track)
                drawn[track] = len(chances)
                marks = {
                    one: sample.marked(label, one, chances)
                    for one, label in document.records.items()
                    if one in chances
                }
                part = {"share": share, "seed": seed, "at": at, "chances": chances}
                documents[track] = self._changed(
                    track, marks, "drawn at random", at, sample=part
                )
            if documents:
                self._keep(documents, lambda: None)
        return drawn

    def _read(self) -> None:
        """Read every label file, and work the figures out from them."""
        documents = read_documents(self.files, self.tracks, self.is_second)
        try:
            with self._figures.trying():
                self._put(documents)
        except Refused as error:
            raise CommandError(f"a label file cannot be used: {error}") from error
        self._documents = documents

    def _chances(self, track: str) -> Mapping[str, float]:
        """Return the draw of a track, which is one for both reviewers."""
        if not self.is_second:
            return sample.stored(self._documents[track].body)
        first = read_document(self.files.folder, label_file(track), track, {})
        return sample.stored({**first.body, "labels": {}})

    def _put(self, documents: Mapping[str, Document]) -> None:
        for name, one in documents.items():
            known = self.files.candidates.get(name, {}) if one.track else None
            keys = set(self.files.tasks if known is None else known)
            parsed = rows_of(one, self.files.run_id, keys)
            for aside in (row for file in parsed for row in file.quarantined):
                _, _, why = aside.reason.partition(": ")
                raise Refused(f"{aside.field}: {why}", field=aside.field)
            self._figures.replace(parsed)
        self._figures.work_out(with_references=REFS in documents)

    def _keep(self, changed: Mapping[str, Document], check: Callable[[], None]) -> None:
        """Work everything out from changed documents; write them if all is well."""
        with self._figures.trying():
            self._put(changed)
            check()
            try:
                save(self.files.folder, list(changed.values()))
            except OSError as error:
                raise Refused(
                    f"{self.files.folder} cannot be written ({error.strerror}): "
                    "nothing was saved",
                    status=503,
                ) from error
        self._documents |= changed

    def _changed(
        self,
        name: str,
        records: Mapping[str, Any],
        author: str,
        at: str,
        **parts: Any,
    ) -> Document:
        return self._documents[name].changed(
            records,
            reviewer=author,
            at=at,
            inputs=inputs_of(self.files.folder, name),
            **parts,
        )

    def _shared(
        self, track: str, one_id: str, label: Mapping[str, Any] | None
    ) -> dict[str, dict[str, Any]]:
        """Return what a save changes in the other track."""
        found = {}
        for other in self.files.tracks:
            if other == track or one_id not in self.files.candidates[other]:
                continue
            standing = self._documents[other].records.get(one_id)
            shared = rules.shared_with(label, standing)
            if not same(standing, shared):
                if shared is not None:
                    shared = sample.marked(shared, one_id, self._chances(other))
                found[other] = {one_id: shared}
        return found

    def _check(self, track: str, one_id: str, label: Mapping[str, Any] | None) -> None:
        if label is None:
            return
        row = self._figures.candidates(track).get(one_id)
        if row is None:
            raise Refused(
                "final_url is the page of the reference itself: leave it empty and "
                "rule the status rejected",
                field="final_url",
            )
        audit = self.files.audits[track].get(one_id, {})
        held_true = in_force(row, audit, label)
        stock = {name: held_true[name] for name in ("availability", "condition")}
        rules.check_settled(label, {**row, **stock})

    def _text(self, document: Document) -> str:
        path = self.files.folder / document.name
        if not path.exists():
            return ""
        return path.read_text(encoding="utf-8", errors="replace")

    @staticmethod
    def _require_version(
        document: Document,
        request: Mapping[str, Any],
        standing: Mapping[str, Any] | None,
    ) -> None:
        if request.get("version") != document.version:
            raise Refused(
                f"{document.name} is at version {document.version}, the ruling was "
                f"made on {request.get('version')}: look at what was saved meanwhile",
                status=409,
                version=document.version,
                label=standing,
            )


def _author(
    request: Mapping[str, Any],
    record: Mapping[str, Any] | None,
    before: Mapping[str, Any] | None,
) -> str:
    """Return who saves: who takes a record back may not be who made it."""
    said = request.get("reviewer")
    if record is None and isinstance(said, str) and said.strip():
        return said.strip()[:100]
    return str((record or before or {})["reviewer"])
