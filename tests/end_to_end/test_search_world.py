"""A search run on the offline world, every phase over sockets, against its truth."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest

from ingest.world.bank import task_id, world_bank
from ingest.world.catalogue import catalogue
from ingest.world.searchers import SEARCHERS, find_item
from ingest.world.server import serving
from ingest.world.sources import source_files
from ingest.world.truth import cost, finds, landed, oracle
from pricebench.cli import main

PRODUCTS = 20
TRACKS = ("exact", "equiv")
# who sits behind the seats of the world that are asked
AGENTS = {"gpt": "finds-all", "gemini": "one-shop", "findcheap": "careless"}


@pytest.fixture(scope="module")
def world():
    with serving() as served:
        yield served


@pytest.fixture(scope="module")
def run(tmp_path_factory, world):
    """The folder of a run: ask, judge and audit, as a person would."""
    folder = tmp_path_factory.mktemp("world") / "run"
    for name, content in world_bank(datetime.now(UTC), PRODUCTS).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    shared = [str(folder), "--world", world.address]
    asked = ["--systems", ",".join(AGENTS), "--concurrency", "8"]
    assert main(["run", "search", "agents", *shared, *asked]) == 0
    assert main(["run", "search", "judge", *shared]) == 0
    assert main(["run", "search", "audit", *shared]) == 0
    # 3 agents, 20 products, 2 tracks, each asked once
    calls = world.door.calls
    assert sum(calls[f"simulated/{name}"] for name in AGENTS.values()) == 120
    return folder


@pytest.fixture(scope="module")
def summaries(run):
    assert main(["report", "search", str(run)]) == 0
    return {
        track: json.loads((run / f"summary_{track}.json").read_text())
        for track in TRACKS
    }


def shown(amount):
    """Return an exact cost as a summary shows it: four places, half up."""
    if amount is None:
        return None
    units = int(amount * 10_000 + Fraction(1, 2))
    return f"{units // 10_000}.{units % 10_000:04}"


@pytest.mark.parametrize("track", TRACKS)
def test_every_oracle_is_that_of_the_catalogue(summaries, track):
    tasks = summaries[track]["tasks"]
    items = catalogue()[:PRODUCTS]
    assert sorted(tasks) == [task_id(item) for item in items]
    for item in items:
        task = tasks[task_id(item)]
        assert task["ref_cost"] == shown(cost(item, item.reference))
        assert task["oracle_cost"] == shown(oracle(item, track))
    found = [one for one in items if oracle(one, track) is not None]
    assert summaries[track]["n_opportunity"] == len(found) > 10


@pytest.mark.parametrize("track", TRACKS)
@pytest.mark.parametrize("agent", AGENTS)
def test_every_best_is_the_one_that_the_agent_was_made_to_find(summaries, track, agent):
    searcher = SEARCHERS[AGENTS[agent]]
    captured = []
    for item in catalogue()[:PRODUCTS]:
        told = summaries[track]["tasks"][task_id(item)]["agents"][agent]
        best = searcher.best(item, track)
        assert told["best_cost"] == shown(best)
        assert told["success"] == (best is not None)
        if list(finds(item, track)):
            paid = cost(item, item.reference)
            saved = 0 if best is None else paid - best
            captured.append(saved / (paid - oracle(item, track)))
    mean = summaries[track]["agents"][agent]["savings_capture"]["mean"]
    assert mean == pytest.approx(float(sum(captured) / len(captured)), rel=1e-12)


def test_the_same_commands_again_ask_nothing_and_change_no_artifact(run, world):
    before = {path: path.read_bytes() for path in run.glob("*_*.json")}
    assert len(before) >= 12
    world.door.calls.clear()
    shared = [str(run), "--world", world.address]
    asked = ["--systems", ",".join(AGENTS)]
    assert main(["run", "search", "agents", *shared, *asked]) == 0
    assert main(["run", "search", "judge", *shared]) == 0
    assert main(["run", "search", "audit", *shared]) == 0
    assert sum(world.door.calls.values()) == 0
    changed = [
        path.name
        for path, content in before.items()
        if without_clock(path.read_bytes()) != without_clock(content)
    ]
    assert changed == []


def without_clock(content):
    """Return an artifact without the time of its last writing."""
    return {**json.loads(content), "updated_at": None, "inputs": None}


def test_a_run_of_the_offline_world_says_that_it_is_simulated(run):
    told = {
        path.name: json.loads(path.read_bytes())["source"]
        for path in run.glob("*_*.json")
    }
    assert set(told.values()) == {"simulated"}


def test_a_grid_is_filled_from_the_shops_and_settled_at_the_catalogues_cost(
    tmp_path, world
):
    for name, content in source_files(world.address).items():
        (tmp_path / name).write_bytes(content)
    run = tmp_path / "run"
    shops = [f"--{one}={tmp_path}/{one}.csv" for one in ("retailers", "categories")]
    grid = ["--size", str(PRODUCTS), "--seed", "7", "--out", str(run)]
    assert main(["bank", "search", *grid, *shops]) == 0
    shutil.copy(tmp_path / "lists.csv", run / "sources" / "lists.csv")
    shared = [str(run), "--world", world.address]
    policy = ["--policy", str(tmp_path / "shipping_policy.csv")]
    assert main(["run", "search", "source", *shared]) == 0
    assert main(["run", "search", "shipping", *shared, *policy]) == 0
    bank = json.loads((run / "tasks.json").read_text())
    # shops that nobody can buy from: the run is told apart from collected ones
    assert bank["source"] == "simulated"
    tasks = bank["tasks"]
    items = [find_item(one["url"]) for one in tasks]
    assert len({item.product.name for item in items}) == PRODUCTS
    for item, task in zip(items, tasks, strict=True):
        assert Decimal(task["landed"]) == landed(item.reference)
        assert task["pack"]["count"] == item.reference.offer.pack
        assert task["is_fashion"] == item.is_fashion
