"""Filling a grid from a made-up web: order, log, freezing, kills, a person's part."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from pathlib import Path

import pytest
from search_folder import aside, rows_of
from sourcing_world import (
    PICTURE,
    World,
    begin,
    body,
    events,
    facts_page,
    fill,
)

from ingest.errors import LoadError
from ingest.search.missing import missing
from ingest.search.sourcing import log as log_module
from ingest.search.sourcing.source import Sourced, source
from pricebench.cli import main

ARTIFACTS = ("cells.json", "sourcing_log.json", "tasks.json")


def artifacts(folder: Path) -> dict[str, str]:
    return {
        name: (folder / name).read_text()
        for name in ARTIFACTS
        if (folder / name).exists()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory):
    """Return a run of six cells filled in one go: folder, world, what was told."""
    folder = tmp_path_factory.mktemp("whole") / "run1"
    world = begin(folder)
    said: list[str] = []
    told = fill(folder, world, say=said.append)
    return folder, world, told, said


def test_every_cell_is_filled_in_the_order_of_its_position(whole):
    folder, _, told, said = whole
    assert told == Sourced(6, (), 0, ())
    cells = body(folder, "cells.json")["cells"]
    assert [line.split(":")[0] for line in said] == [one["cell_id"] for one in cells]
    assert {one["status"] for one in cells} == {"filled"}
    tasks = body(folder, "tasks.json")["tasks"]
    assert [one["cell_id"] for one in tasks] == [one["cell_id"] for one in cells]
    assert [one["task_id"] for one in tasks] == [f"t00{n}" for n in range(1, 7)]


def test_cells_on_one_list_take_its_third_sixth_and_ninth_item(whole):
    folder, world, *_ = whole
    ranks: dict[str, list[int]] = {}
    for one in body(folder, "sourcing_log.json")["records"]:
        site = one["selected"]["url"].rpartition("/")[0]
        ranks.setdefault(site, []).append(one["selected"]["rank"])
    assert all(found == [3, 6, 9][: len(found)] for found in ranks.values())
    # a run gets a list once; the cells after the first say whose it was
    lists = [url for url in world.fetched if "/best/" in url]
    assert len(lists) == len(set(lists))
    shared = [
        one
        for cell in body(folder, "sourcing_log.json")["records"]
        for one in cell["events"]
        if one["type"] == "list_fetch"
    ]
    assert len(shared) == 6
    assert sum("reused_from" in one for one in shared) == 6 - len(lists)


def test_two_cells_of_the_shop_with_its_own_brand_share_it(whole):
    folder, *_ = whole
    tasks = body(folder, "tasks.json")["tasks"]
    assert [one["brand"] for one in tasks if one["retailer"] == "own"] == ["Own", "Own"]


def test_the_artifacts_load_with_the_reader_of_every_run(whole):
    folder, *_ = whole
    run, rows = rows_of(folder)
    assert aside(rows) == []
    assert rows.errors == run.errors == run.differences() == []
    assert run.stale({name: run.artifacts[name].sha256 for name in ARTIFACTS}) == []
    assert (rows.rows("cell"), rows.rows("task"), rows.rows("selection")) == (6, 6, 6)
    # every list has twelve items, and every cell a walk with all of them
    assert rows.rows("source_item") == 6 * 12
    # pictures and page snapshots that are named are there
    assert [line for line in missing(run, rows) if "absent" in line] == []


def test_a_product_is_frozen_as_its_page_was(whole):
    folder, world, *_ = whole
    task = next(
        one
        for one in body(folder, "tasks.json")["tasks"]
        if one["url"] == "https://own.example/toys/3"
    )
    page = world.pages["https://own.example/toys/3"][1]
    assert task == {
        **{"task_id": task["task_id"], "label": f"{task['task_id']}-toys-3-of"},
        **{"cell_id": "own.toys.01", "position": task["position"]},
        **{"retailer": "own", "category": "toys", "title": "toys 3 of own"},
        **{"brand": "Own", "url": "https://own.example/toys/3"},
        "url_canonical": "https://own.example/toys/3",
        "image": {
            **{"sha256": hashlib.sha256(PICTURE).hexdigest()},
            **{"width": 64, "height": 48, "source_url": "https://cdn.example/a.jpg"},
        },
        **{"price": "19.99", "currency": "USD", "list_price": None},
        "pack": {
            **{"count": 1, "unit_size": None, "unit": None, "contents": None},
            **{"ambiguous": False, "evidence": None, "source": "parser"},
        },
        **{"is_fashion": False, "condition": "new", "availability": "in_stock"},
        **{"gtin": None, "mpn": None, "sku": None},
        "variant": {"size": None, "color": None},
        "extraction": {
            **{"source": "json-ld", "evidence": hashlib.sha256(page).hexdigest()},
            **{"at": "2026-11-30T12:00:00Z", "warnings": []},
        },
        # left to the phase after this one
        "shipping": dict.fromkeys(
            ("amount", "fees", "source", "policy_row", "at", "note")
        ),
        **{"landed": None, "basis": "total"},
    }
    stored = folder / "evidence" / f"{task['extraction']['evidence']}.html.gz"
    assert gzip.decompress(stored.read_bytes()) == page
    assert (
        folder / "images" / f"{task['image']['sha256']}.jpg"
    ).read_bytes() == PICTURE


def test_fashion_packs_and_settled_shipping_are_frozen_too(tmp_path):
    from decimal import Decimal

    from ingest.search.sourcing.visit import Shipping

    world = begin(tmp_path / "run1")
    for kind in ("toys", "apparel"):
        page = facts_page(brand="Own", pack=6, price="24.005", title="Socks")
        world.put(f"https://own.example/{kind}/3", page)
        world.put(f"https://shop.example/{kind}/3", page.replace(b"Own", b"Other"))

    def ship(_page, retailer):
        policy = f"{retailer}:any"
        return Shipping(Decimal("5.99"), Decimal("0"), "policy_table", policy)

    fill(tmp_path / "run1", world, tools={"shipping": ship})
    tasks = body(tmp_path / "run1", "tasks.json")["tasks"]
    task = next(one for one in tasks if one["title"] == "Socks")
    # half a cent up, and 24.01 + 5.99
    assert (task["price"], task["landed"], task["basis"]) == (
        "24.01",
        "30.00",
        "per_unit",
    )
    assert task["shipping"] == {
        **{"amount": "5.99", "fees": "0.00", "source": "policy_table"},
        **{"policy_row": f"{task['retailer']}:any", "note": None},
        "at": "2026-11-30T12:00:00Z",
    }
    assert {one["is_fashion"] for one in tasks if one["category"] == "apparel"} == {
        True
    }


def test_the_same_call_again_changes_nothing_and_fetches_nothing(whole):
    folder, world, told, _ = whole
    before, fetched = artifacts(folder), len(world.fetched)
    assert fill(folder, world) == told
    assert artifacts(folder) == before
    assert len(world.fetched) == fetched


class Killed(BaseException):
    """A process that ends where it stands."""


def test_a_kill_at_any_write_or_fetch_loses_nothing(tmp_path, monkeypatch):
    # the disk itself is not what fails here
    monkeypatch.setattr(os, "fsync", lambda _: None)
    fill(tmp_path / "run1", begin(tmp_path / "run1"), first=3)
    wanted = artifacts(tmp_path / "run1")
    write = log_module.write_whole
    left = {"write": 0, "fetch": 0}

    def count(what: str) -> None:
        left[what] -= 1
        if left[what] == 0:
            raise Killed

    def dying_write(path, content):
        count("write")
        write(path, content)

    monkeypatch.setattr(log_module, "write_whole", dying_write)

    def killed(folder: Path, what: str, place: int) -> bool:
        """Fill a run that is killed at one place, and go on; tell if it was killed."""
        world = begin(folder / "run1")

        async def dying_fetch(url: str):
            count("fetch")
            return await world.fetch(url)

        left.update({"write": 0, "fetch": 0, what: place})
        try:
            fill(folder / "run1", world, tools={"fetch": dying_fetch}, first=3)
        except Killed:
            told = fill(folder / "run1", world, first=3)
        else:
            return False
        assert told == Sourced(3, (), 3, ())
        assert artifacts(folder / "run1") == wanted, (what, place)
        return True

    # log, cells and products of three cells
    places = [killed(tmp_path / f"write{n}", "write", n) for n in range(1, 11)]
    assert places == [True] * 9 + [False]
    # page and picture of each, and two lists at least
    places = [killed(tmp_path / f"fetch{n}", "fetch", n) for n in range(1, 9)]
    assert places == [True] * 8


def test_a_correction_of_a_product_survives_what_is_sourced_after_it(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    assert fill(folder, world, first=2).filled == 2
    tasks = body(folder, "tasks.json")
    tasks["tasks"][0]["shipping"]["amount"] = "4.00"
    tasks["inputs"]["shipping_policy.csv"] = "0" * 64
    (folder / "tasks.json").write_text(json.dumps(tasks))
    assert fill(folder, world).filled == 6
    after = body(folder, "tasks.json")
    assert after["tasks"][0]["shipping"]["amount"] == "4.00"
    assert after["inputs"]["shipping_policy.csv"] == "0" * 64
    assert len(after["tasks"]) == 6


def test_a_list_without_a_product_leaves_its_cell_unfilled_and_counted(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    for n in range(1, 13):
        gone = facts_page(availability="out", brand=f"b{n}")
        world.put(f"https://own.example/toys/{n}", gone)
    told = fill(folder, world)
    assert told.unfilled == tuple(
        one["cell_id"]
        for one in body(folder, "cells.json")["cells"]
        if one["retailer"] == "own"
    )
    assert (told.filled, told.planned) == (4, 0)
    # tasks are numbered through; positions keep the gaps
    tasks = body(folder, "tasks.json")["tasks"]
    assert [one["task_id"] for one in tasks] == ["t001", "t002", "t003", "t004"]
    (event,) = events(folder, "own.toys.01", "walk")
    assert [one["rank"] for one in event["items"] if "code" in one] == [3, 6, 9, 12]
    assert aside(rows_of(folder)[1]) == []


def test_a_run_keeps_to_its_second_pass(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    for n in (3, 6, 9, 12):
        gone = facts_page(availability="out", brand="Own")
        world.put(f"https://own.example/toys/{n}", gone)
    assert fill(folder, world, second_pass=True).filled == 6
    chosen = {
        one["cell_id"]: (one["selected"]["rank"], one["selected"]["walk_pass"])
        for one in body(folder, "sourcing_log.json")["records"]
    }
    assert sorted(rank for name, rank in chosen.items() if "own" in name) == [
        *((1, 2), (2, 2))
    ]
    with pytest.raises(LoadError, match="was begun with a second pass"):
        fill(folder, world)


def test_a_model_may_give_the_order_and_is_logged(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    table = folder / "sources" / "lists.csv"
    table.write_text(table.read_text().replace(",li a,,", ",li a,model,"))
    assert "leaves the order of" in fill(folder, world).needs[0]

    async def backwards(question: str) -> str:
        ids = [line.split("\t")[0] for line in question.splitlines() if "\t" in line]
        return json.dumps(ids[::-1])

    async def short(question: str) -> str:
        return "[]"

    refused = fill(folder, world, tools={"ask": short, "model": "m"})
    assert "is not of its 12 items: 0 unknown, 12 missing" in refused.needs[0]
    assert fill(folder, world, tools={"ask": backwards, "model": "m"}).filled == 6
    record = body(folder, "sourcing_log.json")["records"][0]
    # the third of the list backwards
    assert record["selected"]["url"].endswith("/10")
    (event,) = events(folder, record["cell_id"], "list_fetch")
    assert event["order_extractor"]["kind"] == "llm"
    assert event["order_extractor"]["model"] == "m"
    assert len(event["order_extractor"]["prompt_sha256"]) == 64


def test_a_bank_that_was_asked_about_gets_no_more_products(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)
    fill(folder, world, first=3)
    (folder / "raw_a_exact.json").write_text("{}")
    with pytest.raises(
        LoadError, match=r"raw_a_exact\.json was made from the products"
    ):
        fill(folder, world)
    # what is done may still be looked at
    assert fill(folder, world, first=3).filled == 3


def test_two_commands_never_fill_one_run(tmp_path):
    folder = tmp_path / "run1"
    world = begin(folder)

    async def nested(url: str):
        with pytest.raises(LoadError, match="another command fills"):
            await source(folder, world.tools(), tool_version="1")
        return await world.fetch(url)

    assert fill(folder, world, tools={"fetch": nested}, first=1).filled == 1


def test_a_folder_without_a_grid_says_how_to_make_one(tmp_path):
    with pytest.raises(
        LoadError, match=r"holds no cells\.json: make the grid anew with"
    ):
        fill(tmp_path, World())
    with pytest.raises(LoadError, match="make the grid there with pricebench bank"):
        fill(tmp_path / "none", World())


def test_products_of_a_made_up_world_say_so_and_stay_apart(tmp_path, capsys):
    folder = tmp_path / "run1"
    world = begin(folder)
    fill(folder, world, first=1, is_simulated=True)
    for name in ARTIFACTS:
        assert body(folder, name)["source"] == "simulated"
    with pytest.raises(LoadError, match="has simulated products"):
        fill(folder, world, first=2)
    fill(folder, world, first=2, is_simulated=True)
    real = tmp_path / "run2"
    world = begin(real)
    fill(real, world, first=1)
    assert "source" not in body(real, "tasks.json")
    with pytest.raises(LoadError, match="has collected products"):
        fill(real, world, first=2, is_simulated=True)
    # nor may it be asked about there
    assert main(["run", "search", "audit", str(real), "--world", "http://x"]) == 1
    told = capsys.readouterr().err
    assert "has collected products, of which the offline world knows nothing" in told
