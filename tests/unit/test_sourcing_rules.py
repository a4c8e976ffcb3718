"""The rules by which a product gets into a bank, against search.md 2.6 and 3."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from sourcing_world import SHOP, World, seated, visit

from ingest.search.grid.config import Retailer
from ingest.search.sourcing.brands import normal_brand
from ingest.search.sourcing.exclusions import CODES, Candidate, find_exclusion
from ingest.search.sourcing.markers import digital_marker, not_new_marker
from ingest.search.sourcing.ranked_list import (
    Item,
)
from ingest.search.sourcing.visit import Shipping
from ingest.search.sourcing.walk import PageRefused, Rules, Walk, ranks


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Levi's®", "levis"),
        ("ACME, Inc.", "acme"),
        ("Acme Co., Ltd.", "acme"),
        ("  Blue   Bay ", "blue bay"),
        # NFKC would write the mark out as letters
        ("Oxo™", "oxo"),
        ("Ｎｉｋｅ", "nike"),
        ("STRAẞE", "strasse"),
        # a brand is never left without a name
        ("Co.", "co"),
        ("Corp & Co", "corp"),
        ("™", ""),
    ],
)
def test_a_brand_has_one_name_however_it_is_written(written, name):
    assert normal_brand(written) == name


def test_an_alias_is_another_name_of_a_brand():
    aliases = {"hp": "hewlett packard"}
    assert normal_brand("HP® Inc.", aliases) == "hewlett packard"


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Amazon Gift Card, $50", "Gift Card"),
        ("eGift Card", "eGift Card"),
        ("Gift card holder wallet", None),
        ("Giftcards of wood", None),
        ("Sudoku for Adults: Kindle Edition", "Kindle Edition"),
        ("E-book reader, 7 inch", None),
        ("Coffee Subscription, monthly", "Subscription"),
        ("Security camera, no monthly subscription", None),
        ("Doorbell, subscription-free", None),
        ("Digital Camera", None),
        ("Puzzle game (digital code)", "digital code"),
        ("Barcode scanner", None),
    ],
)
def test_digital_goods_are_told_by_whole_words(title, found):
    assert digital_marker(title, "") == found


@pytest.mark.parametrize(
    "text", ["Instant  download", "auto-delivery only", "Email delivery"]
)
def test_digital_goods_are_told_by_the_markers_of_a_page(text):
    assert digital_marker("A thing", f"Buy now. {text} of it.") is not None
    assert digital_marker("A thing", "Instantly downloadable receipts by email") is None


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Phone 13 (Renewed)", "Renewed"),
        ("Refurbished laptop", "Refurbished"),
        ("Open-Box TV 55 in", "Open-Box"),
        ("Bag, Pre-Owned", "Pre-Owned"),
        ("Laptop, Grade A", "Grade A"),
        ("Used iPhone 13", "Used"),
        ("iPhone 13 (Used)", "Used"),
        ("iPhone 13 - Used, Very Good", "Used"),
        ("Gently used jacket", "Gently used"),
        ("Used by athletes: protein bar", None),
        ("Balm, used by athletes", None),
        ("The most widely used label maker", None),
        ("Unused stamps", None),
        ("Reusable bag", None),
        ("Open Boxing Gloves", None),
        ("Upgrade Adapter", None),
    ],
)
def test_goods_that_are_not_new_are_told_by_whole_words(title, found):
    assert not_new_marker(title, "electronics") == found


def test_a_grade_of_food_is_no_condition():
    assert not_new_marker("Maple syrup, Grade A", "grocery") is None
    assert not_new_marker("Maple syrup, Grade A (Used)", "grocery") == "Used"


def excluded(retailer: Retailer = SHOP, store=None, taken=None, **facts: Any):
    """Return the code of the first reason against a good page, some facts changed."""
    shipping = facts.pop("shipping", None)
    one = Candidate(
        *(visit(**facts), ("https://shop.example/p/1",), retailer, "toys", store),
        *(taken or seated(), {}),
        shipping=shipping,
    )
    found = find_exclusion(one)
    return None if found is None else found.code


def test_a_good_page_passes():
    assert excluded() is None


# every reason, in the fixed order, by one fact each
REASONS = [
    {"taken": seated(["https://shop.example/p/1"])},
    {"title": "Gift card"},
    {"brand": None},
    {"condition": "not_new"},
    {"availability": "out"},
    {"has_range": True, "price": None},
    {"currency": "CAD"},
    {"text": "Pickup only at this store"},
    {"taken": seated(acme="other")},
    {"shipping": lambda: None},
]


@pytest.mark.parametrize("place", range(10))
def test_each_reason_has_its_code(place):
    assert excluded(**REASONS[place]) == CODES[place]


@pytest.mark.parametrize("place", range(8))
def test_of_several_reasons_the_first_of_the_order_is_logged(place):
    both = {**REASONS[place + 1], **REASONS[place]}
    assert excluded(**both) == CODES[place]


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"title": None}, "X03_UNEXTRACTABLE"),
        ({"price": None}, "X03_UNEXTRACTABLE"),
        ({"image_url": None}, "X03_UNEXTRACTABLE"),
        ({"brand": "™"}, "X03_UNEXTRACTABLE"),
        ({"state": "dead"}, "X03_UNEXTRACTABLE"),
        ({"state": "unreadable"}, "X03_UNEXTRACTABLE"),
        # a price that is there and hidden is another reason
        ({"price": None, "text": "See price in cart"}, "X06_PRICE_HIDDEN"),
        ({"price": None, "text": "Members-only price"}, "X06_PRICE_HIDDEN"),
        ({"availability": "not_now"}, "X05_OUT_OF_STOCK"),
        ({"availability": "unknown"}, "X05_OUT_OF_STOCK"),
        ({"availability": "store_only"}, "X08_NOT_ONLINE"),
        ({"currency": None}, "X07_NOT_US"),
        ({"text": "This item does not ship to your location"}, "X07_NOT_US"),
        ({"text": "It cannot be shipped to the selected address"}, "X07_NOT_US"),
        ({"text": "Ships to your location by Friday"}, None),
        ({"shipping": lambda: Shipping(0, 0, "page")}, None),
    ],
)
def test_what_counts_as_a_reason(facts, code):
    assert excluded(**facts) == code


def test_cells_of_a_shop_with_its_own_brand_may_share_it_and_others_may_not():
    own = replace(SHOP, name="apple", own_brands=True)
    assert excluded(own, taken=seated(acme="apple")) is None
    # across retailers the rule holds in full
    assert excluded(own, taken=seated(acme="amazon")) == "X09_BRAND_SEATED"
    assert excluded(SHOP, taken=seated(acme="apple")) == "X09_BRAND_SEATED"
    assert excluded(SHOP, taken=seated(acme="shop")) == "X09_BRAND_SEATED"
    assert excluded(brand="ACME® Inc.", taken=seated(acme="x")) == "X09_BRAND_SEATED"


def test_goods_without_a_brand_pass_where_that_is_usual():
    optional = replace(SHOP, brand_optional=True)
    assert excluded(optional, brand=None, taken=seated(acme="x")) is None
    # a store of the long tail lends its name, which may be taken
    assert excluded(brand=None, store="Little Store") is None
    taken = {"little store": frozenset({"x"})}
    lent = excluded(
        brand=None, store="Little Store", taken=replace(seated(), brands=taken)
    )
    assert lent == "X09_BRAND_SEATED"


def items(count: int) -> list[Item]:
    return [
        Item(n, f"https://shop.example/p/{n}", f"Thing {n}")
        for n in range(1, count + 1)
    ]


def walk(pages: dict[int, dict[str, Any]], taken, count=10, second_pass=False):
    """Walk a list; return the walk, what it chose and the ranks that were looked at."""
    looked = []

    async def look(url: str):
        rank = int(url.rpartition("/")[2])
        looked.append(rank)
        if pages.get(rank, {}).get("state") == "blocked":
            raise PageRefused(url, "HTTP 403")
        return visit(url, **pages.get(rank, {}))

    rules = Rules(SHOP, "toys", None, taken, {}, second_pass)
    one = Walk(items(count), rules, World().tools())
    chosen = asyncio.run(one.go(look))
    return one, chosen, looked


WORKED = {3: {"availability": "out"}, 6: {"brand": "Taken"}}


def coded(one: Walk) -> dict[int, str]:
    return {
        row["rank"]: row.get("code", row["outcome"])
        for row in one.records()
        if "outcome" in row
    }


def test_the_worked_walk_logs_two_reasons_and_takes_rank_nine():
    one, chosen, looked = walk(WORKED, seated(taken="other"))
    assert looked == [3, 6, 9]
    assert chosen.item.rank == 9
    assert coded(one) == {
        **{3: "X05_OUT_OF_STOCK", 6: "X09_BRAND_SEATED", 9: "selected"}
    }
    # all that was seen is stored, walked or not
    assert [row["rank"] for row in one.records()] == list(range(1, 11))
    assert all(row["url"] and row["title"] for row in one.records())


def test_a_second_cell_on_the_same_list_stays_empty():
    taken = seated(["https://shop.example/p/9"], taken="other")
    one, chosen, looked = walk(WORKED, taken)
    assert chosen is None
    assert coded(one) == {
        **{3: "X05_OUT_OF_STOCK", 6: "X09_BRAND_SEATED", 9: "X01_URL_TAKEN"}
    }
    # what is taken needs no look
    assert looked == [3, 6]


def test_a_second_pass_walks_the_ranks_between_from_the_top_and_says_so():
    taken = seated(["https://shop.example/p/9"], taken="other")
    pages = {**WORKED, 1: {"availability": "out"}}
    one, chosen, looked = walk(pages, taken, second_pass=True)
    assert looked == [3, 6, 1, 2]
    assert (chosen.item.rank, chosen.walk_pass) == (2, 2)
    assert [row.get("walk_pass") for row in one.records()[:3]] == [2, 2, None]


def test_ranks_are_those_of_the_text():
    assert [rank for _, rank in ranks(10)] == [3, 6, 9]
    assert [rank for _, rank in ranks(2)] == []
    both = list(ranks(7, second_pass=True))
    assert both == [(1, 3), (1, 6), (2, 1), (2, 2), (2, 4), (2, 5), (2, 7)]


def test_a_page_that_is_refused_stops_the_walk_with_what_was_seen():
    with pytest.raises(PageRefused, match="p/6 was refused"):
        walk({3: {"availability": "out"}, 6: {"state": "blocked"}}, seated())
