"""Ranked lists and long-tail sites, against search.md 2.6 and 3."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sourcing_world import list_page, seated

from ingest.errors import LoadError
from ingest.search.grid.cells import Cell
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


def items(count: int) -> list[Item]:
    return [
        Item(n, f"https://shop.example/p/{n}", f"Thing {n}")
        for n in range(1, count + 1)
    ]


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


def test_half_a_character_of_a_list_can_be_stored():
    item = {"url": "/p/\\ud83d", "name": "Half \\ud83d a sign"}
    body = {"@type": "ItemList", "itemListElement": [item]}
    text = json.dumps(body).replace("\\\\", "\\")
    page = f'<script type="application/ld+json">{text}</script>'
    (found,) = ByFeed()(page, "https://shop.example/best")
    assert found == Item(1, "https://shop.example/p/?", "Half ? a sign")


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
    # every answer up to the one that decided, and whose it is
    answers_of = [list(one["answers"]) for one in found.records]
    assert [len(one) for one in answers_of] == [3, 6, 8]
    assert found.records[1]["answers"]["F06"] == {
        **{"answer": "fail", "decided_by": "code", "note": "a retailer of the grid"}
    }
    assert [one["decided_by"] for one in found.records[2]["answers"].values()] == [
        *("ann", "ann", "ann", "ann", "ann", "code", "ann", "code")
    ]


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
    assert found.records[0]["answers"]["F02"] == {
        **{"answer": "fail", "decided_by": "bob", "note": "shoes only"}
    }


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
