"""The example run of search with scripted judges and pages, for phases to work on."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from ingest.calls import Answer, Question, Settings
from ingest.search.address import canonical
from ingest.search.capture import Capture
from ingest.search.judges.ask_panel import Panel
from ingest.search.judges.seats import Seat
from ingest.search.pages.pack import Pack
from ingest.search.pages.page import ProductPage

NOW = datetime(2026, 11, 2, 17, 0, tzinfo=UTC)
SEATS = (
    Seat("a", "North", "simulated/judge-north"),
    Seat("b", "South", "simulated/judge-south"),
    Seat("c", "West", "simulated/judge-west"),
)


def clock() -> datetime:
    return NOW


def cents(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


class Shops:
    """Pages of the example run as a stranger would find them, each look counted.

    What a page says is what the stored audit of it has; a page without a snapshot is
    behind a wall.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.looks: list[str] = []
        self.pages: dict[str, Capture] = {}
        for track in ("exact", "equiv"):
            found = json.loads(files[f"candidates_{track}.json"])["candidates"]
            audits = json.loads(files[f"audit_{track}.json"])["audits"]
            for one_id, record in found.items():
                self.pages[record["url_canonical"]] = _capture(
                    files, record, audits[one_id]
                )

    async def look(self, url: str) -> Capture:
        self.looks.append(canonical(url))
        return self.pages[canonical(url)]


def _capture(
    files: Mapping[str, bytes], record: Mapping[str, Any], audit: Mapping[str, Any]
) -> Capture:
    url = record["url_canonical"]
    steps = {step["kind"]: step for step in audit["checks"]}
    evidence = steps["link"]["evidence"]
    if evidence is None:
        return Capture(ProductPage(url, url, audit["http_status"], "blocked"))
    pack = audit["pack_count"]
    from_page = audit["shipping_source"] == "page"
    page = ProductPage(
        url=url,
        final_url=audit["final_url"],
        http_status=200,
        state="ok",
        title=record["title"],
        price=cents(audit["price"]),
        currency=audit["currency"],
        availability=audit["availability"],
        condition=audit["condition"],
        pack=Pack(count=pack or 1, ambiguous=pack is None),
        shipping=cents(audit["shipping"]) if from_page else None,
        source="json-ld",
    )
    return Capture(
        page,
        snapshot=gzip.decompress(files[f"evidence/{evidence}.html.gz"]),
        image=files.get(f"images/{record['image_sha256']}.jpg"),
        # the shops of the example sell what is on their pages themselves
        seller=_shop(url),
    )


def _shop(url: str) -> str:
    return url.split("/")[2].split(".")[0]


class Judge:
    """A scripted judge: what it is asked is kept, what it says a function decides."""

    def __init__(self, seat: Seat, says: Callable[[Seat, Question, int], Any]) -> None:
        self.seat, self.says = seat, says
        self.asked: list[Question] = []

    @property
    def settings(self) -> Settings:
        return self.seat.settings()

    async def ask(self, question: Question) -> Answer:
        number = sum(one == question for one in self.asked)
        self.asked.append(question)
        said = self.says(self.seat, question, number)
        if isinstance(said, Exception):
            raise said
        if said is None:
            return Answer(None, error="connection reset")
        return Answer(
            said, prompt_tokens=700, completion_tokens=30, cost_usd=0.0021,
            cost_source="endpoint",
        )  # fmt: skip


def votes_for(says: Callable[[Seat, Question, int], Any], **more: Any) -> Panel:
    """Return a panel of three whose seats a function speaks for."""
    return Panel(SEATS, {one.slot: Judge(one, says) for one in SEATS}, "7", **more)


def said(verdict: str) -> str:
    return json.dumps({"verdict": verdict, "reason": "by script"})


def stable(*parts: str) -> str:
    """Return a verdict that only depends on what is judged, and by whom."""
    digest = hashlib.sha256("|".join(parts).encode()).digest()
    return "valid" if digest[0] % 3 else "invalid"
