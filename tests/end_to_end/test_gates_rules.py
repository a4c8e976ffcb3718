"""Every rule from staging to marts holds on a real build and catches its offender."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from end_to_end.planted_hotel import PLANTED_IN
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
    built_demo: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    with plantable(built_demo, tmp_path_factory.mktemp("rules")) as connection:
        yield connection


@pytest.mark.parametrize("layer", LAYERS)
def test_every_rule_holds_on_a_build_of_simulated_shoppers(built, layer, monkeypatch):
    check_build(built, "hotel", layer, monkeypatch)


def _spell_out(plant: str) -> str:
    answer = r"(select min(answer_key) from int_hotel_answer where \1)"
    fit = "status = 'ok' and design = 'audited' and specification = 'log'"
    return re.sub(r"ANSWER\((.*?)\)", answer, plant).replace("AN_OK_FIT", fit)


@pytest.mark.parametrize(("layer", "rule", "plant"), plants(PLANTED_IN))
def test_a_planted_row_is_caught_by_its_rule(built, layer, rule, plant, monkeypatch):
    check_plant(built, "hotel", layer, rule, _spell_out(plant), monkeypatch)


@pytest.mark.parametrize("layer", LAYERS[1:])
def test_every_rule_across_tables_is_planted_against(layer):
    assert rules_across_tables("hotel", layer) <= set(PLANTED_IN[layer])
