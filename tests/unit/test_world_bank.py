"""The catalogue as a run: tasks that are settled, and the tables that find them."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from datetime import datetime
from decimal import Decimal

import pytest

from ingest.errors import LoadError
from ingest.search.agents.seats import read_seats
from ingest.search.grid.cells import make_grid
from ingest.search.grid.config import parse_config
from ingest.search.release import load_search
from ingest.world.bank import RUN_ID, task_id, world_bank
from ingest.world.catalogue import catalogue
from ingest.world.sources import GRID, source_files
from ingest.world.truth import landed

AT = datetime(2026, 12, 1, 9)


def test_every_reference_is_a_task_with_its_landed_cost():
    files = world_bank(AT)
    tasks = json.loads(files["tasks.json"])["tasks"]
    assert len(tasks) == 24
    for item, task in zip(catalogue(), tasks, strict=True):
        assert task["task_id"] == task_id(item)
        assert (task["title"], task["url"]) == (
            *(item.reference.title, item.reference.url),
        )
        amounts = [Decimal(task["price"]), Decimal(task["shipping"]["amount"])]
        assert sum(amounts) + Decimal(task["shipping"]["fees"]) == landed(
            item.reference
        )
        assert Decimal(task["landed"]) == landed(item.reference)
        assert task["basis"] == ("per_unit" if task["pack"]["count"] > 1 else "total")
        picture = files[f"images/{task['image']['sha256']}.jpg"]
        assert hashlib.sha256(picture).hexdigest() == task["image"]["sha256"]
    assert [one["task_id"] for one in tasks if one["is_fashion"]] == [
        *("t003", "t012", "t020"),
    ]


def test_the_policy_has_the_two_shops_with_a_rule():
    rows = list(
        csv.DictReader(world_bank(AT)["shipping_policy.csv"].decode().splitlines())
    )
    told = {one["domain"]: (one["threshold"], one["below_fee"]) for one in rows}
    assert told == {
        "birchrow.example": ("35.00", "6.99"),
        "fortdepot.example": ("0.00", "0.00"),
    }


def test_a_smaller_bank_is_the_beginning_of_the_whole():
    whole, small = (
        json.loads(world_bank(AT, size)["tasks.json"])["tasks"] for size in (None, 8)
    )
    assert small == whole[:8]
    for size in (0, 25):
        with pytest.raises(LoadError, match="the world has 1 to 24"):
            world_bank(AT, size)


def test_the_run_loads_without_a_row_set_aside(empty_warehouse, tmp_path):
    for name, content in world_bank(AT, 4).items():
        path = tmp_path / "run" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    report = load_search(tmp_path / "run", empty_warehouse)
    assert not report.errors
    assert not report.quarantined_rows
    assert RUN_ID in str(report)


def test_a_grid_of_twenty_and_any_small_one_has_a_product_for_each_cell():
    files = source_files("http://127.0.0.1:1")
    config = parse_config(files["retailers.csv"], files["categories.csv"])
    sold = Counter((one.product.retailer, one.product.category) for one in catalogue())
    for size in (GRID, *range(1, 17)):
        grid = make_grid(config, size, "7", "interleaved")
        asked = Counter((one.retailer, one.category) for one in grid.cells)
        assert asked.total() == size
        assert asked <= sold
    listed = csv.DictReader(files["lists.csv"].decode().splitlines())
    assert {(one["site"], one["category"]) for one in listed} == set(sold)
    seats = read_seats(files["seats.yaml"].decode(), "the world")
    assert seats["gpt"].base == "http://127.0.0.1:1/openai/v1"
