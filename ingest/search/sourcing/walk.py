"""Walking a ranked list: ranks 3, 6, 9 until one passes (search.md 3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.search.grid.config import Retailer
from ingest.search.sourcing.exclusions import (
    UNEXTRACTABLE,
    URL_TAKEN,
    Candidate,
    Exclusion,
    find_exclusion,
    url_taken,
)
from ingest.search.sourcing.ranked_list import Item
from ingest.search.sourcing.visit import Seated, Shipping, Tools, Visit

STEP = 3


@dataclass(frozen=True, slots=True)
class Rules:
    """What a walk is bound to.

    Attributes
    ----------
    retailer, category
        Of the cell.
    store
        Name of the long-tail site; None elsewhere.
    seated
        What is taken already.
    aliases
        Of brands: normal name -> normal name.
    second_pass
        Whether the ranks between are walked where the list is exhausted.
    """

    retailer: Retailer
    category: str
    store: str | None
    seated: Seated
    aliases: Mapping[str, str]
    second_pass: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """The item that a cell gets.

    Attributes
    ----------
    item, visit
        Where it stood in the list, and its page.
    url_canonical, brand
        As they will be frozen; None for goods without a brand.
    shipping
        None where sourcing did not settle it.
    walk_pass
        1, or 2 for a rank between.
    """

    item: Item
    visit: Visit
    url_canonical: str
    brand: str | None
    shipping: Shipping | None
    walk_pass: int


class PageRefused(Exception):
    """A page that no fetcher got; a person may save it, or rule it out."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url} was refused ({reason})")
        self.url = url
        self.reason = reason


class Walk:
    """A walk down one list, and what it has seen so far.

    Parameters
    ----------
    items
        The whole list, rank 1 first.
    rules
        What decides.
    tools
        For addresses and shipping.
    """

    def __init__(self, items: Sequence[Item], rules: Rules, tools: Tools) -> None:
        self._items = items
        self._rules = rules
        self._tools = tools
        self._outcomes: dict[int, dict[str, Any]] = {}
        self._chosen: Chosen | None = None

    async def go(self, look: Callable[[str], Awaitable[Visit]]) -> Chosen | None:
        """Walk until an item passes.

        Parameters
        ----------
        look
            Address -> its page; raises PageRefused where the walk has to stop.

        Returns
        -------
        Chosen or None
            None: the list is exhausted.
        """
        by_rank = {one.rank: one for one in self._items}
        for walk_pass, rank in ranks(len(self._items), self._rules.second_pass):
            item = by_rank[rank]
            verdict = await self._consider(item, look, walk_pass)
            passed = {} if walk_pass == 1 else {"walk_pass": walk_pass}
            if isinstance(verdict, Exclusion):
                self._outcomes[rank] = {
                    **{"outcome": "excluded", "code": verdict.code},
                    **{"detail": verdict.detail, **passed},
                }
                continue
            self._outcomes[rank] = {"outcome": "selected", **passed}
            return verdict
        return None

    def records(self) -> list[dict[str, Any]]:
        """Return every item of the list as the log holds it, walked or not."""
        return [
            {
                **{"rank": one.rank, "url": one.url, "title": one.title},
                **self._outcomes.get(one.rank, {}),
            }
            for one in self._items
        ]

    async def _consider(
        self, item: Item, look: Callable[[str], Awaitable[Visit]], walk_pass: int
    ) -> Exclusion | Chosen:
        rules, canonical = self._rules, self._tools.canonical
        try:
            listed = canonical(item.url)
        except ValueError as error:
            return Exclusion(UNEXTRACTABLE, str(error))
        taken = url_taken((listed,), rules.seated)
        if taken is not None:
            return Exclusion(URL_TAKEN, taken)
        visit = await look(item.url)
        try:
            final = canonical(visit.page.final_url)
        except ValueError as error:
            return Exclusion(UNEXTRACTABLE, str(error))
        resolve = self._tools.shipping
        settled: list[Shipping | None] = []

        def shipping() -> Shipping | None:
            if resolve is not None and not settled:
                settled.append(resolve(visit.page, rules.retailer.name))
            return settled[0] if settled else None

        one = Candidate(
            *(visit, (listed, final), rules.retailer, rules.category, rules.store),
            *(rules.seated, rules.aliases),
            shipping=None if resolve is None else shipping,
        )
        excluded = find_exclusion(one)
        if excluded is not None:
            return excluded
        return Chosen(item, visit, final, one.brand, shipping(), walk_pass)


def ranks(length: int, second_pass: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the ranks of a list in the order in which they are walked.

    Parameters
    ----------
    length
        Items of the list.
    second_pass
        Whether the others follow, from the top.

    Yields
    ------
    tuple of int
        The pass, 1 or 2, and the rank.
    """
    for rank in range(STEP, length + 1, STEP):
        yield 1, rank
    if second_pass:
        for rank in range(1, length + 1):
            if rank % STEP:
                yield 2, rank
