"""A whole run on the made-up market: every artifact that a run leaves behind."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from ingest.search.example_agents import AGENTS, answer
from ingest.search.example_grid import Cell, cell_record, cells, log_record
from ingest.search.example_pages import Page, pages_of
from ingest.search.example_panel import SEATS, audit, grade
from ingest.search.example_rulings import label_bodies, ref_body
from ingest.search.market import SHOPS, Shop
from ingest.search.schemas import TRACKS
from ingest.search.write_artifact import artifact_text, text_sha256, time_text
from ingest.sources import SIMULATED

DEFAULT_SEED = 7
TOOL_VERSION = SIMULATED
START = datetime(2026, 11, 2, 9, 0)
_PROMPTS = {track: text_sha256(f"made-up prompt, track {track}") for track in TRACKS}
_JUDGE_PROMPTS = {track: text_sha256(f"made-up judging, {track}") for track in TRACKS}
POLICY_COLUMNS = (
    *("row_id", "retailer", "domain", "seller_scope", "threshold", "below_fee"),
    *("at_or_above_fee", "min_order", "surcharge_pct", "zip_scope", "category_scope"),
    *("effective_from", "effective_to", "source_url", "checked_at", "checked_by"),
    "note",
)


@dataclass
class ExampleRun:
    """A run in the making.

    Attributes
    ----------
    seed
        Of every draw.
    cells
        In their shuffled order; the products are numbered in it.
    pages
        Product of the run -> its reference page and all others.
    files
        Artifact -> its text.
    listed
        Track -> page -> listings and claimed prices.
    """

    seed: int
    cells: list[Cell]
    pages: dict[str, tuple[Page, list[Page]]]
    files: dict[str, str] = field(default_factory=dict)
    listed: dict[str, dict[str, list[tuple[str, str]]]] = field(default_factory=dict)

    @property
    def run_id(self) -> str:
        """Return the run's id."""
        return f"example-{self.seed}"

    def page(self, url: str) -> Page:
        """Return a page by its address."""
        everything = (
            page for first, rest in self.pages.values() for page in (first, *rest)
        )
        return next(page for page in everything if page.url == url)

    def random(self, *parts: object) -> Random:
        """Return a source of luck of its own for each purpose."""
        return Random("|".join(map(str, (self.seed, *parts))))

    def write(
        self, name: str, kind: str, body: Mapping[str, Any], hours: float, *made_of: str
    ) -> None:
        """Add an artifact, written some hours after the start."""
        self.files[name] = artifact_text(
            kind,
            body,
            run_id=self.run_id,
            at=START + timedelta(hours=hours),
            inputs={one: text_sha256(self.files[one]) for one in made_of},
            tool_version=TOOL_VERSION,
            source=SIMULATED,
        )


def example_files(seed: int = DEFAULT_SEED) -> dict[str, bytes]:
    """Return every file of a run on the made-up market.

    Parameters
    ----------
    seed
        Of the order of products, of what agents find, claim and fail at, and of the
        errors of judges.

    Returns
    -------
    dict
        Name within the run folder -> content, in order of name. The same seed gives
        the same artifacts.
    """
    order = cells(str(seed))
    filled = [cell for cell in order if cell.product is not None]
    run = ExampleRun(
        seed,
        order,
        {
            task_id: pages_of(cell.number or 0, task_id, cell.product)
            for task_id, cell in zip(map(_task_id, range(1, 99)), filled, strict=False)
            if cell.product is not None
        },
    )
    _write_bank(run)
    for track in TRACKS:
        run.listed[track] = {}
        for agent in AGENTS:
            _write_answers(run, track, agent.slug)
        _write_candidates(run, track)
        _write_grades(run, track)
        _write_audit(run, track)
    _write_rulings(run)
    found = {name: text.encode() for name, text in run.files.items()}
    for first, rest in run.pages.values():
        for page in (first, *rest):
            found |= page.files()
    return dict(sorted(found.items()))


def _task_id(number: int) -> str:
    return f"t{number:03}"


def _write_bank(run: ExampleRun) -> None:
    counts: dict[str, dict[str, int]] = {"retailer": {}, "category": {}}
    for cell in run.cells:
        for key, value in (("retailer", cell.retailer), ("category", cell.category)):
            counts[key][value] = counts[key].get(value, 0) + 1
    grid = {"n": len(run.cells), "seed": str(run.seed), "grid_method": "interleaved"}
    records = [cell_record(cell) for cell in run.cells]
    run.write("cells.json", "cells", {**grid, "quotas": counts, "cells": records}, 0)
    references = {first.product: first for first, _ in run.pages.values()}
    log = [
        log_record(
            cell,
            None if cell.number is None else references[cell.number],
            START + timedelta(minutes=5 * cell.position),
        )
        for cell in run.cells
    ]
    run.write("sourcing_log.json", "sourcing_log", {"records": log}, 1, "cells.json")
    run.files["shipping_policy.csv"] = policy_text()
    filled = [cell for cell in run.cells if cell.number is not None]
    tasks = [
        _task(task_id, cell, first)
        for cell, (task_id, (first, _)) in zip(filled, run.pages.items(), strict=True)
    ]
    made_of = ("cells.json", "sourcing_log.json", "shipping_policy.csv")
    run.write("tasks.json", "tasks", {"tasks": tasks}, 2, *made_of)


def _task(task_id: str, cell: Cell, page: Page) -> dict[str, Any]:
    product = cell.product
    if product is None:
        raise ValueError(f"cell {cell.cell_id} is empty")
    frozen = time_text(START + timedelta(hours=1, minutes=cell.position))
    pack = page.offer.pack or 1
    word = page.title.removeprefix(f"{product.brand} ").split(",")[0].lower()
    return {
        "task_id": task_id,
        "label": f"{task_id}-{word.replace(' ', '-')}",
        **{"cell_id": cell.cell_id, "position": cell.position},
        **{"retailer": cell.retailer, "category": cell.category},
        **{"title": page.title, "brand": product.brand},
        **{"url": f"{page.url}?ref=list", "url_canonical": page.url},
        "image": {
            **{"sha256": page.image_sha256, "width": 64, "height": 64},
            "source_url": f"{page.url}.jpg",
        },
        **{"price": page.offer.price, "currency": "USD", "list_price": None},
        "pack": {
            **{"count": pack, "unit_size": product.unit[0], "unit": product.unit[1]},
            **{"contents": None, "ambiguous": False, "source": "parser"},
            "evidence": f"title: '{page.title}'",
        },
        "is_fashion": cell.category == "apparel",
        **{"condition": "new", "availability": "in_stock"},
        **{"gtin": None, "mpn": None, "sku": None},
        "variant": {"size": None, "color": None},
        "extraction": {
            **{"source": "json-ld+og-image", "evidence": page.evidence},
            **{"at": frozen, "warnings": []},
        },
        "shipping": {
            **{"amount": str(page.shipping), "fees": str(page.fees)},
            **{"source": "policy_table" if page.offer.shop.rule else "page"},
            **{"policy_row": page.offer.shop.rule, "at": frozen, "note": None},
        },
        "landed": str(page.landed),
        "basis": "per_unit" if pack > 1 else "total",
    }


def policy_text() -> str:
    """Return the shipping policy of the made-up shops as CSV."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, POLICY_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for shop in SHOPS:
        if shop.rule:
            writer.writerow(policy_row(shop))
    # a rule that had ended, and one for a single category
    old = {"row_id": "larder:any:old", "threshold": "25.00", "below_fee": "4.99"}
    old |= {"effective_from": "2025-01-01", "effective_to": "2026-06-30"}
    lamps = {"row_id": "plaingoods:any:bulky", "threshold": "99.00"}
    lamps |= {"below_fee": "19.00", "category_scope": "garden"}
    by_rule = {shop.rule: shop for shop in SHOPS}
    writer.writerow({**policy_row(by_rule["larder:any"]), **old})
    writer.writerow({**policy_row(by_rule["plaingoods:any"]), **lamps})
    return stream.getvalue()


def policy_row(shop: Shop) -> dict[str, str]:
    """Return the rule of a shop as a row of the policy table."""
    rule = shop.rule or ""
    return {
        **dict.fromkeys(POLICY_COLUMNS, ""),
        **{"row_id": rule, "retailer": rule.split(":")[0], "domain": shop.host},
        "seller_scope": rule.split(":")[1],
        "threshold": shop.threshold or "",
        "below_fee": shop.below if shop.threshold is not None else "",
        "min_order": shop.min_order or "",
        "surcharge_pct": shop.surcharge_pct or "",
        **{"effective_from": "2026-07-01", "checked_at": "2026-10-30"},
        **{"checked_by": "Robin", "note": "made up"},
    }


def _write_answers(run: ExampleRun, track: str, slug: str) -> None:
    agent = next(one for one in AGENTS if one.slug == slug)
    entries = {}
    for number, (task_id, pages) in enumerate(run.pages.items()):
        at = START + timedelta(hours=3, minutes=10 * number + 5 * (track == "equiv"))
        luck = run.random(slug, track, task_id)
        entries[task_id] = answer(agent, track, pages, at, luck)
        for listing in entries[task_id]["listings"]:
            run.listed[track].setdefault(listing["url_canonical"], []).append(
                (listing["listing_id"], listing["item_price"])
            )
    config = {
        **{"adapter": "python", "model": agent.model, "tools": ["web_search"]},
        **{"params": {}, "prompt_sha256": _PROMPTS[track]},
    }
    body = {"agent": slug, "track": track, "config": config, "entries": entries}
    run.write(f"raw_{slug}_{track}.json", "raw", body, 5, "tasks.json")


def _write_candidates(run: ExampleRun, track: str) -> None:
    found = {}
    for url, listings in run.listed[track].items():
        page = run.page(url)
        read = not page.offer.shop.is_walled
        found[page.candidate_id] = {
            **{"task_id": page.task_id, "url_canonical": url, "title": page.title},
            "found_by": sorted(listing_id for listing_id, _ in listings),
            "self_match": page is run.pages[page.task_id][0],
            "title_source": "page" if read else "agent",
            "image_sha256": page.image_sha256 if read else None,
            "image_missing": not read,
        }
    raw = [f"raw_{agent.slug}_{track}.json" for agent in AGENTS]
    body = {"candidates": found}
    name = f"candidates_{track}.json"
    run.write(name, "candidates", body, 6, "tasks.json", *raw)


def _write_grades(run: ExampleRun, track: str) -> None:
    at = START + timedelta(hours=7)
    grades = {}
    for page in candidates_of(run, track):
        if page is not run.pages[page.task_id][0]:
            luck = run.random("judges", track, page.url)
            grades[page.candidate_id] = grade(page, track, at, luck)
    body = {
        **{"judges": list(SEATS), "prompt_sha256": _JUDGE_PROMPTS, "grades": grades},
    }
    made_of = ("tasks.json", f"candidates_{track}.json")
    run.write(f"grades_{track}.json", "grades", body, 8, *made_of)


def candidates_of(run: ExampleRun, track: str) -> list[Page]:
    """Return the pages that were found in a track, in order of candidate."""
    pages = [run.page(url) for url in run.listed[track]]
    return sorted(pages, key=lambda page: page.candidate_id)


def _write_audit(run: ExampleRun, track: str) -> None:
    audits = {}
    for number, page in enumerate(candidates_of(run, track)):
        reference = run.pages[page.task_id][0]
        claimed = [price for _, price in run.listed[track][page.url]]
        audits[page.candidate_id] = audit(
            page,
            sorted(claimed, key=Decimal),
            page is reference,
            (reference.offer.pack or 1) > 1,
            START + timedelta(hours=8, minutes=number),
        )
    made_of = ("tasks.json", f"candidates_{track}.json", "shipping_policy.csv")
    run.write(f"audit_{track}.json", "audit", {"audits": audits}, 10, *made_of)


def _write_rulings(run: ExampleRun) -> None:
    found = {track: candidates_of(run, track) for track in TRACKS}
    references = {one: pages[0] for one, pages in run.pages.items()}
    at = START + timedelta(hours=24)
    bodies = label_bodies(found, references, run.files, run.random("sample"), at)
    for track, body in bodies.items():
        made_of = ("tasks.json", f"grades_{track}.json", f"audit_{track}.json")
        run.write(f"verify_labels_{track}.json", "verify_labels", body, 30, *made_of)
    refs = ref_body(references, at)
    run.write("verify_labels_refs.json", "verify_labels_refs", refs, 30, "tasks.json")
