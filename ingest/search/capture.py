"""Pages as a phase takes them: read once, kept as evidence, and never read twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from ingest.errors import LoadError
from ingest.journal import Journal
from ingest.search.judges.prompt import plain
from ingest.search.pages.page import ProductPage
from ingest.search.run_store import RunStore
from ingest.search.write_artifact import time_text

Record = Mapping[str, Any]
Clock = Callable[[], datetime]
Say = Callable[[str], None]
Item = TypeVar("Item")

CONCURRENCY = 8


@dataclass(frozen=True, slots=True)
class Capture:
    """One look at a page.

    Attributes
    ----------
    page
        What it says.
    snapshot
        As it came, for the evidence; empty where nothing did.
    image
        The product's picture as a JPEG made by the rules of search.md 4.7; None where
        there is none, or one too small to count.
    seller
        Whom a buyer buys from on this page, where it says so.
    method
        ``api`` where a service read the page; None: it was read here.
    error
        Why no answer came.
    """

    page: ProductPage
    snapshot: bytes = b""
    image: bytes | None = None
    seller: str | None = None
    method: str | None = None
    error: str | None = None


Look = Callable[[str], Awaitable[Capture]]
# a service that is asked first: None where it cannot read the page
FirstLook = Callable[[str], Awaitable[Capture | None]]


def seen_record(store: RunStore, capture: Capture, at: datetime) -> dict[str, Any]:
    """Keep a page's snapshot and picture, and return what is remembered of it.

    Parameters
    ----------
    store
        The run.
    capture
        The look.
    at
        When, UTC.

    Returns
    -------
    dict
        The part ``page`` of a candidate.
    """
    page = capture.page
    return {
        "at": time_text(at),
        "state": page.state,
        "http_status": page.http_status,
        "final_url": page.final_url,
        "title": plain(page.title),
        "image_sha256": store.put_image(capture.image) if capture.image else None,
        "evidence": store.put_page(capture.snapshot) if capture.snapshot else None,
        "error": capture.error,
    }


async def work_off(
    items: Sequence[Item],
    work: Callable[[Item], Awaitable[Record]],
    journal: Journal,
    *,
    concurrency: int = CONCURRENCY,
    say: Say = lambda _: None,
    what: str = "pages",
) -> None:
    """Do a piece of work for each item and write its record the moment it is done.

    Parameters
    ----------
    items
        In the order in which they are begun.
    work
        Item to record.
    journal
        Open; a kill loses at most the items in flight.
    concurrency
        Items in flight, 1 or more.
    say, what
        Told how far the work is, at every tenth item and at the end.

    Raises
    ------
    LoadError
        The first that a piece of work or the journal raised; the others are cancelled.
    """
    rest, done = iter(items), 0

    async def worker() -> None:
        nonlocal done
        for item in rest:
            await journal.add(await work(item))
            done += 1
            if done % 10 == 0 or done == len(items):
                say(f"{done:,} of {len(items):,} {what}")

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(items))):
                group.create_task(worker())
    except* LoadError as failures:
        raise failures.exceptions[0] from None


def remembered(records: Iterable[tuple[int, Record]], key: str) -> dict[str, Record]:
    """Return the last record of each item of a journal by its id."""
    return {str(record[key]): record for _, record in records if key in record}
