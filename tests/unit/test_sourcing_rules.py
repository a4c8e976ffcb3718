"""The rules by which a product gets into a bank, against search.md 2.6 and 3."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from sourcing_world import SHOP, World, list_page, seated, visit

from ingest.errors import LoadError
from ingest.search.grid.cells import Cell
from ingest.search.grid.config import Retailer
from ingest.search.sourcing.brands import normal_brand
from ingest.search.sourcing.exclusions import CODES, Candidate, find_exclusion
from ingest.search.sourcing.markers import digital_marker, not_new_marker
from ingest.search.sourcing.ranked_list import (
    ByFeed,
    BySelector,
    Item,
    item_ids,
    order_question,
    ranked,
    reordered,
    without_prices,
)
from ingest.search.sourcing.roster import walk_sites
from ingest.search.sourcing.tables import FilterAnswer, Site, Tables
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


def test_an_order_is_taken_only_if_it_is_of_exactly_the_items():
    seen = items(3)
    ids = item_ids(seen)
    told = reordered(seen, json.dumps([ids[2], ids[0], ids[1]]))
    assert [(one.rank, one.title) for one in told] == [
        *((1, "Thing 3"), (2, "Thing 1"), (3, "Thing 2"))
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda ids: ids[:2], "0 unknown, 1 missing, 0 twice"),
        (lambda ids: [*ids, "strange"], "1 unknown, 0 missing, 0 twice"),
        (lambda ids: [*ids, ids[0]], "0 unknown, 0 missing, 1 twice"),
        (lambda ids: [ids[0], ids[0], ids[1]], "0 unknown, 1 missing, 1 twice"),
        (lambda ids: {"order": ids}, "no JSON array of ids"),
        (lambda ids: [1, 2, 3], "no JSON array of ids"),
        (lambda ids: [[one] for one in ids], "no JSON array of ids"),
    ],
)
def test_any_other_order_is_refused(change, says):
    seen = items(3)
    with pytest.raises(LoadError, match=says):
        reordered(seen, json.dumps(change(item_ids(seen))))


def test_an_order_that_is_no_json_is_refused():
    with pytest.raises(LoadError, match="no JSON array; ask again"):
        reordered(items(3), "the best is the first")


def test_a_model_sees_no_price():
    seen = ranked(
        [("https://a.example/p/1?price=9", "Pan $19.99 (was US $25) 20% off")]
    )
    asked = order_question(seen)
    assert "Pan (was )" in asked
    assert not any(sign in asked for sign in ("19", "25", "20%", "price=9"))
    assert without_prices("2 x 500 ml, 3.50 USD, 99¢, $1,299.00 - $1,499.00") == (
        "2 x 500 ml, , ,"
    )


def test_a_selector_reads_links_in_the_order_of_the_page_once_each():
    page = (
        '<nav><a href="/help">Help</a></nav>'
        '<li><a href="/p/1"><img alt="One"></a><a href="/p/1">One again</a></li>'
        '<li><a href="/p/2#reviews">Two</a></li><li><a href="/p/1">One</a></li>'
        '<li>Without a link</li><li><a href="#top">Top</a></li>'
    )
    found = BySelector("li")(page, "https://shop.example/best")
    assert found == (
        Item(1, "https://shop.example/p/1", "One"),
        Item(2, "https://shop.example/p/2#reviews", "Two"),
    )
    with pytest.raises(LoadError, match="is not CSS"):
        BySelector("li[")(page, "https://shop.example/best")


def test_a_list_for_machines_is_read_by_its_positions():
    elements = [
        {"position": 2, "item": {"@type": "Product", "url": "/p/b", "name": "B"}},
        {"position": 1, "url": "https://shop.example/p/a", "name": "A"},
    ]
    body = {"@graph": [{"@type": "ItemList", "itemListElement": elements}]}
    page = (
        '<script type="application/ld+json">{broken</script>'
        f'<script type="Application/LD+JSON; charset=utf-8">{json.dumps(body)}</script>'
    )
    assert ByFeed()(page, "https://shop.example/best") == (
        Item(1, "https://shop.example/p/a", "A"),
        Item(2, "https://shop.example/p/b", "B"),
    )
    assert ByFeed()(list_page(["/p/1"]).decode(), "https://shop.example/best") == ()


CELL = Cell("tail.toys.01", 0, "tail", "longtail", "toys", None, "large")
REPORT = (
    Site("toys", 1, "big.example", "Big"),
    Site("toys", 2, "www.shop.example", "Shop"),
    Site("toys", 3, "small.example", "Small"),
    Site("toys", 149, "a.example", "A"),
    Site("toys", 150, "b.example", "B"),
    Site("toys", 500, "c.example", "C"),
    Site("toys", 501, "d.example", "D"),
)
PERSON = ("F01", "F02", "F03", "F04", "F05", "F07")


def answers(domain: str, **changed: str):
    """Return answers that pass a site, some of them changed; `-` leaves one out."""
    told = {code: changed.get(code, "pass") for code in (*PERSON, *changed)}
    return {
        (domain, "", code): FilterAnswer(answer, "ann", "seen")
        for code, answer in told.items()
        if answer != "-"
    }


def site_walk(filters, cell=CELL, used=(), taken=None):
    tables = Tables((), REPORT, filters, {}, {})
    return walk_sites(
        *(cell, tables), named=["shop.example"], used=used, seated=taken or seated()
    )


def test_the_first_site_that_passes_every_filter_is_taken_and_all_are_recorded():
    filters = {
        **answers("big.example", F03="fail"),
        **answers("www.shop.example"),
        **answers("small.example"),
    }
    found = site_walk(filters)
    assert found.site.domain == "small.example"
    assert [(one["domain"], one.get("filter")) for one in found.records] == [
        ("big.example", "F03 marketplace"),
        # a shop of the grid, which code can tell
        ("www.shop.example", "F06 named_retailer"),
        ("small.example", None),
    ]
    assert [one["decided_by"] for one in found.records] == ["ann", "code", "ann, code"]


def test_an_unanswered_filter_blocks_the_walk_at_that_site():
    filters = {**answers("big.example", F02="-", F07="-"), **answers("small.example")}
    found = site_walk(filters)
    assert found.site is None
    assert (found.blocked.domain, found.unanswered) == ("big.example", ("F02", "F07"))


def test_a_filter_that_fails_first_needs_no_later_answer():
    filters = {
        **answers("big.example", F01="fail", F07="-"),
        **answers("www.shop.example", F07="fail"),
        **answers("small.example"),
    }
    found = site_walk(filters)
    assert [one.get("filter") for one in found.records] == [
        *("F01 own_storefront", "F06 named_retailer", None)
    ]
    # before an answer that is open a failure further down decides nothing
    early = site_walk(answers("big.example", F01="-", F03="fail"))
    assert early.unanswered == ("F01",)


def test_an_answer_for_the_category_goes_before_one_for_all():
    filters = {
        **answers("big.example"),
        ("big.example", "toys", "F02"): FilterAnswer("fail", "bob", "shoes only"),
        **answers("www.shop.example"),
        **answers("small.example"),
    }
    found = site_walk(filters)
    assert found.records[0]["filter"] == "F02 physical_goods_in_category"
    assert (found.records[0]["decided_by"], found.records[0]["note"]) == (
        *("bob", "shoes only"),
    )


def test_a_site_or_brand_that_another_cell_has_is_not_taken_again():
    filters = {**answers("big.example"), **answers("www.shop.example")}
    filters |= answers("small.example")
    for again in (
        site_walk(filters, used=["big.example"]),
        site_walk(filters, taken=seated(big="shop")),
    ):
        assert again.records[0]["filter"] == "F08 brand_already_used"
        assert again.site.domain == "small.example"


def test_small_sites_are_those_of_rank_150_to_500():
    small = replace(CELL, stratum="small")
    passing = {}
    for site in REPORT:
        passing |= answers(site.domain)
    assert site_walk(passing, small).site.rank == 150
    used = [one.domain for one in REPORT if one.rank < 500]
    assert site_walk(passing, small, used).site.rank == 500
    used += ["c.example"]
    found = site_walk(passing, small, used)
    assert (found.site, found.blocked) == (None, None)
