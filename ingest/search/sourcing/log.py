"""What sourcing has found so far: the log of a run, and what is written from it.

The log is the truth: a cell is done with the rename that puts its record there, and
the states of the cells and the products follow from it, also after a kill in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ingest.errors import LoadError
from ingest.search.artifact import Artifact, FileKind, read_artifact
from ingest.search.grid.cells import CELLS_FILE, PLANNED, grid_text
from ingest.search.grid.files import StoredGrid, read_grid
from ingest.search.run_folder import TASKS_FILE
from ingest.search.sourcing.brands import normal_brand
from ingest.search.sourcing.ranked_list import Item
from ingest.search.sourcing.visit import Seated
from ingest.search.write_artifact import (
    artifact_text,
    text_sha256,
    time_text,
)
from ingest.whole_file import write_whole

LOG_FILE = "sourcing_log.json"
FILLED, UNFILLED = "filled", "unfilled"
Event = dict[str, Any]


@dataclass(slots=True)
class Bank:
    """A bank that is being filled.

    Attributes
    ----------
    folder
        The run folder.
    stored
        Its grid.
    second_pass
        Whether exhausted lists are walked again; the same for every cell.
    records
        Cell -> its record in the log; ``task`` holds the product as it was frozen.
    tasks
        Cell -> its product as it stands, later corrections included.
    log, products
        The artifacts on the disk; None before the first.
    """

    folder: Path
    stored: StoredGrid
    second_pass: bool
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    log: Artifact | None = None
    products: Artifact | None = None

    def record(self, cell_id: str) -> dict[str, Any]:
        """Return the record of a cell, begun where it has none."""
        begun: dict[str, Any] = {
            **{"cell_id": cell_id, "events": [], "selected": None},
            "status": PLANNED,
        }
        return self.records.setdefault(cell_id, begun)

    def status(self, cell_id: str) -> str:
        """Return how far a cell is."""
        held = self.records.get(cell_id)
        return PLANNED if held is None else str(held["status"])

    def seated(self, aliases: Mapping[str, str]) -> Seated:
        """Return the addresses and brands that are taken."""
        brands: dict[str, frozenset[str]] = {}
        for task in self._frozen():
            if task["brand"] is not None:
                name = normal_brand(task["brand"], aliases)
                brands[name] = brands.get(name, frozenset()) | {task["retailer"]}
        urls = frozenset(task["url_canonical"] for task in self._frozen())
        return Seated(urls, brands)

    def used_domains(self) -> list[str]:
        """Return the sites of the long-tail cells that are filled."""
        return [
            site
            for one in self.records.values()
            if one["status"] == FILLED and (site := chosen_site(one)) is not None
        ]

    def found_list(self, url: str) -> tuple[Event, tuple[Item, ...], str] | None:
        """Return a list that was got before, so that a run walks one list only.

        Parameters
        ----------
        url
            Its address.

        Returns
        -------
        tuple or None
            The event of its fetch, its items, and the cell that it was got for.
        """
        for cell_id, one in self.records.items():
            fetched: Event | None = None
            for event in one["events"]:
                if event["type"] == "list_fetch":
                    fetched = event
                elif event["type"] == "walk" and fetched and fetched["url"] == url:
                    items = (
                        Item(row["rank"], row["url"], row["title"])
                        for row in event["items"]
                    )
                    return fetched, tuple(items), cell_id
        return None

    def save(self, at: datetime, inputs: Mapping[str, str], tool_version: str) -> None:
        """Put the log on the disk, and what follows from it.

        Parameters
        ----------
        at
            When, UTC.
        inputs
            Tables that were read -> hash.
        tool_version
            For the headers.

        Raises
        ------
        LoadError
            Where one cannot be written.
        """
        cells = self._cells_text(at, tool_version)
        order = {one.cell_id: one.position for one in self.stored.grid.cells}
        body = {
            "records": sorted(
                self.records.values(), key=lambda one: order[one["cell_id"]]
            ),
            "second_pass": self.second_pass,
        }
        text = self._artifact(
            "sourcing_log",
            body,
            at,
            tool_version,
            {CELLS_FILE: text_sha256(cells), **inputs},
            self.log,
        )
        self._write(LOG_FILE, text)
        self.log = _parsed(LOG_FILE, text.encode(), "sourcing_log")
        self._write(CELLS_FILE, cells)
        self._save_tasks(at, tool_version)

    def restore(self) -> None:
        """Write what a kill kept from following the log."""
        if self.log is None:
            return
        at, version = self.log.updated_at, self.log.tool_version
        if self.stored.states != self._states():
            self._write(CELLS_FILE, self._cells_text(at, version))
        made_from = None if self.products is None else self.products.inputs
        stale = made_from is None or made_from.get(LOG_FILE) != self.log.sha256
        if stale and any(True for _ in self._frozen()):
            self._save_tasks(at, version)

    def _save_tasks(self, at: datetime, tool_version: str) -> None:
        frozen = list(self._frozen())
        if not frozen or self.log is None:
            return
        for task in frozen:
            self.tasks.setdefault(task["cell_id"], task)
        kept = {} if self.products is None else self.products.inputs
        cells = (self.folder / CELLS_FILE).read_text(encoding="utf-8")
        made_from = {CELLS_FILE: text_sha256(cells), LOG_FILE: self.log.sha256}
        ordered = sorted(self.tasks.values(), key=lambda one: one["position"])
        text = self._artifact(
            "tasks",
            {"tasks": ordered},
            at,
            tool_version,
            {**kept, **made_from},
            self.products,
        )
        self._write(TASKS_FILE, text)
        self.products = _parsed(TASKS_FILE, text.encode(), "tasks")

    def _frozen(self) -> Iterable[dict[str, Any]]:
        return (one["task"] for one in self.records.values() if "task" in one)

    def _states(self) -> dict[str, str]:
        return {
            cell_id: one["status"]
            for cell_id, one in self.records.items()
            if one["status"] != PLANNED
        }

    def _cells_text(self, at: datetime, tool_version: str) -> str:
        made = self.stored.artifact
        return grid_text(
            self.stored.grid,
            self._states(),
            run_id=made.run_id,
            created=made.created_at,
            updated=at,
            tool_version=tool_version,
            source=made.source,
        )

    def _artifact(
        self,
        kind: str,
        body: Mapping[str, Any],
        at: datetime,
        tool_version: str,
        inputs: Mapping[str, str],
        before: Artifact | None,
    ) -> str:
        return artifact_text(
            kind,
            body,
            run_id=self.stored.artifact.run_id,
            created_at=time_text(at if before is None else before.created_at),
            at=at,
            inputs=inputs,
            tool_version=tool_version,
            source=self.stored.artifact.source,
        )

    def _write(self, name: str, text: str) -> None:
        write_whole(self.folder / name, text.encode())


def open_bank(folder: Path, *, second_pass: bool) -> Bank:
    """Return a bank as far as it is filled, what a kill left undone put right.

    Parameters
    ----------
    folder
        A run folder with a grid.
    second_pass
        Whether exhausted lists are walked again.

    Returns
    -------
    Bank

    Raises
    ------
    LoadError
        Where an artifact cannot be read or the run was begun under another rule.
    """
    bank = Bank(folder, read_grid(folder), second_pass)
    bank.log = _read(folder, LOG_FILE, "sourcing_log")
    bank.products = _read(folder, TASKS_FILE, "tasks")
    if bank.log is not None:
        begun = bank.log.body.get("second_pass", False)
        if begun != second_pass:
            raise LoadError(
                f"{folder} was begun {'with' if begun else 'without'} a second pass, "
                "which later cells depend on: go on so, or begin another run"
            )
        bank.records = {one["cell_id"]: one for one in bank.log.body["records"]}
    if bank.products is not None:
        tasks = bank.products.body["tasks"]
        bank.tasks = {one["cell_id"]: one for one in tasks}
    bank.restore()
    return bank


def chosen_site(record: Mapping[str, Any]) -> str | None:
    """Return the long-tail site of a record, by its last walk; None for none."""
    for event in reversed(record["events"]):
        if event["type"] == "site_walk":
            for one in event["candidates"]:
                if one["outcome"] == "selected":
                    return str(one["domain"])
            return None
    return None


def _read(folder: Path, name: str, kind: str) -> Artifact | None:
    path = folder / name
    return _parsed(name, path.read_bytes(), kind) if path.is_file() else None


def _parsed(name: str, data: bytes, kind: str) -> Artifact:
    return read_artifact(name, data, FileKind(kind))
