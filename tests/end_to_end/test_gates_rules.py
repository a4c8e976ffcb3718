"""Every rule from staging to marts holds on a real build and catches its offender."""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import duckdb
import pytest
from end_to_end.planted_hotel import PLANTED_IN

from expectations.outcome import Outcome
from expectations.rules import EmptyRule, Suite
from expectations.validation import Table, as_table, validate

GATES = Path(__file__).parents[2] / "dbt_project" / "models" / "gates"
LAYERS = ("raw", "staging", "intermediate", "estimates", "marts")


class _Relations:
    """Stands in for dbt: names to relations, and what a gate asks of them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.schemas = dict(
            connection.execute(
                "select table_name, table_schema from information_schema.tables "
                f"where table_schema in {LAYERS[1:]}"
            ).fetchall()
        )

    def config(self, **settings: object) -> None:
        pass

    def ref(self, name: str) -> duckdb.DuckDBPyRelation:
        return self.source(self.schemas[name], name)

    def source(self, schema: str, name: str) -> duckdb.DuckDBPyRelation:
        return self.connection.query(f"select * from {schema}.{name}")


@pytest.fixture(scope="module")
def built(
    built_demo: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A build whose staging views are tables, so that rows can be planted in them."""
    copy = tmp_path_factory.mktemp("rules") / "warehouse.duckdb"
    shutil.copy(built_demo, copy)
    with duckdb.connect(str(copy)) as connection:
        views = connection.execute(
            "select view_name from duckdb_views() where schema_name = 'staging'"
        ).fetchall()
        for (view,) in views:
            connection.execute(f"create table staging.kept as from staging.{view}")
            connection.execute(f"drop view staging.{view}")
            connection.execute(f"alter table staging.kept rename to {view}")
        path = ",".join((*LAYERS[1:], "quality"))
        connection.execute(f"set search_path = '{path}'")
        yield connection


def _tables(
    connection: duckdb.DuckDBPyConnection,
    layer: str,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, Table]:
    """Return the tables that the gate's dbt model hands to its suite."""
    path = GATES / f"gate_hotel_{layer}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    asked: dict[str, object] = {}
    monkeypatch.setattr(
        "expectations.gate.run_gate", lambda session, **given: asked.update(given)
    )
    module.model(_Relations(connection), connection)
    assert asked["gate"] == f"hotel_{layer}"
    return {name: as_table(relation) for name, relation in asked["relations"].items()}


def _suite(layer: str) -> Suite:
    return import_module(f"expectations.hotel_{layer}").SUITE


@pytest.mark.parametrize("layer", LAYERS)
def test_every_rule_holds_on_a_build_of_simulated_shoppers(built, layer, monkeypatch):
    outcomes = validate(built, _suite(layer), _tables(built, layer, monkeypatch))
    assert len(outcomes) == len(_suite(layer).rules)
    assert [outcome for outcome in outcomes if outcome.status != "ok"] == []


PLANTED = [
    (layer, rule, plant)
    for layer, rules in PLANTED_IN.items()
    for rule, plants in rules.items()
    for plant in plants
]


def _spell_out(plant: str) -> str:
    answer = r"(select min(answer_key) from int_hotel_answer where \1)"
    fit = "status = 'ok' and design = 'audited' and specification = 'log'"
    return re.sub(r"ANSWER\((.*?)\)", answer, plant).replace("AN_OK_FIT", fit)


def _check(
    connection: duckdb.DuckDBPyConnection, suite: Suite, tables: dict[str, Table]
) -> list[Outcome]:
    return [one for one in validate(connection, suite, tables) if one.status != "ok"]


@pytest.mark.parametrize(("layer", "rule", "plant"), PLANTED)
def test_a_planted_row_is_caught_by_its_rule(built, layer, rule, plant, monkeypatch):
    named = tuple(one for one in _suite(layer).rules if one.name == rule)
    suite = Suite(_suite(layer).keys, named)
    built.begin()
    try:
        built.execute(_spell_out(plant))
        caught = _check(built, suite, _tables(built, layer, monkeypatch))
    finally:
        built.rollback()
    assert {outcome.status for outcome in caught} == {"failed"}
    assert all(outcome.unexpected_count > 0 for outcome in caught)
    assert all(outcome.sample for outcome in caught)


@pytest.mark.parametrize("layer", LAYERS[1:])
def test_every_rule_across_tables_is_planted_against(layer):
    rules = {rule.name for rule in _suite(layer).rules if isinstance(rule, EmptyRule)}
    assert rules <= set(PLANTED_IN[layer])
