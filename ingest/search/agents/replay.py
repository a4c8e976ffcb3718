"""Answers that a raw file holds already, read again; nothing is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ingest.errors import LoadError
from ingest.parsed_file import RowError
from ingest.search.agents.adapter import (
    ANSWERED,
    REFUSED,
    TRUNCATED,
    Attempt,
    Envelope,
    Image,
    ProviderAnswer,
    Request,
    Task,
    Usage,
    Wire,
)
from ingest.search.agents.seats import Seat
from ingest.search.agents.shapes import addresses, count, objects, part, text
from ingest.search.artifact import kind_of, read_artifact
from ingest.search.records import cost_of, time_of

_STOPS = {"refused": REFUSED, "truncated": TRUNCATED}
_PATH = "replay:"


@dataclass(frozen=True, slots=True)
class Replay:
    """The entries of a raw file; one that was lost on the way stays lost."""

    seat: Seat
    entries: Mapping[str, Any]

    def build(
        self, task: Task, track: str, prompt: str, image: Image | None
    ) -> Request:
        """Return which entry is wanted."""
        task_id = str(task.get("task_id"))
        return Request("READ", f"{_PATH}{task_id}", {"task_id": task_id}, {})

    async def send(self, request: Request, wire: Wire) -> Envelope:
        """Return the entry; nothing is sent."""
        entry = self.entries.get(str((request.body or {}).get("task_id")))
        tries = objects(entry, "attempts")
        attempts = tuple(_attempt(one, wire.now()) for one in tries)
        if entry is None or part(entry, "status") == "transport_error":
            lost = Attempt(wire.now(), wire.now(), None, "not_in_file")
            return Envelope(None, attempts or (lost,), 0.0)
        seconds = part(entry, "latency_s")
        kept = seconds if isinstance(seconds, int | float) else 0.0
        answered = Attempt(wire.now(), wire.now(), None)
        return Envelope(entry, attempts or (answered,), float(kept))

    def parse(self, body: Any) -> ProviderAnswer:
        """Return what the entry says."""
        cited = part(body, "citations")
        led = part(body, "redirects")
        try:
            cost = cost_of(part(body, "usage") or {}, "cost_usd")
        except RowError:
            cost = None
        return ProviderAnswer(
            text=text(body, "answer_text"),
            stop=_STOPS.get(text(body, "status"), ANSWERED),
            citations=addresses(cited if isinstance(cited, list) else []),
            usage=Usage(
                count(body, "usage", "input_tokens"),
                count(body, "usage", "output_tokens"),
                count(body, "usage", "searches"),
                cost,
            ),
            model=text(body, "resolved_model") or None,
            redirects=led if isinstance(led, dict) else None,
        )

    def proceed(self, request: Request, bodies: Sequence[Any]) -> Request:
        """Return the request again: nothing here pauses."""
        return request


def load_replay(seat: Seat) -> Replay:
    """Return the adapter of the file that a seat names.

    Parameters
    ----------
    seat
        With the option ``file``, a ``raw_<agent>_<track>.json``.

    Returns
    -------
    Replay

    Raises
    ------
    LoadError
        Where it is none or cannot be read.
    """
    path = Path(str(seat.options.get("file") or ""))
    kind = kind_of(path.name)
    if kind is None or kind.kind != "raw":
        raise LoadError(
            f"seat {seat.agent}: give the option `file` as a raw_<agent>_<track>.json"
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LoadError(f"{path} cannot be read ({error.strerror})") from error
    return Replay(seat, read_artifact(str(path), data, kind).body["entries"])


def _attempt(one: Mapping[str, Any], now: datetime) -> Attempt:
    def at(name: str) -> datetime:
        try:
            return time_of(one, name).replace(tzinfo=UTC)
        except RowError:
            return now

    wanted = part(one, "retry_after_s")
    return Attempt(
        at("started_at"),
        at("ended_at"),
        count(one, "http_status"),
        text(one, "error") or None,
        text(one, "detail") or None,
        float(wanted) if isinstance(wanted, int | float) else None,
        part(one, "maybe_billed") is True,
    )
