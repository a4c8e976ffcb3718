"""Filling a grid with the readers that every page, address and picture has."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import replace

from PIL import Image
from search_folder import aside, rows_of
from sourcing_world import NOW, World, begin, body, list_page

from ingest.search.sourcing.source import Sourced, source
from ingest.search.sourcing.visit import Tools


def jpeg() -> bytes:
    held = io.BytesIO()
    Image.new("RGB", (1200, 900), "teal").save(held, "JPEG")
    return held.getvalue()


def shop_page(n: int) -> bytes:
    told = {
        **{"@context": "https://schema.org", "@type": "Product"},
        **{"name": f"Oat Drink {n}, 12 Pack", "brand": {"name": f"Brand {n}"}},
        "image": "/picture.jpg",
        "offers": {
            **{"@type": "Offer", "price": "24.50", "priceCurrency": "USD"},
            **{"availability": "https://schema.org/InStock"},
        },
    }
    script = f'<script type="application/ld+json">{json.dumps(told)}</script>'
    return f"<html><head>{script}</head><body><h1>Oat</h1></body></html>".encode()


def test_half_a_character_on_a_page_can_be_stored(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    for url in [one for one in world.pages if one.endswith("/3")]:
        page = shop_page(3).replace(b"Oat Drink", b"Oat \\ud83d Drink")
        world.put(url, page)

    async def fetch(url: str):
        got = await world.fetch(url)
        return replace(got, body=jpeg()) if url.endswith(".jpg") else got

    reach = Tools(fetch=fetch, now=lambda: NOW)
    asyncio.run(source(folder, reach, tool_version="1", first=1))
    (task,) = body(folder, "tasks.json")["tasks"]
    assert task["title"] == "Oat ? Drink 3, 12 Pack"


def test_the_readers_of_every_page_fill_a_grid_too(tmp_path):
    folder = tmp_path / "run1"
    begin(folder)
    world = World()
    for shop in ("tail", "own", "shop"):
        for kind in ("toys", "apparel"):
            first = {"tail": 100, "own": 200, "shop": 300}[shop] + 20 * len(kind)
            items = [f"https://{shop}.example/{kind}/{n}?ref=x" for n in range(1, 13)]
            world.put(f"https://{shop}.example/best/{kind}", list_page(items))
            for n, url in enumerate(items, first):
                world.put(url, shop_page(n))

    async def fetch(url: str):
        got = await world.fetch(url)
        return replace(got, body=jpeg()) if url.endswith(".jpg") else got

    reach = Tools(fetch=fetch, now=lambda: NOW)
    told = asyncio.run(source(folder, reach, tool_version="1"))
    assert told == Sourced(6, (), 0, ())
    task = body(folder, "tasks.json")["tasks"][0]
    assert task["url"].endswith("?ref=x")
    assert task["url_canonical"] == task["url"].removesuffix("?ref=x")
    # 1200 x 900 held to 1024
    assert (task["image"]["width"], task["image"]["height"]) == (1024, 768)
    assert (task["price"], task["pack"]["count"], task["basis"]) == (
        *("24.50", 12, "per_unit"),
    )
    assert aside(rows_of(folder)[1]) == []
