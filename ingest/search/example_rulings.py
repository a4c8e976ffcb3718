"""What a person settles on the made-up market: rulings and corrected references."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from ingest.search.example_pages import Page
from ingest.search.example_panel import REVIEWER, is_valid, ruling
from ingest.search.market import CORRECTED, VOID
from ingest.search.write_artifact import time_text

SAMPLED_SHARE = 0.2
_REASONS = {
    "other_colour": "R04_COLOR_FASHION",
    "other_size": "R03_SIZE_DIFFERS",
    "accessory": "R05_ACCESSORY_OR_PART",
    "same": "R11_SAME_PRODUCT",
    "equivalent": "R12_EQUIVALENT",
}
# what a person read on pages that a machine could not settle, by shop or pack
_WALLED = {
    **{"price": "24.00", "shipping": "0.00", "currency": "USD", "pack_count": 1},
    **{"availability": "in_stock", "condition": "new"},
}
_OPEN_PACK = {"pack_count": 2}


def label_bodies(
    found: Mapping[str, Sequence[Page]],
    references: Mapping[str, Page],
    files: Mapping[str, str],
    random: Random,
    at: datetime,
) -> dict[str, dict[str, Any]]:
    """Return the label artifacts of both tracks.

    Parameters
    ----------
    found
        Track -> pages that agents found, in order of candidate.
    references
        Product -> its reference page, which is never ruled on.
    files
        Artifacts so far; the grades are read from them.
    random
        Draws the pages that are reviewed to learn how good the panel is.
    at
        When the review began, UTC.

    Returns
    -------
    dict
        Track -> body. Every product whose panel found no majority is ruled on but one;
        every panel error that was seen is overturned; fields and status stand in both
        tracks, validity in its own.
    """
    labels: dict[str, dict[str, Any]] = {track: {} for track in found}
    waiting = 1
    for track, pages in found.items():
        grades = json.loads(files[f"grades_{track}.json"])["grades"]
        for number, page in enumerate(pages):
            one_id = page.candidate_id
            if page is references[page.task_id]:
                continue
            verdict = grades[one_id]["verdict"]
            luck, second = random.random(), random.random()
            time = at + timedelta(minutes=number)
            wanted = "valid" if is_valid(page, track) else "invalid"
            if verdict == "no_majority" and page.offer.votes == "V--" and waiting:
                waiting -= 1  # left for another day
                continue
            sampled = SAMPLED_SHARE if luck < SAMPLED_SHARE else None
            fields = _settled(page)
            if sampled or fields or verdict in ("no_majority", _opposite(wanted)):
                labels[track][one_id] = ruling(
                    None if verdict == "no_majority" else verdict,
                    time,
                    validity=wanted,
                    status="verified" if fields else None,
                    reason_code=_REASONS[page.offer.relation],
                    fields=fields,
                    sampled=sampled,
                    blind=_second(wanted, second) if sampled else None,
                )
    return {track: _body(own, at) for track, own in labels.items()}


def _opposite(validity: str) -> str:
    return {"valid": "invalid", "invalid": "valid"}[validity]


def _second(validity: str, luck: float) -> str:
    """Return what a second reviewer says, who mostly agrees."""
    return validity if luck < 0.8 else _opposite(validity)


def _settled(page: Page) -> Mapping[str, Any] | None:
    if page.offer.shop.is_walled:
        return _WALLED
    return _OPEN_PACK if page.offer.pack is None else None


def _body(labels: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    history: list[dict[str, Any]] = [
        {
            **{"candidate_id": one_id, "at": record["at"], "reviewer": REVIEWER},
            **{"before": None, "after": record},
        }
        for one_id, record in labels.items()
    ]
    if history:
        # the first ruling was mistyped at first
        right = history[0]["after"]
        wrong = {**right, "note": "mistyped"}
        history[0] = {**history[0], "after": wrong, "at": time_text(at)}
        history.append({**history[0], "before": wrong, "after": right})
        history[-1]["at"] = time_text(at + timedelta(hours=5))
    return {"version": len(history), "labels": labels, "history": history}


def ref_body(references: Mapping[str, Page], at: datetime) -> dict[str, Any]:
    """Return the corrections of references: one is void, one had another price."""
    fields = {"price": None, "shipping": None, "fees": None, "pack_count": None}
    refs: dict[str, dict[str, Any]] = {}
    for task_id, page in references.items():
        record: dict[str, Any] = {
            **{"fields": {**fields, "is_fashion": None}, "void": False},
            **{"void_reason": None, "note": None, "reviewer": REVIEWER},
            "at": time_text(at),
        }
        if page.product == VOID:
            refs[task_id] = {**record, "void": True, "void_reason": "page is gone"}
        elif page.product == CORRECTED:
            record["fields"]["price"] = "34.49"
            refs[task_id] = {**record, "note": "the price was read too high"}
    history = [
        {
            **{"task_id": task_id, "before": None, "after": record},
            **{"at": record["at"], "reviewer": REVIEWER},
        }
        for task_id, record in refs.items()
    ]
    return {"version": len(history), "refs": refs, "history": history}
