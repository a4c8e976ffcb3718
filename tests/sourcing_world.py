"""A small made-up web for tests of sourcing: lists, product pages, walls, a clock."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from ingest.search.grid.cells import make_grid
from ingest.search.grid.config import Retailer, read_config
from ingest.search.grid.files import write_grid
from ingest.search.pages.pack import Pack
from ingest.search.pages.page import ProductPage
from ingest.search.pages.picture import Picture
from ingest.search.sourcing.source import source
from ingest.search.sourcing.visit import Seated, Tools, Visit
from ingest.web import Fetched

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PICTURE = b"a picture"
LISTS = "site,category,subcategory,name,url,selector,order,note"
FILTERS = "domain,category,filter,answer,decided_by,note"


def facts_page(**facts: Any) -> bytes:
    """Return a page whose facts the reader of these tests finds."""
    text = facts.pop("text", "")
    body = f"<script>{json.dumps(facts)}</script><p>{text}</p>"
    return f"<html><body>{body}</body></html>".encode()


def list_page(urls: Sequence[str]) -> bytes:
    """Return a list of best sellers."""
    rows = "".join(
        f'<li><a href="{one}">Thing {i}</a></li>' for i, one in enumerate(urls, 1)
    )
    return f"<ol>{rows}</ol>".encode()


def read_facts(
    html: str,
    url: str,
    *,
    status: int | None = 200,
    now: datetime,
    final_url: str | None = None,
) -> ProductPage:
    """Read a page of this world."""
    end = final_url or url
    if status in (403, 429, 503):
        return ProductPage(url, end, status, "blocked")
    if status == 404:
        return ProductPage(url, end, status, "dead")
    node = LexborHTMLParser(html).css_first("script")
    if node is None:
        return ProductPage(url, end, status, "unreadable")
    return ProductPage(url, end, status, "ok", **told(**json.loads(node.text())))


def picture(data: bytes = PICTURE) -> Picture:
    """Return a picture as it is frozen."""
    return Picture(data, hashlib.sha256(data).hexdigest(), 64, 48)


def told(**facts: Any) -> dict[str, Any]:
    """Return the fields of a good page, some of them changed."""
    price = facts.pop("price", "19.99")
    pack = facts.pop("pack", 1)
    return {
        **{
            "title": "A thing",
            "brand": "Acme",
            "image_url": "https://cdn.example/a.jpg",
        },
        **{"currency": "USD", "availability": "in_stock", "source": "json-ld"},
        "price": None if price is None else Decimal(price),
        "pack": Pack(pack, ambiguous=pack == 3),
        **facts,
    }


def visit(url: str = "https://shop.example/p/1", **facts: Any) -> Visit:
    """Return a look at a good page, some facts changed."""
    text, state = facts.pop("text", ""), facts.pop("state", "ok")
    image = None if facts.get("image_url", "") is None else picture()
    page = ProductPage(url, url, 200, state, **(told(**facts) if state == "ok" else {}))
    return Visit(page, text, image, b"", "http", NOW)


def canonical(url: str) -> str:
    """Return an address without its query."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"{url!r} is no address of a web page")
    return f"https://{parts.hostname}{parts.path}"


def seated(urls: Sequence[str] = (), **brands: str) -> Seated:
    """Return what is taken: addresses, and brand -> retailer."""
    held = {name: frozenset({shop}) for name, shop in brands.items()}
    return Seated(frozenset(urls), held)


SHOP = Retailer("shop", 1, "generalist")


@dataclass
class World:
    """Addresses and what they give; everything that was fetched, in order."""

    pages: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    fetched: list[str] = field(default_factory=list)

    def put(self, url: str, body: bytes, status: int = 200) -> None:
        """Put a page at an address."""
        self.pages[url] = (status, body)

    async def fetch(self, url: str) -> Fetched:
        """Give what stands at an address."""
        self.fetched.append(url)
        if url.endswith(".jpg"):
            return Fetched(url, url, 200, {}, PICTURE)
        status, body = self.pages.get(url, (404, b""))
        return Fetched(url, url, status, {}, body)

    def tools(self, **others: Any) -> Tools:
        """Return the tools that reach this world."""
        mine: dict[str, Any] = {
            **{"fetch": self.fetch, "read_page": read_facts, "canonical": canonical},
            **{"picture": picture, "now": lambda: NOW},
        }
        return Tools(**{**mine, **others})


RETAILERS = """\
retailer,weight,kind,allowed_categories,domains,own_brands,brand_optional
shop,3,generalist,,shop.example,false,false
own,2,locked,toys,own.example,true,false
tail,1,longtail,,,false,false
"""
CATEGORIES = "category,weight,subcategories\ntoys,3,\napparel,3,\n"


def begin(folder: Path, size: int = 6, lists: str | None = None) -> World:
    """Make a run folder with a grid and its tables, and a world that fills it.

    Of six cells the shop has three, a shop with its own brand two (toys) and the long
    tail one. Every list has twelve items; all of them pass, each of its own brand, but
    those of ``own``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shops, kinds = folder.parent / "shops.csv", folder.parent / "kinds.csv"
    shops.write_text(RETAILERS)
    kinds.write_text(CATEGORIES)
    config = read_config(shops, kinds)
    grid = make_grid(config, size, "7")
    write_grid(folder, config, grid, at=NOW, tool_version="1")
    sources = folder / "sources"
    sources.mkdir(exist_ok=True)
    world = World()
    rows = [LISTS]
    for site in ("shop", "own", "tail.example"):
        name = site.removesuffix(".example")
        for kind in ("toys", "apparel"):
            url = f"https://{name}.example/best/{kind}"
            rows.append(f"{site},{kind},,Best {kind},{url},li a,,")
            items = [f"https://{name}.example/{kind}/{n}" for n in range(1, 13)]
            world.put(url, list_page(items))
            for n, item in enumerate(items, 1):
                brand = "Own" if name == "own" else f"{name} {kind} {n}"
                world.put(item, facts_page(title=f"{kind} {n} of {name}", brand=brand))
    (sources / "lists.csv").write_text(lists or "\n".join(rows) + "\n")
    (sources / "roster.csv").write_text(
        "category,rank,domain,name\n"
        "toys,1,shop.example,Shop\ntoys,2,tail.example,Tail\ntoys,3,next.example,Next\n"
        "apparel,1,shop.example,Shop\napparel,2,tail.example,Tail\n"
    )
    passes = [f"tail.example,,F0{n},pass,ann," for n in (1, 2, 3, 4, 5, 7)]
    passes += [f"shop.example,,F0{n},pass,ann," for n in (1, 2, 3, 4, 5, 7)]
    (sources / "filters.csv").write_text("\n".join([FILTERS, *passes]) + "\n")
    return world


def fill(folder: Path, world: World, *, tools: dict[str, Any] | None = None, **options):
    """Run the phase."""
    reach = world.tools(**(tools or {}))
    return asyncio.run(source(folder, reach, tool_version="1", **options))


def body(folder: Path, name: str) -> dict[str, Any]:
    """Return an artifact of a run folder."""
    return json.loads((folder / name).read_text())


def events(folder: Path, cell_id: str, kind: str) -> list[dict[str, Any]]:
    """Return the events of a kind in the record of a cell."""
    (record,) = (
        one
        for one in body(folder, "sourcing_log.json")["records"]
        if one["cell_id"] == cell_id
    )
    return [one for one in record["events"] if one["type"] == kind]
