"""Every search rule from intermediate to marts holds and catches its offender."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from end_to_end.planted_search_marts import PLANTED_IN
from gate_rules import (
    check_build,
    check_plant,
    plantable,
    plants,
    rules_across_tables,
)


@pytest.fixture(scope="module")
def built(
    built_search_marts: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    with plantable(built_search_marts, tmp_path_factory.mktemp("rules")) as connection:
        yield connection


@pytest.mark.parametrize("layer", PLANTED_IN)
def test_every_rule_holds_on_a_build_of_worked_examples(built, layer, monkeypatch):
    check_build(built, "search", layer, monkeypatch)


@pytest.mark.parametrize(("layer", "rule", "plant"), plants(PLANTED_IN))
def test_a_planted_row_is_caught_by_its_rule(built, layer, rule, plant, monkeypatch):
    check_plant(built, "search", layer, rule, plant, monkeypatch)


@pytest.mark.parametrize("layer", PLANTED_IN)
def test_every_rule_across_tables_is_planted_against(layer):
    assert rules_across_tables("search", layer) <= set(PLANTED_IN[layer])
