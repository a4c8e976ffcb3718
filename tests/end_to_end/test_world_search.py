"""A search run from the first question to the marts, against the offline world."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from ingest.search.address import canonical
from ingest.search.schemas import TRACKS
from ingest.world.bank import task_id, world_bank
from ingest.world.catalogue import catalogue
from ingest.world.server import serving
from ingest.world.truth import cost, finds, oracle
from pricebench.build import build
from pricebench.cli import main

PRODUCTS = 20
# one finds everything, one looks in a single shop, one claims what is not so
AGENTS = ("gpt", "gemini", "perplexity")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Ask, judge, check and load, as typed; then build."""
    folder = tmp_path_factory.mktemp("world_search")
    run, warehouse = folder / "run", folder / "warehouse.duckdb"
    for name, content in world_bank(datetime.now(UTC), PRODUCTS).items():
        path = run / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    with serving() as world:
        there = [str(run), "--world", world.address]
        asked = ["--systems", ",".join(AGENTS)]
        assert main(["run", "search", "agents", *there, *asked]) == 0
        assert main(["run", "search", "judge", *there]) == 0
        assert main(["run", "search", "audit", *there]) == 0
        calls = sum(world.door.calls.values())
    where = ["--warehouse", str(warehouse)]
    assert main(["load", "search", str(run), *where]) == 0
    report = build(warehouse, lambda line: None, select=["gate_search_marts"])
    assert report.failures == ()
    return SimpleNamespace(run=run, warehouse=warehouse, calls=calls)


def rows(made, sql):
    with duckdb.connect(str(made.warehouse), read_only=True) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("track", TRACKS)
def test_every_oracle_is_that_of_the_catalogue(made, track):
    # an agent that finds everything is in the pool, so the pool's best is the world's
    found = dict(
        rows(
            made,
            "select distinct task_id, oracle_cost from marts.search_outcome "
            f"where track = '{track}' and scenario = 'base'",
        )
    )
    known = {task_id(item): oracle(item, track) for item in catalogue()[:PRODUCTS]}
    assert set(found) == set(known)
    assert sum(one is not None for one in known.values()) >= 10
    for name, best in known.items():
        expected = None if best is None else pytest.approx(float(best), abs=1e-9)
        assert found[name] == expected, name


@pytest.mark.parametrize("track", TRACKS)
def test_the_agent_that_finds_all_captures_all(made, track):
    # 100 % of the savings, at every product that has one
    chances = sum(any(finds(item, track)) for item in catalogue()[:PRODUCTS])
    [(value, n)] = rows(
        made,
        "select value, n from marts.search_metric where agent = 'gpt' and "
        "metric = 'savings_capture' and scenario = 'base' and "
        f"reading = 'as_published' and track = '{track}'",
    )
    assert (value, n) == (pytest.approx(1.0, abs=1e-12), chances)


def test_an_agent_of_one_shop_captures_what_that_shop_saves(made):
    # by hand from the catalogue: the best of what it listed, over the world's best
    listed = rows(
        made,
        "select task_id, url_canonical from staging.stg_search_listing "
        "where agent = 'gemini' and track = 'exact'",
    )
    there = {one: {url for task, url in listed if task == one} for one, _ in listed}
    shares = []
    for item in catalogue()[:PRODUCTS]:
        best = oracle(item, "exact")
        if best is None:
            continue
        reference = cost_of(item, item.reference)
        costs = [
            cost_of(item, one)
            for one in finds(item, "exact")
            if address_of(one) in there.get(task_id(item), ())
        ]
        saved = reference - min(costs) if costs else Fraction(0)
        shares.append(saved / (reference - best))
    [(value,)] = rows(
        made,
        "select value from marts.search_metric where agent = 'gemini' and "
        "metric = 'savings_capture' and scenario = 'base' and "
        "reading = 'as_published' and track = 'exact'",
    )
    assert value == pytest.approx(float(sum(shares) / len(shares)), abs=1e-12)


def cost_of(item, listing):
    """Return what an offer costs by the catalogue."""
    found = cost(item, listing)
    assert found is not None
    return found


def address_of(listing):
    """Return the one address of an offer's page."""
    return canonical(listing.url)


def test_the_run_is_simulated_and_says_so(made):
    sources = rows(made, "select distinct source from raw_search.run")
    assert sources == [("simulated",)]


def test_the_same_commands_again_ask_nothing(made, capsys):
    with serving() as world:
        there = [str(made.run), "--world", world.address]
        assert main(["run", "search", "judge", *there]) == 0
        assert main(["run", "search", "audit", *there]) == 0
        assert sum(world.door.calls.values()) == 0


def test_no_key_is_needed_and_none_is_written(made):
    written = [
        path.read_bytes() for path in Path(made.run).rglob("*") if path.is_file()
    ]
    assert len(written) > PRODUCTS
    assert not any(b"uthorization" in content for content in written)
