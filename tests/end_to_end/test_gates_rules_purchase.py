"""Every purchase rule holds on a real build and catches its offender."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from end_to_end.planted_purchase import PLANTED_IN
from gate_rules import (
    LAYERS,
    check_build,
    check_plant,
    plantable,
    plants,
    rules_across_tables,
)


@pytest.fixture(scope="module")
def built(
    built_purchase: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    with plantable(built_purchase, tmp_path_factory.mktemp("rules")) as connection:
        yield connection


@pytest.mark.parametrize("layer", LAYERS)
def test_every_rule_holds_on_a_build_of_made_up_buyers(built, layer, monkeypatch):
    check_build(built, "purchase", layer, monkeypatch)


@pytest.mark.parametrize(("layer", "rule", "plant"), plants(PLANTED_IN))
def test_a_planted_row_is_caught_by_its_rule(built, layer, rule, plant, monkeypatch):
    check_plant(built, "purchase", layer, rule, plant, monkeypatch)


@pytest.mark.parametrize("layer", LAYERS)
def test_every_rule_across_tables_is_planted_against(layer):
    assert rules_across_tables("purchase", layer) <= set(PLANTED_IN[layer])
