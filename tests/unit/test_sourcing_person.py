"""Filling a grid where a person has a part: saved pages, sites, filters, tables."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from search_folder import aside, rows_of
from sourcing_world import (
    FILTERS,
    World,
    begin,
    body,
    events,
    facts_page,
    fill,
    list_page,
)

from ingest.errors import LoadError
from ingest.search.grid.files import read_grid
from ingest.search.sourcing.tables import write_templates


def wall(world: World, url: str) -> None:
    world.put(url, b"Verify you are human", 403)


def test_a_refused_list_asks_a_person_for_the_page_and_for_all_others_at_once(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    urls = ["https://shop.example/best/apparel", "https://own.example/best/toys"]
    saved = {url: world.pages[url][1] for url in urls}
    for url in urls:
        wall(world, url)
    told = fill(folder, world)
    needs = "\n".join(told.needs)
    assert len(told.needs) == 2
    assert "was refused (http: HTTP 403)" in told.needs[0]
    for url in urls:
        assert f"open {url} in a browser" in needs
        name = hashlib.sha256(url.encode()).hexdigest()[:16]
        path = folder / "saved" / f"{name}.html"
        assert str(path) in needs
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(saved[url])
    # what is saved has a name to it
    assert "say by whom with --by" in fill(folder, world).needs[0]
    assert fill(folder, world, by="ann").filled == 6
    cells = body(folder, "cells.json")["cells"]
    first = next(one for one in cells if one["retailer"] == "own")
    (fallback,) = events(folder, first["cell_id"], "fallback")
    url = urls[1]
    assert fallback == {
        **{"type": "fallback", "kind": "human_saved_dom", "url": url, "by": "ann"},
        **{"file_sha256": hashlib.sha256(saved[url]).hexdigest()},
        "at": "2026-11-30T12:00:00Z",
    }
    (fetched,) = events(folder, first["cell_id"], "list_fetch")
    assert (fetched["fetcher"], fetched["http_status"]) == ("human_saved_dom", None)
    assert aside(rows_of(folder)[1]) == []


def test_a_renderer_is_asked_before_a_person(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    for url in [one for one in world.pages if "/best/" in one]:
        hidden = world.pages[url][1]
        world.put(f"{url}#rendered", hidden)
        # a page whose list only scripts bring
        world.put(url, b"<ol></ol>")

    async def render(url: str):
        return await world.fetch(f"{url}#rendered")

    assert "0 items in the page" in fill(folder, world).needs[0]
    assert fill(folder, world, tools={"render": render}).filled == 6
    for one in body(folder, "sourcing_log.json")["records"]:
        (event,) = (x for x in one["events"] if x["type"] == "list_fetch")
        assert event["fetcher"] == "rendered"


def test_a_refused_product_page_is_saved_by_a_person_or_passed_over(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    url = "https://own.example/toys/3"
    page = world.pages[url][1]
    wall(world, url)
    told = fill(folder, world)
    (need,) = told.needs
    assert need.startswith("own.toys.0")
    assert "a product page was refused (http: HTTP 403)" in need
    assert "or pass such pages over with --skip-refused" in need
    # the list that was got is kept for the next start
    lists = [one for one in world.fetched if one == "https://own.example/best/toys"]
    fill(folder, world)
    assert [one for one in world.fetched if one == lists[0]] == lists
    # the folder of another run, where they are passed over
    other = tmp_path / "run2"
    begin(other)
    assert fill(other, world, skip_refused=True).filled == 6
    codes = [
        (item["rank"], item["code"], item["detail"])
        for item in events(other, need.split(":")[0], "walk")[-1]["items"]
        if "code" in item
    ]
    assert codes == [
        (3, "X03_UNEXTRACTABLE", "refused by every fetcher (http: HTTP 403)")
    ]
    # and here it was saved
    path = folder / "saved" / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.html"
    path.parent.mkdir()
    path.write_bytes(page)
    assert fill(folder, world, by="ann").filled == 6
    task = next(one for one in body(folder, "tasks.json")["tasks"] if one["url"] == url)
    assert task["extraction"]["source"] == "saved-dom"
    assert aside(rows_of(folder)[1]) == []


def test_an_unanswered_filter_names_site_filters_and_table(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    table = folder / "sources" / "filters.csv"
    text = table.read_text()
    table.write_text(text.replace("tail.example,,F04,pass,ann,\n", ""))
    (need,) = fill(folder, world).needs
    assert "tail.example (rank 2) has no answer to F04 aggregator" in need
    assert "sources/filters.csv" in need
    table.write_text(text)
    assert fill(folder, world).filled == 6


def tail_cell(folder: Path) -> dict[str, Any]:
    return next(
        one for one in body(folder, "cells.json")["cells"] if one["retailer"] == "tail"
    )


def test_a_site_that_fails_later_is_replaced_with_an_amendment(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    cell = tail_cell(folder)
    kind = cell["category"]
    wall(world, f"https://tail.example/best/{kind}")
    assert f"tail.{kind}.01: the list of tail.example" in fill(folder, world).needs[0]
    sources = folder / "sources"
    text = (sources / "filters.csv").read_text()
    passes = "".join(f"next.example,,F0{n},pass,bob,\n" for n in (1, 2, 3, 4, 5, 7))
    failed = text.replace(
        "tail.example,,F07,pass,ann,", "tail.example,,F07,fail,ann,no"
    )
    (sources / "filters.csv").write_text(failed + passes)
    (sources / "roster.csv").write_text(
        "category,rank,domain,name\n"
        f"{kind},1,shop.example,Shop\n{kind},2,tail.example,Tail\n"
        f"{kind},3,next.example,Next\n"
    )
    with (sources / "lists.csv").open("a") as lists:
        lists.write("next.example,,,Best,https://next.example/best,li a,,\n")
    items = [f"https://next.example/p/{n}" for n in range(1, 4)]
    world.put("https://next.example/best", list_page(items))
    # without a brand on its page it has the store's name
    world.put(items[2], facts_page(title="Its own thing", brand=None))
    assert fill(folder, world, by="ann").filled == 6
    (amended,) = events(folder, cell["cell_id"], "amendment")
    assert amended == {
        **{"type": "amendment", "kind": "roster_substitution", "by": "ann"},
        **{"from": "tail.example", "to": "next.example", "note": "no"},
        **{"failed_filter": "F07 ships_us", "at": "2026-11-30T12:00:00Z"},
    }
    assert len(events(folder, cell["cell_id"], "site_walk")) == 2
    task = next(
        one for one in body(folder, "tasks.json")["tasks"] if one["retailer"] == "tail"
    )
    assert task["brand"] == "Next"
    assert task["extraction"]["warnings"] == ["brand_from_store"]
    assert aside(rows_of(folder)[1]) == []


def test_all_lists_that_are_not_named_are_told_at_once(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    table = folder / "sources" / "lists.csv"
    table.unlink()
    cells = read_grid(folder).grid.cells
    write_templates(folder, cells)
    # each list that the grid needs has its row, and an address is all that it lacks
    assert table.read_text().splitlines()[1:] == [
        "own,toys,,best sellers: toys,,,,",
        "shop,apparel,,best sellers: apparel,,,,",
    ]
    end = "give its address in sources/lists.csv"
    assert fill(folder, world).needs == (
        # the first cell of the order is that of the long tail
        f"no ranked list of tail.example for toys: {end}",
        *(
            f"no ranked list of {one} for {kind}: {end}"
            for one, kind in (("shop", "apparel"), ("own", "toys"))
        ),
    )
    assert world.fetched == []


def test_templates_leave_the_tables_that_are_there_alone(tmp_path):
    folder = tmp_path / "run1"
    begin(folder)
    before = (folder / "sources" / "lists.csv").read_text()
    write_templates(folder, read_grid(folder).grid.cells)
    assert (folder / "sources" / "lists.csv").read_text() == before
    assert (folder / "sources" / "brand_aliases.csv").read_text() == "alias,brand\n"


def test_a_report_of_sites_that_is_absent_is_named(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    (folder / "sources" / "roster.csv").unlink()
    (need,) = fill(folder, world).needs
    assert need == (
        "tail.toys.01: no report of toys sites: add one as sources/roster*.csv"
    )


@pytest.mark.parametrize(
    ("table", "text", "says"),
    [
        (
            "filters.csv",
            f"{FILTERS}\na.example,,F09,pass,x,",
            "filter 'F09' is not one",
        ),
        (
            "filters.csv",
            f"{FILTERS}\na.example,,F01,yes,x,",
            "answer 'yes' is not one of",
        ),
        ("filters.csv", f"{FILTERS}\na.example,,F01,pass,,", "decided_by is empty"),
        (
            "roster.csv",
            "category,rank,domain,name\ntoys,0,a.example,A",
            "rank 0 is below 1",
        ),
        (
            "lists.csv",
            "site,category,subcategory,name,url,selector,order,note\nshop,,,B,best,,,",
            "url 'best' is no address",
        ),
    ],
)
def test_a_table_that_cannot_be_is_refused_in_one_line(table, text, says, tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    (folder / "sources" / table).write_text(f"{text}\n")
    with pytest.raises(LoadError) as error:
        fill(folder, world)
    assert says in str(error.value)
    assert f"sources/{table} line 2" in str(error.value)
