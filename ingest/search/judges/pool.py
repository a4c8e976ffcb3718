"""From answers to candidates: pages that agents found, each once (search.md 6.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingest.search.address import canonical
from ingest.search.judges.prompt import plain
from ingest.search.lag import lag_hours
from ingest.search.read_panel import candidate_id

Record = Mapping[str, Any]

_PRICE = re.compile(r"[0-9]{1,10}\.[0-9]{2}")


@dataclass(slots=True)
class Found:
    """A page that agents found for a product.

    Attributes
    ----------
    task_id, url_canonical
        What it is.
    listings
        Listing -> the agent whose claim it is.
    claimed
        Titles that agents gave, by listing.
    prices
        Item prices that agents claimed, by listing, where they gave one.
    addresses
        As agents gave them, by listing, where they are of this very page.
    """

    task_id: str
    url_canonical: str
    listings: dict[str, str] = field(default_factory=dict)
    claimed: dict[str, str] = field(default_factory=dict)
    prices: dict[str, str] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)

    @property
    def candidate_id(self) -> str:
        """Return its id, the same in both tracks."""
        return candidate_id(self.task_id, self.url_canonical)

    @property
    def address(self) -> str:
        """Return where its page is looked at: as an agent gave it.

        Some shops answer only under ``www.``, which the canonical address leaves out.
        """
        first = (self.addresses[one] for one in sorted(self.addresses))
        return next(first, self.url_canonical)

    @property
    def agent_title(self) -> str | None:
        """Return a title that an agent gave: that of the first listing by its id."""
        return next((self.claimed[one] for one in sorted(self.claimed)), None)


def pool(answers: Mapping[str, Record], tasks: Iterable[str]) -> dict[str, Found]:
    """Return what agents found in a track, each page of a product once.

    Parameters
    ----------
    answers
        Agent -> body of its ``raw_<agent>_<track>.json``.
    tasks
        Products of the bank; answers to others are left out.

    Returns
    -------
    dict
        Candidate -> what was found, in order of candidate. Listings whose address is no
        public web page are no candidates.
    """
    known, found = set(tasks), dict[str, Found]()
    for agent in sorted(answers):
        for task_id, entry in answers[agent]["entries"].items():
            if task_id not in known:
                continue
            for listing in entry.get("listings") or []:
                address = _address(listing)
                if address is not None:
                    one_id = candidate_id(task_id, address)
                    one = found.setdefault(one_id, Found(task_id, address))
                    _take(one, agent, listing)
    return dict(sorted(found.items()))


def _address(listing: Record) -> str | None:
    told = listing.get("url_canonical")
    if isinstance(told, str) and told.startswith("https://"):
        return told
    try:
        return canonical(str(listing.get("url")))
    except ValueError:
        return None


def _take(found: Found, agent: str, listing: Record) -> None:
    one_id = str(listing["listing_id"])
    found.listings[one_id] = agent
    title, price = plain(listing.get("title")), listing.get("item_price")
    if title is not None:
        found.claimed[one_id] = title
    if isinstance(price, str) and _PRICE.fullmatch(price):
        found.prices[one_id] = price
    url = listing.get("url")
    if isinstance(url, str) and final_address(url) == found.url_canonical:
        found.addresses[one_id] = url


def is_self(found: Found, task: Record, final_url: str | None = None) -> bool:
    """Return whether a candidate is the reference itself, listed or where it leads.

    Parameters
    ----------
    found
        The candidate.
    task
        Its product.
    final_url
        Where its page ended, if it was looked at.

    Returns
    -------
    bool
    """
    return task["url_canonical"] in (found.url_canonical, final_address(final_url))


def final_address(url: str | None) -> str | None:
    """Return the canonical address where redirects ended, None where it has none."""
    if not url:
        return None
    try:
        return canonical(url)
    except ValueError:
        return None


def candidate_record(found: Found, task: Record, seen: Record | None) -> dict[str, Any]:
    """Return a candidate as its artifact has it.

    Parameters
    ----------
    found
        What agents found.
    task
        Its product.
    seen
        What is remembered of its page; None for the reference, which needs no look.

    Returns
    -------
    dict
        A page that could not be read goes by an agent's title and has no picture.
    """
    page: Record = seen or {}
    listed_self = is_self(found, task)
    title, image = page.get("title"), page.get("image_sha256")
    if listed_self and not page:
        # the frozen reference is the very page
        title, image = task["title"], (task.get("image") or {}).get("sha256")
    is_read = plain(title) is not None
    record: dict[str, Any] = {
        **{"task_id": found.task_id, "url_canonical": found.url_canonical},
        "found_by": sorted(found.listings),
        "self_match": is_self(found, task, page.get("final_url")),
        "title": plain(title) if is_read else found.agent_title,
        "title_source": "page" if is_read else "agent",
        "image_sha256": image if is_read else None,
        "image_missing": not (is_read and image),
    }
    if page:
        record["page"] = {k: v for k, v in page.items() if k != "candidate_id"}
        record["lag_hours"] = lag_hours(task, page["at"])
    return record


def is_judged(record: Record) -> bool:
    """Return whether judges are asked about a candidate.

    Parameters
    ----------
    record
        As its artifact has it.

    Returns
    -------
    bool
        False for the reference itself and for a link that is proven dead.
    """
    is_dead = (record.get("page") or {}).get("state") == "dead"
    return not record["self_match"] and not is_dead
