"""Filling one cell: its site, its list, the walk, and what the log holds of it (3)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ingest.errors import LoadError
from ingest.search.grid.cells import Cell
from ingest.search.pages.evidence import write_evidence
from ingest.search.sourcing.browse import Browser, ListPage
from ingest.search.sourcing.freeze import task_record
from ingest.search.sourcing.log import FILLED, UNFILLED, Bank, Event, chosen_site
from ingest.search.sourcing.ranked_list import Item
from ingest.search.sourcing.roster import FILTERS, walk_sites
from ingest.search.sourcing.tables import (
    FILTERS_FILE,
    LISTS_FILE,
    ROOM,
    ROSTERS,
    ListSource,
    Site,
    Tables,
)
from ingest.search.sourcing.visit import SAVED, Tools, Visit
from ingest.search.sourcing.walk import Chosen, PageRefused, Rules, Walk
from ingest.search.write_artifact import time_text
from ingest.whole_file import write_whole

_RANKING = f"{ROOM}/{ROSTERS}"


class Stop(Exception):
    """A cell that cannot go on without a person.

    Attributes
    ----------
    needs
        What the person has to do, a line each.
    looks_ahead
        Whether later cells may need the same of the person.
    refused_list
        Address of a list that was refused; None for no list.
    """

    def __init__(
        self,
        needs: Sequence[str],
        *,
        refused_list: str | None = None,
        looks_ahead: bool = False,
    ) -> None:
        super().__init__(*needs)
        self.needs = tuple(needs)
        self.refused_list = refused_list
        self.looks_ahead = looks_ahead or refused_list is not None


@dataclass(slots=True)
class CellWork:
    """Everything that filling a cell needs.

    Attributes
    ----------
    bank, tables, tools, browser
        What is filled, by which tables, and what reaches the world.
    by
        Who saved pages and answered filters; None where nobody said.
    tool_version
        For the headers.
    """

    bank: Bank
    tables: Tables
    tools: Tools
    browser: Browser
    by: str | None
    tool_version: str

    async def fill(self, cell: Cell) -> str:
        """Fill a cell, or leave it unfilled with a reason.

        Parameters
        ----------
        cell
            The first open one of the order.

        Returns
        -------
        str
            A line about it; it is on the disk then.

        Raises
        ------
        Stop
            Where a person has to do something first; what was seen is kept.
        """
        record = self.bank.record(cell.cell_id)
        events: list[Event] = []
        try:
            chosen, reason = await self._choose(cell, record, events)
        except Stop:
            if events:
                record["events"] += events
                self._save()
            raise
        record["events"] += events
        if chosen is None:
            record.update(status=UNFILLED, reason=reason)
            self._save()
            return f"{cell.cell_id}: unfilled ({reason})"
        number = 1 + sum("task" in one for one in self.bank.records.values())
        self._keep(chosen)
        record.update(
            status=FILLED,
            task=task_record(cell, chosen, number),
            selected={
                **{"url": chosen.item.url, "rank": chosen.item.rank},
                "walk_pass": chosen.walk_pass,
            },
        )
        self._save()
        return f"{cell.cell_id}: {chosen.visit.page.title}"

    async def look_ahead(self, cells: Sequence[Cell], stop: Stop) -> list[str]:
        """Return what the lists of later cells need, to be settled in one sitting.

        Parameters
        ----------
        cells
            Those after the one that stopped.
        stop
            Why it stopped: at a refused list, those of other cells are tried too.

        Returns
        -------
        list of str
            A line for each list that is not named, or refused; long-tail sites left
            out, for those are not chosen yet.
        """
        needs: dict[str, None] = {}
        seen = {stop.refused_list}
        for cell in cells:
            if cell.stratum is not None:
                continue
            found = self.tables.list_of(cell.retailer, cell)
            if found is None:
                needs[_no_list(cell.retailer, cell)] = None
            elif stop.refused_list is not None and found.url not in seen:
                seen.add(found.url)
                needs |= dict.fromkeys(await self._try_list(cell, found))
        return [line for line in needs if line not in stop.needs]

    async def _try_list(self, cell: Cell, source: ListSource) -> list[str]:
        if self.bank.found_list(source.url):
            return []
        try:
            await self.browser.ranked_list(source)
        except PageRefused as error:
            return [self._save_page(error, f"the list of {cell.retailer}")]
        except LoadError as error:
            return [str(error)]
        return []

    async def _choose(
        self, cell: Cell, record: dict[str, Any], events: list[Event]
    ) -> tuple[Chosen | None, str]:
        store = None
        site = cell.retailer
        if cell.kind == "longtail":
            found = self._site(cell, record, events)
            if found is None:
                return None, "roster_exhausted"
            store, site = found.name, found.domain
        source = self.tables.list_of(site, cell)
        if source is None:
            raise Stop([_no_list(site, cell)], looks_ahead=True)
        items = await self._list(cell, source, events)
        rules = Rules(
            *(self.bank.stored.config.retailer(cell.retailer), cell.category, store),
            *(self.bank.seated(self.tables.aliases), self.tables.aliases),
            self.bank.second_pass,
        )
        walk = Walk(items, rules, self.tools)
        try:
            chosen = await walk.go(lambda url: self._look(url, events))
        except PageRefused as refused:
            what = f"{cell.cell_id}: a product page"
            raise Stop([self._save_page(refused, what, may_skip=True)]) from refused
        finally:
            events.append({"type": "walk", "items": walk.records()})
        return chosen, "list_exhausted"

    def _site(
        self, cell: Cell, record: dict[str, Any], events: list[Event]
    ) -> Site | None:
        named = [
            domain
            for one in self.bank.stored.config.retailers
            for domain in one.domains
        ]
        if not self.tables.sites(cell):
            part = cell.subcategory or cell.category
            raise Stop(
                [f"{cell.cell_id}: no report of {part} sites: add one as {_RANKING}"]
            )
        walk = walk_sites(
            *(cell, self.tables),
            named=named,
            used=self.bank.used_domains(),
            seated=self.bank.seated(self.tables.aliases),
        )
        event: Event = {"type": "site_walk", "ranking": _RANKING}
        event["candidates"] = list(walk.records)
        before = chosen_site(record)
        last = [one for one in record["events"] if one["type"] == "site_walk"][-1:]
        if not last or last[0]["candidates"] != event["candidates"]:
            events.append({**event, "at": self._now()})
        if walk.blocked is not None:
            open_ones = ", ".join(f"{one} {FILTERS[one]}" for one in walk.unanswered)
            raise Stop(
                [
                    f"{cell.cell_id}: {walk.blocked.domain} (rank {walk.blocked.rank}) "
                    f"has no answer to {open_ones}: add rows to {FILTERS_FILE}"
                ]
            )
        if walk.site is not None and before not in (None, walk.site.domain):
            events.append(self._amendment(str(before), walk.site, walk.records))
        return walk.site

    def _amendment(
        self, before: str, site: Site, records: Sequence[dict[str, Any]]
    ) -> Event:
        rejected = {one["domain"]: one for one in records if "filter" in one}
        why = rejected.get(before, {})
        return {
            **{"type": "amendment", "kind": "roster_substitution", "at": self._now()},
            **{"from": before, "to": site.domain, "by": self.by},
            **{"failed_filter": why.get("filter"), "note": why.get("note")},
        }

    async def _list(
        self, cell: Cell, source: ListSource, events: list[Event]
    ) -> tuple[Item, ...]:
        known = self.bank.found_list(source.url)
        if known is not None:
            event, items, owner = known
            if owner != cell.cell_id:
                events.append({**event, "reused_from": event.get("reused_from", owner)})
            return items
        try:
            page = await self.browser.ranked_list(source)
        except PageRefused as refused:
            what = f"{cell.cell_id}: the list of {source.site}"
            raise Stop(
                [self._save_page(refused, what)], refused_list=source.url
            ) from refused
        except LoadError as error:
            raise Stop([f"{cell.cell_id}: {error}"]) from error
        if page.fetcher == SAVED:
            events.append(self._fallback(source.url, page.html))
        events.append(self._list_event(source, page))
        return page.items

    def _list_event(self, source: ListSource, page: ListPage) -> Event:
        return {
            **{"type": "list_fetch", "at": time_text(page.at), "url": source.url},
            **{"list": source.name, "note": source.note or None},
            **{"fetcher": page.fetcher, "http_status": page.status},
            **{
                "evidence": write_evidence(self.bank.folder, page.html),
                "items_seen": len(page.items),
            },
            "order_extractor": page.described,
        }

    async def _look(self, url: str, events: list[Event]) -> Visit:
        visit = await self.browser.look(url)
        if visit.fetcher == SAVED:
            events.append(self._fallback(url, visit.html))
        return visit

    def _fallback(self, url: str, html: bytes) -> Event:
        if self.by is None:
            raise Stop([f"{url} was saved by a person: say by whom with --by"])
        return {
            **{"type": "fallback", "kind": SAVED, "at": self._now(), "url": url},
            **{"file_sha256": hashlib.sha256(html).hexdigest(), "by": self.by},
        }

    def _save_page(
        self, refused: PageRefused, what: str, *, may_skip: bool = False
    ) -> str:
        skip = ", or pass such pages over with --skip-refused" if may_skip else ""
        return (
            f"{what} was refused ({refused.reason}): open {refused.url} in a browser, "
            f"save it whole as {self.browser.saved_file(refused.url)}{skip}, and run "
            "this again"
        )

    def _keep(self, chosen: Chosen) -> None:
        write_evidence(self.bank.folder, chosen.visit.html)
        picture = chosen.visit.picture
        if picture is not None:
            path = self.bank.folder / "images" / f"{picture.sha256}.jpg"
            write_whole(path, picture.data)

    def _save(self) -> None:
        self.bank.save(self.tools.now(), self.tables.inputs, self.tool_version)

    def _now(self) -> str:
        return time_text(self.tools.now())


def _no_list(site: str, cell: Cell) -> str:
    part = cell.subcategory or cell.category
    return f"no ranked list of {site} for {part}: give its address in {LISTS_FILE}"
