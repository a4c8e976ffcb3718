"""The entry of a raw artifact from the records of a journal (search.md 1.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ingest.journal import Record
from ingest.search.agents.adapter import (
    ANSWERED,
    PAUSED,
    REFUSED,
    Adapter,
    ProviderAnswer,
    joined,
)
from ingest.search.agents.listings import Listings, read_listings, redirectors

# what a record of the journal is
TURN, REDIRECTS, FORCED, BATCH, BATCH_OVER, PROBE = (
    *("turn", "redirects", "forced", "batch", "batch_over", "probe"),
)
MAX_CONTINUATIONS = 10
LOST = "transport_error"


@dataclass(slots=True)
class History:
    """What was done for one product.

    Attributes
    ----------
    turns
        Records of its requests in order, since it was last asked anew.
    redirects
        Redirecting address -> where it led; None until they were looked up.
    forced_at
        When it was asked anew.
    """

    turns: list[Record] = field(default_factory=list)
    redirects: dict[str, str | None] | None = None
    forced_at: list[str] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """Take one more record of the product."""
        kind = record.get("kind")
        if kind == TURN:
            self.turns.append(record)
        elif kind == REDIRECTS:
            self.redirects = {**(self.redirects or {}), **record["addresses"]}
        elif kind == FORCED:
            self.turns, self.redirects = [], None
            self.forced_at.append(record["asked_at"])

    def bodies(self) -> list[Any]:
        """Return the replies of the invocation that is going on or has ended.

        One in which the provider says that it failed is none: it is asked again.
        """
        answered = [one for one in self.turns if one["body"] is not None]
        return [one["body"] for one in answered if not one["failed"]]


def histories(records: Iterable[Record]) -> dict[str, History]:
    """Return what a journal holds by product.

    Parameters
    ----------
    records
        In the order in which they were written.

    Returns
    -------
    dict
        Product -> its history; records of batches are no product's.
    """
    found: dict[str, History] = {}
    for record in records:
        task_id = record.get("task_id")
        if isinstance(task_id, str):
            found.setdefault(task_id, History()).add(record)
    return found


def is_paused(adapter: Adapter, bodies: Sequence[Any]) -> bool:
    """Return whether an invocation has to be continued, and may be."""
    return bool(bodies) and _goes_on(len(bodies), adapter.parse(bodies[-1]))


def open_redirects(history: History, adapter: Adapter) -> tuple[str, ...]:
    """Return the redirecting addresses of an answer that were not looked up yet."""
    answer = _answer(history, adapter)
    if answer is None:
        return ()
    known = {**(answer.redirects or {}), **(history.redirects or {})}
    found = redirectors(answer.text, answer.citations)
    return tuple(one for one in found if one not in known)


def is_done(history: History, adapter: Adapter) -> bool:
    """Return whether a product has its answer, whatever it says, and all it names."""
    return _answer(history, adapter) is not None and not open_redirects(
        history, adapter
    )


def _answer(history: History, adapter: Adapter) -> ProviderAnswer | None:
    """Return the whole answer; None where there is none, or only the start of one."""
    answers = [adapter.parse(body) for body in history.bodies()]
    if not answers or _goes_on(len(answers), answers[-1]):
        return None
    return joined(answers)


def _goes_on(turns: int, last: ProviderAnswer) -> bool:
    return turns <= MAX_CONTINUATIONS and last.stop == PAUSED


def entry(history: History, adapter: Adapter, start: str) -> dict[str, Any]:
    """Return the entry of a product.

    Parameters
    ----------
    history
        At least one turn.
    adapter
        Reads the replies.
    start
        What the ids of its listings start with: agent, track and task.

    Returns
    -------
    dict
        As in a raw artifact.
    """
    bodies = history.bodies()
    answer = _answer(history, adapter)
    redirects = {**((answer and answer.redirects) or {}), **(history.redirects or {})}
    status, listings = _read(answer, start, redirects)
    first, last = history.turns[0], history.turns[-1]
    batch = next((turn["batch"] for turn in history.turns if turn.get("batch")), None)
    attempts = [one for turn in history.turns for one in turn["attempts"]]
    found = {
        "status": status,
        "attempts": [{"n": n, **one} for n, one in enumerate(attempts, start=1)],
        "continuations": max(0, len(bodies) - 1),
        "request": {
            "sha256": first["request_sha256"],
            "image_sha256": first["image_sha256"],
        },
        "response": _response(bodies, last),
        "answer_text": (answer.text or None) if answer else None,
        "resolved_model": answer.model if answer else None,
        "listings": list(listings.kept),
        "listings_dropped": listings.dropped,
        "listings_duplicate": listings.duplicates,
        "listings_refused": list(listings.refused),
        "citations": [redirects.get(one) or one for one in answer.citations]
        if answer
        else [],
        "redirects": redirects,
        "usage": _usage(answer, history.turns),
        "latency_s": _latency(history.turns, batch) if answer else None,
        "latency_comparable": batch is None,
        "batch": batch or {"batch_id": None, "custom_id": None},
    }
    if history.forced_at:
        found["forced_at"] = list(history.forced_at)
    return found


def _read(
    answer: ProviderAnswer | None, start: str, redirects: Mapping[str, str | None]
) -> tuple[str, Listings]:
    """Return the status of an entry and its listings; only ``ok`` has some."""
    none = Listings(())
    if answer is None:
        return LOST, none
    if answer.stop == REFUSED:
        return "refused", none
    if answer.stop != ANSWERED:
        # cut off, or still pausing after all its continuations
        return "truncated", none
    listings = read_listings(answer.text, start, redirects=redirects)
    if listings is None:
        return "unparsable", none
    if listings.kept:
        return "ok", listings
    # a list of which no address can be used is no empty one
    return ("unparsable" if listings.refused else "empty"), listings


def _response(bodies: Sequence[Any], last: Record) -> Any:
    if len(bodies) > 1:
        return {"turns": list(bodies)}
    return bodies[0] if bodies else last["body"]


def _usage(answer: ProviderAnswer | None, turns: Sequence[Record]) -> dict[str, Any]:
    usage = answer.usage if answer else None
    costs = [turn for turn in turns if turn["cost_usd"] is not None]
    answered = [turn for turn in turns if turn["body"] is not None]
    unknown = any(t["cost_usd"] is None and not t["failed"] for t in answered)
    total = sum((Decimal(turn["cost_usd"]) for turn in costs), Decimal(0))
    is_known = bool(costs) and not unknown
    return {
        "input_tokens": usage.input_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
        "searches": usage.searches if usage else None,
        "cost_usd": f"{total:.6f}" if is_known else None,
        "cost_source": costs[-1]["cost_source"] if is_known else None,
    }


def _latency(turns: Sequence[Record], batch: Any) -> float | None:
    """Return the seconds of the requests that brought replies; none of a batch's."""
    if batch is not None:
        return None
    return float(
        round(sum(one["latency_s"] for one in turns if one["body"] is not None), 3)
    )
