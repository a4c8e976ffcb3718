"""The state of a review, as the page is given it; no agent's name is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ingest.search.pages.stock import AVAILABILITIES
from pricebench.review import sample
from pricebench.review.criteria import (
    CONDITIONS,
    CRITERIA,
    reason_codes,
)
from pricebench.review.documents import Document
from pricebench.review.queue import Cost, Offer, work_on
from pricebench.review.run_files import RunFiles
from pricebench.search_summary import places_of

Row = Mapping[str, Any]
Rows = Mapping[str, Row]

SCHEMA = "search-bench/review_state/1"
_PLACES = 4
_MONEY = ("price", "shipping", "fees")
_SCENARIOS = {"": "cost_num", "prime_": "prime_cost_num"}
_IN_FORCE = {
    **{"price": "price_usd", "shipping": "shipping_usd", "fees": "fees_usd"},
    **{"pack_count": "pack_count", "currency": "currency"},
}
_AUDITED = (
    *("price", "currency", "shipping", "fees", "pack_count", "availability"),
    *("condition", "final_url", "status", "reason", "claimed_price", "price_mismatch"),
)
_CHECKED = ("kind", "method", "outcome", "value", "at", "detail")


def review_state(
    files: RunFiles,
    track: str,
    tasks: Rows,
    candidates: Rows,
    documents: Mapping[str, Document],
    chances: Mapping[str, float],
    *,
    is_references: bool,
    is_second: bool,
) -> dict[str, Any]:
    """Return everything that the page of a track shows.

    Parameters
    ----------
    files
        The artifacts.
    track
        Which page.
    tasks, candidates
        Products, and candidates of the track, as worked out after rulings.
    documents
        Label files: those of tracks, and ``refs``.
    chances
        Candidate -> chance with which it was drawn for the random sample.
    is_references
        References alone are reviewed, before agents are asked.
    is_second
        A second reviewer rules, who sees nothing of the first one's.

    Returns
    -------
    dict
        What JSON can hold.
    """
    labels, refs = documents[track], documents["refs"]
    offers = [offer_of(row, tasks[row["task_id"]]) for row in candidates.values()]
    work = work_on(offers, list(tasks))
    shown = {
        one: _candidate(files, track, one, candidates[one], tasks, labels, chances)
        for one in (*work.queue, *work.optional, *work.settled)
    }
    return {
        "schema": SCHEMA,
        "mode": "server",
        "run_id": files.run_id,
        "track": track,
        "tracks": list(files.tracks or CRITERIA),
        "phase": "references" if is_references else "candidates",
        "is_second": is_second,
        "protocol": str(files.header["protocol"].get("version", "")),
        "criteria": CRITERIA[track],
        "reason_codes": reason_codes(),
        "version": labels.version,
        "refs_version": refs.version,
        "queue": list(work.queue),
        "optional": list(work.optional),
        "settled": list(work.settled),
        "retry": _to_retry(offers, work.queue, work.settled),
        "sample": sample.waiting(chances, labels.records),
        "open_references": [one for one, row in tasks.items() if open_points(row)],
        "tasks": {one: _task(files, one, row, refs) for one, row in tasks.items()},
        "candidates": shown,
        "choices": {
            "availability": list(AVAILABILITIES),
            "condition": list(CONDITIONS),
        },
        **_both_tracks(files, track, documents),
    }


def _both_tracks(
    files: RunFiles, track: str, documents: Mapping[str, Document]
) -> dict[str, Any]:
    """Return the label files, and which candidates stand in the other track too."""
    others = [one for one in files.tracks if one != track]
    own = files.candidates.get(track, {})
    return {
        "shared": [one for one in own for x in others if one in files.candidates[x]],
        "artifacts": {
            "labels": _without_agents(documents[track]),
            "other": _without_agents(documents[others[0]]) if others else None,
            "refs": _without_agents(documents["refs"]),
        },
    }


def offer_of(row: Row, task: Row) -> Offer:
    """Return a candidate as the queue sees it.

    Parameters
    ----------
    row, task
        The candidate and its product, as worked out.

    Returns
    -------
    Offer
    """
    claim = row["claim"] or {"num": None, "den": None}
    return Offer(
        candidate_id=row["candidate_id"],
        task_id=row["task_id"],
        finders=frozenset(row["finders"] or ()),
        panel_verdict=row["panel_verdict"],
        validity=row["validity"],
        status=row["status"],
        ruled_validity=row["ruled_validity"],
        ruled_status=row["ruled_status"],
        costs=tuple(_cost(row[num], row["cost_den"]) for num in _SCENARIOS.values()),
        references=tuple(
            _cost(task[num], task["cost_den"]) for num in _SCENARIOS.values()
        ),
        claimed=_cost(claim["num"], claim["den"]),
        is_void=task["is_void"],
    )


def open_points(task: Row) -> list[str]:
    """Return what has to be settled about a reference before agents are asked.

    Parameters
    ----------
    task
        A product, as worked out.

    Returns
    -------
    list of str
        Empty for a void product.
    """
    if task["is_void"]:
        return []
    found = [] if task["shipping_usd"] is not None else ["shipping unknown"]
    if task["pack_is_ambiguous"] and not task["is_pack_settled"]:
        found.append("pack ambiguous")
    if task["price_usd"] is None or task["price_usd"] <= 0:
        found.append("price unknown")
    return found


def in_force(row: Row, audit: Row, label: Row | None) -> dict[str, Any]:
    """Return the values that hold for a candidate, a person's before the page's.

    Parameters
    ----------
    row
        As worked out: amounts, pack, currency and status come from it.
    audit
        What the page says.
    label
        What a person says.

    Returns
    -------
    dict
        The names of ``audited``.
    """
    fields = (label or {}).get("fields") or {}
    kept = {name: audit.get(name) for name in _AUDITED}
    for name in ("availability", "condition", "final_url"):
        if fields.get(name) is not None:
            kept[name] = fields[name]
    worked_out = {name: _plain(row[column]) for name, column in _IN_FORCE.items()}
    return {**kept, **worked_out, "status": row["status"]}


def _to_retry(
    offers: Iterable[Offer], queue: Iterable[str], settled: Iterable[str]
) -> list[str]:
    waiting = {
        one.candidate_id
        for one in offers
        if one.status == "temporarily_unverifiable"
        and (one.could_be_best(0) or one.could_be_best(1))
    }
    return [one for one in (*queue, *settled) if one in waiting]


def _task(files: RunFiles, task_id: str, row: Row, refs: Document) -> dict[str, Any]:
    record, label = files.tasks[task_id], refs.records.get(task_id)
    shipping, image = record["shipping"], record.get("image") or {}
    path = files.file_of(image.get("sha256"))
    corrected = (label or {}).get("fields") or {}
    source = shipping.get("source")
    is_settled = corrected.get("shipping") is not None
    cost = _cost(row["cost_num"], row["cost_den"])
    return {
        "position": row["position"],
        "category": row["category"],
        "reference": {
            "title": record["title"],
            "url": record["url"],
            "image": path,
            "image_missing": path is None,
            "recorded": {
                **{"price": record["price"], "shipping": shipping.get("amount")},
                "fees": shipping.get("fees"),
                "pack_count": record["pack"].get("count"),
                "is_fashion": record["is_fashion"],
                "shipping_source": source,
            },
            "in_force": {
                **{name: _plain(row[f"{name}_usd"]) for name in _MONEY},
                "pack_count": row["pack_count"],
                "is_fashion": row["is_fashion"],
                "shipping_source": "human" if is_settled else source,
            },
            "landed": _plain(row["landed_usd"]),
            "basis": row["basis"],
            "cost": _shown(cost),
            "open": open_points(row),
        },
        "label": label,
    }


def _candidate(
    files: RunFiles,
    track: str,
    one_id: str,
    row: Row,
    tasks: Rows,
    labels: Document,
    chances: Mapping[str, float],
) -> dict[str, Any]:
    record = files.candidates[track][one_id]
    audit = files.audits[track].get(one_id, {})
    grade = files.grades[track].get(one_id, {})
    label = labels.records.get(one_id)
    path = files.file_of(record.get("image_sha256"))
    return {
        "task_id": row["task_id"],
        "title": record.get("title"),
        "title_source": record.get("title_source"),
        "url": row["url_canonical"],
        "image": path,
        "image_missing": path is None,
        "audited": {name: audit.get(name) for name in _AUDITED},
        "in_force": in_force(row, audit, label),
        "evidence": [
            {
                **{name: check.get(name) for name in _CHECKED},
                "file": files.file_of(check.get("evidence")),
            }
            for check in audit.get("checks") or []
        ],
        "panel": {
            "verdict": row["panel_verdict"],
            **{name: row[name] for name in ("n_valid", "n_invalid", "n_missing")},
            "votes": [
                {"verdict": vote.get("verdict"), "reason": vote.get("reason")}
                for vote in grade.get("votes") or []
            ],
        },
        "comparison": _comparison(row, tasks[row["task_id"]]),
        "validity": row["validity"],
        "status": row["status"],
        "label": label,
        "sampled": one_id in chances,
        "inclusion_probability": chances.get(one_id),
    }


def _without_agents(document: Document) -> dict[str, Any]:
    inputs = {
        name: sha256
        for name, sha256 in document.body["inputs"].items()
        if not name.startswith("raw_")
    }
    return {**document.body, "inputs": inputs}


def _comparison(row: Row, task: Row) -> dict[str, str | None]:
    found: dict[str, str | None] = {"basis": task["basis"]}
    for name, num in _SCENARIOS.items():
        shown = _compared(task[num], task["cost_den"], row[num], row["cost_den"])
        for part, text in zip(("ref_cost", "cost", "saving"), shown, strict=True):
            found[f"{name}{part}"] = text
    return found


# a save changes one candidate of thousands
@lru_cache(1 << 17)
def _compared(
    ref_num: int | None, ref_den: int | None, num: int | None, den: int | None
) -> tuple[str | None, ...]:
    reference, cost = _cost(ref_num, ref_den), _cost(num, den)
    saving = None if reference is None or cost is None else reference - cost
    return tuple(map(_shown, (reference, cost, saving)))


@lru_cache(1 << 17)
def _cost(num: int | None, den: int | None) -> Cost:
    """Return cents over units in dollars."""
    return None if num is None or den is None else Fraction(num, den * 100)


def _shown(cost: Cost) -> str | None:
    return None if cost is None else places_of(cost, _PLACES)


def _plain(value: Any) -> Any:
    """Return an amount as artifacts hold it, a text; anything else as it is."""
    return value if value is None or isinstance(value, (int, str)) else str(value)
