"""Ranked lists: the items of a page in their order, top first (search.md 3.1)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from ingest.errors import LoadError

_SPACE = re.compile(r"\s+")
_NUMBER = r"[0-9](?:[0-9.,]*[0-9])?"
_PRICE = re.compile(
    rf"(?:\b(?:US|USD|CA|C|A|AU)\s?)?[$€£¥₹]\s?{_NUMBER}(?:\s?[-–]\s?[$€£¥₹]?\s?{_NUMBER})?"
    rf"|{_NUMBER}\s?(?:[$€£¥₹¢]|\b(?:USD|EUR|GBP|dollars?|cents?)\b)"
    rf"|\b(?:save\s+)?{_NUMBER}\s?%\s?off\b",
    re.IGNORECASE,
)
_ASKED = (
    "Below are the products of a shop's list of best sellers as the text of its page "
    "holds them: an id, a title and the path of a link each. Put them in the order of "
    "their rank in the list, best seller first. Answer with a JSON array of all ids "
    "and nothing else."
)


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a ranked list.

    Attributes
    ----------
    rank
        From 1, the top.
    url
        Of its product page.
    title
        As the list shows it; None where it shows none.
    """

    rank: int
    url: str
    title: str | None


class Extractor(Protocol):
    """Something that reads the items of a list from its page."""

    def __call__(self, html: str, url: str) -> tuple[Item, ...]:
        """Return the items in order; none where the page holds no list."""

    def described(self) -> dict[str, Any]:
        """Return what the log says of it: at least its ``kind``."""


@dataclass(frozen=True, slots=True)
class BySelector:
    """Items by a CSS selector, in the order of the document.

    Attributes
    ----------
    selector
        Of the links, or of elements that hold one link each or more; the first counts.
    """

    selector: str

    def __call__(self, html: str, url: str) -> tuple[Item, ...]:
        """Return the items in order."""
        try:
            nodes = LexborHTMLParser(html).css(self.selector)
        except (SelectolaxError, ValueError) as error:
            raise LoadError(
                f"the selector {self.selector!r} of {url} is not CSS ({error}); "
                "correct it in lists.csv"
            ) from error
        found = []
        for node in nodes:
            link = node if node.tag == "a" else node.css_first("a[href]")
            href = link.attributes.get("href") if link is not None else None
            if link is not None and href and not href.startswith(("#", "javascript:")):
                found.append((urljoin(url, href.strip()), _title(node, link)))
        return ranked(found)

    def described(self) -> dict[str, Any]:
        """Return its kind and the selector."""
        return {"kind": "selector", "selector": self.selector}


@dataclass(frozen=True, slots=True)
class ByFeed:
    """Items by the ``ItemList`` that the page carries for machines (JSON-LD)."""

    def __call__(self, html: str, url: str) -> tuple[Item, ...]:
        """Return the items in order of their stated position."""
        for script in LexborHTMLParser(html).css("script[type]"):
            kind = (script.attributes.get("type") or "").partition(";")[0]
            if kind.strip().lower() != "application/ld+json":
                continue
            try:
                value = json.loads(script.text())
            except (ValueError, RecursionError):
                continue
            for found in _item_lists(value):
                items = ranked(_listed(found, url))
                if items:
                    return items
        return ()

    def described(self) -> dict[str, Any]:
        """Return its kind."""
        return {"kind": "feed"}


def ranked(found: Sequence[tuple[str, str | None]]) -> tuple[Item, ...]:
    """Return items by their order, an address that comes again left out.

    Parameters
    ----------
    found
        Address and title, top first.

    Returns
    -------
    tuple of Item
        A later title fills in where the first link of an address had none.
    """
    titles: dict[str, str | None] = {}
    for url, title in found:
        address, name = _whole(url), _whole(title or "")
        titles[address] = titles.get(address) or name or None
    return tuple(Item(rank, *pair) for rank, pair in enumerate(titles.items(), 1))


def item_ids(items: Sequence[Item]) -> list[str]:
    """Return the ids by which a model knows the items."""
    return [hashlib.sha256(one.url.encode()).hexdigest()[:12] for one in items]


def order_question(items: Sequence[Item]) -> str:
    """Return the question that asks a model for the order of a list.

    Parameters
    ----------
    items
        Of one page.

    Returns
    -------
    str
        Ids, titles without prices and paths of links; no price decides a rank.
    """
    lines = []
    for name, one in zip(item_ids(items), items, strict=True):
        lines.append(f"{name}\t{without_prices(one.title or '')}\t{_path(one.url)}")
    return "\n".join([_ASKED, "", *lines])


def question_sha256() -> str:
    """Return the hash of the wording of the question."""
    return hashlib.sha256(_ASKED.encode()).hexdigest()


def reordered(items: Sequence[Item], reply: str) -> tuple[Item, ...]:
    """Return a list in the order that a model gave.

    Parameters
    ----------
    items
        As they were asked about.
    reply
        A JSON array of every id, once each.

    Returns
    -------
    tuple of Item
        With their new ranks.

    Raises
    ------
    LoadError
        Where the reply is anything but exactly that.
    """
    try:
        ids = json.loads(reply)
    except ValueError as error:
        raise LoadError("the order of the list is no JSON array; ask again") from error
    by_id = dict(zip(item_ids(items), items, strict=True))
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
        raise LoadError("the order of the list is no JSON array of ids; ask again")
    if len(ids) != len(by_id) or set(ids) != set(by_id):
        strange, missing = set(ids) - set(by_id), set(by_id) - set(ids)
        raise LoadError(
            f"the order of the list is not of its {len(by_id)} items: "
            f"{len(strange)} unknown, {len(missing)} missing, "
            f"{len(ids) - len(set(ids))} twice; ask again"
        )
    return tuple(replace(by_id[name], rank=n) for n, name in enumerate(ids, 1))


def without_prices(text: str) -> str:
    """Return a text without amounts of money and shares off."""
    return _SPACE.sub(" ", _PRICE.sub(" ", text)).strip()


def _whole(text: str) -> str:
    # half a character, which JSON can write, has no bytes
    return text.encode("utf-8", "replace").decode()


def _path(url: str) -> str:
    return urlsplit(url).path


def _title(node: LexborNode, link: LexborNode) -> str | None:
    texts = [
        link.text(),
        link.attributes.get("title"),
        link.attributes.get("aria-label"),
    ]
    image = node.css_first("img[alt]")
    texts.append(image.attributes.get("alt") if image is not None else None)
    cleaned = (_SPACE.sub(" ", text or "").strip() for text in texts)
    return next((text for text in cleaned if text), None)


def _item_lists(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for one in value:
            yield from _item_lists(one)
    elif isinstance(value, dict):
        kinds = value.get("@type")
        names = kinds if isinstance(kinds, list) else [kinds]
        if any(str(one).rpartition("/")[2] == "ItemList" for one in names):
            yield value
        for key in ("@graph", "mainEntity"):
            yield from _item_lists(value.get(key))


def _listed(found: dict[str, Any], url: str) -> list[tuple[str, str | None]]:
    elements = found.get("itemListElement")
    rows = [one for one in elements or () if isinstance(one, dict)]
    if all(isinstance(one.get("position"), int) for one in rows):
        rows.sort(key=lambda one: one["position"])
    pairs: list[tuple[str, str | None]] = []
    for row in rows:
        item = row.get("item")
        inner = item if isinstance(item, dict) else {"url": item}
        address = inner.get("url") or inner.get("@id") or row.get("url")
        name = inner.get("name") or row.get("name")
        if isinstance(address, str) and address:
            title = name if isinstance(name, str) else None
            pairs.append((urljoin(url, address), title))
    return pairs
