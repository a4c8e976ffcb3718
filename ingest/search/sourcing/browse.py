"""Getting pages: a plain request, a renderer, and what a person saved (search.md 3)."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ingest.errors import LoadError
from ingest.search.pages.page import ProductPage
from ingest.search.pages.picture import Picture
from ingest.search.pages.state import BLOCKED, DEAD, OK, UNREADABLE, page_text
from ingest.search.sourcing.ranked_list import (
    ByFeed,
    BySelector,
    Extractor,
    Item,
    order_question,
    question_sha256,
    reordered,
)
from ingest.search.sourcing.tables import BY_MODEL, LISTS_FILE, ListSource
from ingest.search.sourcing.visit import (
    HTTP,
    RENDERED,
    SAVED,
    Tools,
    Visit,
)
from ingest.search.sourcing.walk import STEP, PageRefused
from ingest.web import Fetched

SAVED_ROOM = "saved"
# pages that two cells on one list are likely to look at
_KEPT = 32
_UNSEEN = (
    *("script", "style", "template", "noscript"),
    *("nav", "header", "footer", "aside"),
)


@dataclass(frozen=True, slots=True)
class ListPage:
    """A ranked list as it was got.

    Attributes
    ----------
    items
        Top first.
    fetcher, status, at
        How, with which HTTP status, and when.
    html
        As it came.
    described
        What the log says of the reading of its order.
    """

    items: tuple[Item, ...]
    fetcher: str
    status: int | None
    at: datetime
    html: bytes
    described: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Got:
    """A document: how it was got, from where, and why not where it was not."""

    fetcher: str
    html: bytes
    text: str
    final_url: str
    status: int | None
    error: str | None


class Browser:
    """Gets pages by every means there is, in order.

    Parameters
    ----------
    folder
        The run folder, in which a person saves pages.
    tools
        Fetcher, renderer and readers.
    skip_refused
        A product page that is refused is passed over instead of asked for.
    """

    def __init__(self, folder: Path, tools: Tools, skip_refused: bool) -> None:
        self._folder = folder
        self._tools = tools
        self._skip_refused = skip_refused
        self._kept: OrderedDict[str, Visit] = OrderedDict()

    def saved_file(self, url: str) -> Path:
        """Return where a person saves a page that was refused."""
        name = hashlib.sha256(url.encode()).hexdigest()[:16]
        return self._folder / SAVED_ROOM / f"{name}.html"

    async def look(self, url: str) -> Visit:
        """Return a product page.

        Parameters
        ----------
        url
            Its address.

        Returns
        -------
        Visit

        Raises
        ------
        PageRefused
            Where nothing got it and refused pages are not simply passed over.
        """
        if url not in self._kept:
            visit = await self._look(url)
            if visit.refusal is not None and not self._skip_refused:
                raise PageRefused(url, visit.refusal)
            self._kept[url] = visit
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[url]

    async def ranked_list(self, source: ListSource) -> ListPage:
        """Return a ranked list.

        Parameters
        ----------
        source
            Where it is and how it is read.

        Returns
        -------
        ListPage

        Raises
        ------
        PageRefused
            Where nothing got a page with a list.
        LoadError
            Where a model gave another order than one of its items.
        """
        read: Extractor = BySelector(source.selector) if source.selector else ByFeed()
        reasons = []
        async for got in self._ways(source.url):
            items = () if got.error else read(got.text, got.final_url)
            # fewer have no rank to walk
            if len(items) < STEP and not got.error:
                reasons.append(f"{got.fetcher}: {len(items)} items in the page")
            elif got.error:
                reasons.append(f"{got.fetcher}: {got.error}")
            else:
                items, described = await self._ordered(source, items, read.described())
                at = self._tools.now()
                return ListPage(items, got.fetcher, got.status, at, got.html, described)
        raise PageRefused(source.url, "; ".join(reasons))

    async def _look(self, url: str) -> Visit:
        reasons = []
        last: Visit | None = None
        async for got in self._ways(url):
            page, at = self._read(url, got), self._tools.now()
            visit = Visit(page, "", None, got.html, got.fetcher, at)
            if page.state == OK:
                picture = await self._picture(page)
                text = words_of(got.text)
                return replace(visit, picture=picture, text=text)
            if page.state == DEAD:
                return visit
            reasons.append(f"{got.fetcher}: {got.error or page.state}")
            # a page that came and holds no product says more than a wall
            if last is None or page.state == UNREADABLE:
                last = visit
        if last is None:
            raise PageRefused(url, "nothing to fetch it with")
        if last.page.state == BLOCKED:
            return replace(last, refusal="; ".join(reasons))
        return last

    def _read(self, url: str, got: _Got) -> ProductPage:
        if got.status is None and got.error is not None:
            return ProductPage(url, got.final_url, None, BLOCKED)
        return self._tools.read_page(
            got.text,
            url,
            status=got.status or 200,
            now=self._tools.now(),
            final_url=got.final_url,
        )

    async def _ways(self, url: str) -> AsyncIterator[_Got]:
        """Yield the page by each means there is, until the reader has enough."""
        yield _got(HTTP, await self._tools.fetch(url))
        if self._tools.render is not None:
            yield _got(RENDERED, await self._tools.render(url))
        path = self.saved_file(url)
        if path.is_file():
            html = path.read_bytes()
            yield _Got(SAVED, html, page_text(html, ""), url, None, None)

    async def _picture(self, page: ProductPage) -> Picture | None:
        if page.image_url is None:
            return None
        got = await self._tools.fetch(page.image_url)
        if got.error is not None or not _is_fine(got.status):
            return None
        return self._tools.picture(got.body)

    async def _ordered(
        self, source: ListSource, items: tuple[Item, ...], described: dict[str, Any]
    ) -> tuple[tuple[Item, ...], dict[str, Any]]:
        if source.order != BY_MODEL:
            return items, described
        if self._tools.ask is None:
            raise LoadError(
                f"{LISTS_FILE} leaves the order of {source.url} to a model and none is "
                "set up: name one, or empty its order"
            )
        reply = await self._tools.ask(order_question(items))
        told = {"kind": "llm", "model": self._tools.model}
        told["prompt_sha256"] = question_sha256()
        return reordered(items, reply), {**described, **told}


def words_of(html: str) -> str:
    """Return the words of a document about its product.

    Parameters
    ----------
    html
        Its text; anything.

    Returns
    -------
    str
        On one line, without scripts, and without what stands beside the product.
    """
    tree = LexborHTMLParser(html.encode("utf-8", "replace"))
    tree.strip_tags(list(_UNSEEN))
    body = tree.body
    text = "" if body is None else body.text(separator=" ")
    return " ".join(text.split())


def _got(fetcher: str, answer: Fetched) -> _Got:
    error = answer.error
    if error is None and not _is_fine(answer.status):
        error = f"HTTP {answer.status}"
    text = page_text(answer.body, answer.headers.get("content-type", ""))
    return _Got(fetcher, answer.body, text, answer.final_url, answer.status, error)


def _is_fine(status: int | None) -> bool:
    return status is not None and 200 <= status < 300
