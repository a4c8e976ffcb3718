"""Made-up search agents with known habits, and what they answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from ingest.search.example_pages import Page
from ingest.search.market import SELF_MATCH
from ingest.search.write_artifact import text_sha256, time_text

CHEAPER_NOW = Decimal("1.00")


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent by its habits.

    Attributes
    ----------
    slug
        Its name in files.
    model
        As configured; None: none is.
    same, equivalent, decoy
        Chance that it lists an offer of the product, an equivalent one, one that is
        neither.
    most
        Listings at most.
    likes
        Host whose offers it always lists.
    lists_reference
        Lists the reference page itself where that has become cheaper.
    is_batch
        Asked in a batch, so that its time compares with nothing.
    fails
        Track and number of the product in the market -> what becomes of the call.
    """

    slug: str
    model: str | None
    same: float
    equivalent: float
    decoy: float
    most: int = 10
    likes: str = ""
    lists_reference: bool = False
    is_batch: bool = False
    fails: Mapping[tuple[str, int], str] = field(default_factory=dict)


AGENTS = (
    Agent("thorough", "simulated/thorough", 0.9, 0.9, 0.1, 10, "", True, True),
    Agent("hasty", "simulated/hasty", 0.3, 0.4, 0.7),
    Agent("frugal", "simulated/frugal", 0.5, 0.4, 0.0, 2),
    Agent("bazaar", "simulated/bazaar", 0.3, 0.3, 0.2, 10, "amazon.com"),
    Agent(
        "scattered",
        None,
        *(0.4, 0.4, 0.3, 10, "", True),
        fails={
            ("exact", 3): "transport_error",
            ("exact", 5): "unparsable",
            ("exact", 7): "empty",
            ("equiv", 2): "truncated",
            ("equiv", 9): "refused",
        },
    ),
)
_ANSWERS = {
    "empty": '{"listings": []}',
    "refused": "I cannot help with shopping for this product.",
    "unparsable": "There are cheaper lamps out there, have a look around.",
    "truncated": '{"listings": [{"url": "https://',
    "transport_error": None,
}
_TRIES = 4


def answer(
    agent: Agent,
    track: str,
    pages: tuple[Page, list[Page]],
    at: datetime,
    random: Random,
) -> dict[str, Any]:
    """Return an agent's entry for one product.

    Parameters
    ----------
    agent
        Who is asked.
    track
        exact or equiv.
    pages
        The reference page, and all others.
    at
        When it was asked, UTC.
    random
        Source of its luck.

    Returns
    -------
    dict
        An entry of a raw artifact.
    """
    reference, others = pages
    status = agent.fails.get((track, reference.product), "ok")
    found = list(_found(agent, track, others, random))[: agent.most]
    start = f"{agent.slug}.{track}.{reference.task_id}"
    listings = []
    if status == "ok":
        if agent.lists_reference and reference.product == SELF_MATCH:
            found = [reference, *found]
        listings = [
            _listing(agent, f"{start}.{rank:02}", rank, page, reference, random)
            for rank, page in enumerate(found, start=1)
        ]
        status = "ok" if listings else "empty"
    text = _answer_text(status, listings)
    seconds = round(random.uniform(12, 70), 1)
    return {
        "status": status,
        "attempts": _attempts(status, at, seconds),
        "continuations": int(agent.is_batch and random.random() < 0.3),
        "request": {
            "sha256": text_sha256(start),
            "image_sha256": reference.image_sha256,
        },
        "response": None if text is None else {"output_text": text},
        "answer_text": text,
        "resolved_model": None if text is None else agent.model,
        "listings": listings,
        "listings_dropped": 0,
        "citations": [one["url_canonical"] for one in listings],
        "usage": _usage(text, random),
        "latency_s": None if text is None else seconds,
        "latency_comparable": not agent.is_batch,
        "batch": {
            "batch_id": f"batch-{track}" if agent.is_batch else None,
            "custom_id": f"{reference.task_id}-{track}" if agent.is_batch else None,
        },
    }


def _found(
    agent: Agent, track: str, pages: Iterable[Page], random: Random
) -> Iterable[Page]:
    """Yield what an agent finds, the cheapest item first."""
    chances = {"same": agent.same, "equivalent": agent.equivalent}
    listed = []
    for page in pages:
        luck, relation = random.random(), page.offer.relation
        if relation == "equivalent" and track == "exact":
            continue
        liked = agent.likes != "" and page.offer.shop.host == agent.likes
        sure = liked or agent.slug in page.offer.sure
        if sure or luck < chances.get(relation, agent.decoy):
            listed.append(page)
    return sorted(listed, key=lambda page: (_claim(page), page.url))


def _claim(page: Page) -> Decimal:
    return Decimal(page.offer.claim or page.offer.price)


def _listing(
    agent: Agent,
    listing_id: str,
    rank: int,
    page: Page,
    reference: Page,
    random: Random,
) -> dict[str, Any]:
    price, shipping = _claim(page), page.shipping
    if page is reference:
        price -= CHEAPER_NOW
    warnings = []
    if agent.slug == "hasty" and random.random() < 0.4:
        shipping, warnings = None, ["negative_amount"]
    landed = None if shipping is None else str(price + shipping)
    offer = page.offer
    return {
        **{"listing_id": listing_id, "rank": rank, "title": page.title},
        "url": f"{page.url}?utm_source={agent.slug}",
        "url_canonical": page.url,
        **{"retailer": offer.shop.name, "seller": None, "item_price": str(price)},
        "shipping_price": None if shipping is None else str(shipping),
        **{"landed_price": landed, "currency": offer.shop.currency},
        **{"pack_count": offer.pack, "condition": "new", "in_stock": True},
        **{"image_url": None, "note": None, "warnings": warnings},
    }


def _answer_text(status: str, listings: list[dict[str, Any]]) -> str | None:
    if status != "ok":
        return _ANSWERS[status]
    keys = ("url", "title", "item_price", "shipping_price", "pack_count")
    told = [{key: one[key] for key in keys} for one in listings]
    return json.dumps({"listings": told}, sort_keys=True)


def _attempts(status: str, at: datetime, seconds: float) -> list[dict[str, Any]]:
    lost = status == "transport_error"
    return [
        {
            "n": number,
            "started_at": time_text(at + timedelta(minutes=number - 1)),
            "ended_at": time_text(
                at + timedelta(minutes=number - 1, seconds=int(seconds))
            ),
            "http_status": 503 if lost else 200,
            "error": "unavailable" if lost else None,
            "retry_after_s": 20 if lost else None,
        }
        for number in range(1, _TRIES + 1 if lost else 2)
    ]


def _usage(text: str | None, random: Random) -> dict[str, Any]:
    searches = random.randint(1, 9)
    if text is None:
        return {"input_tokens": None, "output_tokens": None, "searches": None}
    tokens = {"input_tokens": 900 + 400 * searches, "output_tokens": len(text) // 4}
    cost = Decimal(tokens["input_tokens"] + 4 * tokens["output_tokens"]) / 1_000_000
    return {
        **tokens,
        "searches": searches,
        "cost_usd": f"{cost + Decimal('0.01') * searches:.6f}",
        "cost_source": "simulated",
    }
