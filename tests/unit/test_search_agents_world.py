"""Every published seat asked in the offline world finds what its searcher finds."""

from __future__ import annotations

import asyncio
import json

import pytest
from agent_room import products
from search_folder import aside, edit, rows_of

from ingest.run_calls import Limits
from ingest.search.address import canonical
from ingest.search.agents.collect import run_agent
from ingest.search.agents.seats import load_seats
from ingest.search.agents.session import World
from ingest.search.run_store import open_store
from ingest.search.schemas import TRACKS
from ingest.world.catalogue import catalogue
from ingest.world.searchers import SEARCHERS
from ingest.world.seats import seats_yaml
from ingest.world.server import serving

ITEMS = catalogue()[:3]
# agent -> searcher behind it, as in the seats of the world
BEHIND = {
    "gpt": "finds-all",
    "claude": "finds-nearest-two",
    "gemini": "one-shop",
    "perplexity": "boaster",
    "findcheap": "careless",
}


def of_the_world(body):
    """Put items of the world in the place of the products."""
    first = body["tasks"][0]
    body["tasks"] = [
        {
            **first,
            **{"task_id": f"t{n:03}", "label": f"t{n:03}", "position": n},
            **{"title": item.product.name, "url": item.reference.url},
            "url_canonical": canonical(item.reference.url),
        }
        for n, item in enumerate(ITEMS)
    ]


async def no_wait(seconds):
    """Wait for nothing: a batch of the world ends at its second poll."""


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Every agent asked for every item on both tracks."""
    folder = products(tmp_path_factory.mktemp("world"))
    path = folder / "tasks.json"
    files = {"tasks.json": path.read_bytes()}
    edit(files, "tasks.json", of_the_world)
    path.write_bytes(files["tasks.json"])
    # made for other products
    (folder / "cells.json").unlink()
    (folder / "sourcing_log.json").unlink()
    store = open_store(folder)
    tasks, limits = list(store.products.values()), Limits(concurrency=2)
    with serving() as world:
        seats_file = folder / "seats.yaml"
        seats_file.write_text(seats_yaml(world.address))
        seats = load_seats(seats_file)
        for agent in BEHIND:
            for track in TRACKS:
                asyncio.run(
                    run_agent(
                        store,
                        seats[agent],
                        track,
                        tasks,
                        limits=limits,
                        world=World(sleep=no_wait),
                    )
                )
    return folder


@pytest.mark.parametrize("track", TRACKS)
@pytest.mark.parametrize("agent", BEHIND)
def test_an_agent_lists_what_its_searcher_lists(asked, agent, track):
    body = json.loads((asked / f"raw_{agent}_{track}.json").read_text())
    searcher = SEARCHERS[BEHIND[agent]]
    for n, item in enumerate(ITEMS):
        entry = body["entries"][f"t{n:03}"]
        told = json.loads(searcher.answer(item, track))["listings"]
        pages = list(dict.fromkeys(canonical(one["url"]) for one in told))
        assert [one["url_canonical"] for one in entry["listings"]] == pages[:10]
        assert entry["status"] == ("ok" if pages else "empty")
        prices = [one["item_price"] for one in told]
        if len(pages) == len(told):
            assert [one["item_price"] for one in entry["listings"]] == prices
        assert entry["usage"]["cost_usd"] is not None
        # the Messages API of the world pauses twice
        assert entry["continuations"] == (2 if agent == "claude" else 0)
        assert (entry["batch"]["batch_id"] is not None) == (agent == "claude")


def test_the_loader_takes_all_of_it(asked):
    _, rows = rows_of(asked)
    assert rows.errors == []
    assert aside(rows) == []
    assert rows.rows("agent") == len(BEHIND) * len(TRACKS)
    assert rows.rows("call") == len(BEHIND) * len(TRACKS) * len(ITEMS)
