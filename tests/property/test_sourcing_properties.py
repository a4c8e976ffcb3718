"""Walks and orders of lists, whatever is drawn."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sourcing_world import SHOP, World, seated, visit

from ingest.errors import LoadError
from ingest.search.sourcing.ranked_list import Item, item_ids, reordered
from ingest.search.sourcing.walk import Rules, Walk, ranks


def items(count: int) -> list[Item]:
    return [Item(n, f"https://shop.example/p/{n}", None) for n in range(1, count + 1)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.booleans(), max_size=20), st.booleans())
def test_the_first_item_of_the_walk_that_passes_is_chosen(passes, second_pass):
    async def look(url: str):
        good = passes[int(url.rpartition("/")[2]) - 1]
        return visit(url, availability="in_stock" if good else "out")

    rules = Rules(SHOP, "toys", None, seated(), {}, second_pass)
    walk = Walk(items(len(passes)), rules, World().tools())
    chosen = asyncio.run(walk.go(look))
    order = list(range(3, len(passes) + 1, 3))
    if second_pass:
        order += [rank for rank in range(1, len(passes) + 1) if rank % 3]
    good = [rank for rank in order if passes[rank - 1]]
    assert (chosen and chosen.item.rank) == (good[0] if good else None)
    walked = order[: order.index(good[0]) + 1] if good else order
    told = {row["rank"] for row in walk.records() if "outcome" in row}
    assert told == set(walked)
    assert [rank for _, rank in ranks(len(passes), second_pass)] == order


@settings(max_examples=60)
@given(st.permutations(range(8)), st.lists(st.integers(0, 9), max_size=10))
def test_an_order_is_any_permutation_and_nothing_else(order, anything):
    seen = items(8)
    ids = [*item_ids(seen), "strange", "other"]
    told = reordered(seen, json.dumps([ids[n] for n in order]))
    assert [one.url for one in told] == [seen[n].url for n in order]
    assert [one.rank for one in told] == list(range(1, 9))
    if sorted(anything) != list(range(8)):
        with pytest.raises(LoadError):
            reordered(seen, json.dumps([ids[n] for n in anything]))
