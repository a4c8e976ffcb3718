"""What the tests of gate rules share: a build to plant in, and suites run on it."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import duckdb
import pytest

from expectations.rules import EmptyRule, Suite
from expectations.validation import Table, as_table, validate

GATES = Path(__file__).parents[1] / "dbt_project" / "models" / "gates"
LAYERS = ("raw", "staging", "intermediate", "estimates", "marts")

# Layer -> rule -> what is planted to break it.
Planted = dict[str, dict[str, list[str]]]


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


@contextmanager
def plantable(warehouse: Path, folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a copy whose staging views are tables, so that rows can be planted."""
    copy = folder / "warehouse.duckdb"
    shutil.copy(warehouse, copy)
    with duckdb.connect(str(copy)) as connection:
        views = connection.execute(
            "select view_name from duckdb_views() where schema_name = 'staging'"
        ).fetchall()
        for (view,) in views:
            connection.execute(f"create table staging.kept as from staging.{view}")
            connection.execute(f"drop view staging.{view}")
            connection.execute(f"alter table staging.kept rename to {view}")
        for layer in LAYERS[1:]:
            connection.execute(f"create schema if not exists {layer}")
        path = ",".join((*LAYERS[1:], "quality"))
        connection.execute(f"set search_path = '{path}'")
        yield connection


def suite_of(instrument: str, layer: str) -> Suite:
    """Return the rules of one layer."""
    suite: Suite = import_module(f"expectations.{instrument}_{layer}").SUITE
    return suite


def tables_of(
    connection: duckdb.DuckDBPyConnection,
    instrument: str,
    layer: str,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, Table]:
    """Return the tables that the gate's dbt model hands to its suite."""
    path = GATES / f"gate_{instrument}_{layer}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    asked: dict[str, object] = {}
    monkeypatch.setattr(
        "expectations.gate.run_gate", lambda session, **given: asked.update(given)
    )
    module.model(_Relations(connection), connection)
    assert asked["gate"] == f"{instrument}_{layer}"
    return {name: as_table(relation) for name, relation in asked["relations"].items()}


def plants(planted: Planted) -> list[tuple[str, str, str]]:
    """Return layer, rule and statement of everything that is planted."""
    return [
        (layer, rule, plant)
        for layer, rules in planted.items()
        for rule, statements in rules.items()
        for plant in statements
    ]


class GateRules:
    """The tests of one instrument's rules: a subclass names the build and the plants.

    Attributes
    ----------
    instrument
        Whose rules.
    warehouse
        Fixture that gives a warehouse of it, loaded and built.
    planted
        What breaks each rule, by layer.
    layers
        Layers that the warehouse is built up to.
    planted_layers
        Those whose rules across tables are all planted against here.
    """

    instrument: str
    warehouse: str
    planted: Planted
    layers: tuple[str, ...]
    planted_layers: tuple[str, ...]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        names = metafunc.fixturenames
        if "plant" in names:
            metafunc.parametrize(("layer", "rule", "plant"), plants(self.planted))
        elif "planted_layer" in names:
            metafunc.parametrize("planted_layer", self.planted_layers)
        elif "layer" in names:
            metafunc.parametrize("layer", self.layers)

    @pytest.fixture(scope="class")
    def built(
        self, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        warehouse = request.getfixturevalue(self.warehouse)
        with plantable(warehouse, tmp_path_factory.mktemp("rules")) as connection:
            yield connection

    def test_every_rule_holds_on_a_build(self, built, layer, monkeypatch):
        check_build(built, self.instrument, layer, monkeypatch)

    def test_a_planted_row_is_caught_by_its_rule(
        self, built, layer, rule, plant, monkeypatch
    ):
        check_plant(built, self.instrument, layer, rule, plant, monkeypatch)

    def test_every_rule_across_tables_is_planted_against(self, planted_layer):
        rules = rules_across_tables(self.instrument, planted_layer)
        assert rules <= set(self.planted[planted_layer])


def check_build(connection, instrument, layer, monkeypatch) -> None:
    """Assert that every rule of a layer holds."""
    suite = suite_of(instrument, layer)
    tables = tables_of(connection, instrument, layer, monkeypatch)
    outcomes = validate(connection, suite, tables)
    assert len(outcomes) == len(suite.rules)
    assert [outcome for outcome in outcomes if outcome.status != "ok"] == []


def check_plant(connection, instrument, layer, rule, statement, monkeypatch) -> None:
    """Assert that a rule catches what is planted against it."""
    whole = suite_of(instrument, layer)
    suite = Suite(whole.keys, tuple(one for one in whole.rules if one.name == rule))
    connection.begin()
    try:
        connection.execute(statement)
        tables = tables_of(connection, instrument, layer, monkeypatch)
        found = validate(connection, suite, tables)
    finally:
        connection.rollback()
    caught = [outcome for outcome in found if outcome.status != "ok"]
    assert {outcome.status for outcome in caught} == {"failed"}
    assert all(outcome.unexpected_count > 0 for outcome in caught)
    assert all(outcome.sample for outcome in caught)


def rules_across_tables(instrument: str, layer: str) -> set[str]:
    """Return the names of the rules that need a plant of their own."""
    rules = suite_of(instrument, layer).rules
    return {rule.name for rule in rules if isinstance(rule, EmptyRule)}
