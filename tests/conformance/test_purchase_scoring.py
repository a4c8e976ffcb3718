"""What every option is worth: SQL and Python agree to the last bit."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa
import pytest

from ingest.parsed_file import FileId
from ingest.purchase.bank import make_bank
from ingest.purchase.read_bank import Bank, scenario_rows
from ingest.purchase.scenario import (
    OPTIONS,
    Record,
    Scenario,
    Terms,
    best_option,
    expected_values,
    gap,
)

MODELS = Path(__file__).parents[2] / "dbt_project" / "models"
OPTION_SQL = MODELS / "intermediate" / "purchase" / "int_purchase_option.sql"
MENUS = {"ordinary": False, "bonded": True}


def _random_scenario(random: Random, number: int) -> Scenario:
    """Return numbers as a bank could have them, without its quotas and margins."""

    def record() -> Record:
        cases = random.choice([20, 25, 50, 100, 200, 250, 500])
        return Record(random.randrange(cases + 1), cases)

    value = float(f"{10 ** random.uniform(0, 6):.2g}")
    terms = Terms(
        value,
        *(record() for _ in range(4)),
        round(value * 10 ** random.uniform(-4, 0.5), 8) or 1e-8,
        round(value * 10 ** random.uniform(-5, 0), 8) or 1e-8,
    )
    if number % 50 == 0:
        # ties: what costs the same and is as good goes to the first in order
        terms = Terms(value, *[Record(1, 2)] * 4, value / 4, value / 8)
    optima = [best_option(expected_values(terms, bonded=b)) for b in (False, True)]
    return Scenario(f"R-{number}", terms, {}, {}, *optima, 0, 0)


@pytest.fixture(scope="module", params=["published", "random"])
def scenarios(request):
    if request.param == "published":
        return make_bank()
    random = Random(20261130)
    return tuple(_random_scenario(random, number) for number in range(10_000))


@pytest.fixture(scope="module")
def in_sql(scenarios):
    """Return the rows that the project's own SQL gives for the scenarios."""
    bank = Bank("bank", {one.scenario_id: one for one in scenarios})
    staged = scenario_rows(FileId("bank.json", "x", "bank"), bank).table
    sql = re.sub(r"{{ require_green\(.*?\) }}", "", OPTION_SQL.read_text())
    sql = sql.replace("{{ ref('stg_purchase_scenario') }}", "staged")
    assert "{{" not in sql
    with duckdb.connect() as connection:
        connection.register("staged", staged)
        rows: pa.Table = connection.execute(sql).to_arrow_table()
    found: dict[tuple[str, str], dict[str, dict]] = {}
    for row in rows.to_pylist():
        key = (row["scenario_id"], row["menu"])
        found.setdefault(key, {})[row["option"]] = row
    assert len(found) == 2 * len(scenarios)
    return found


def test_expected_values_optimum_gap_and_regret_are_equal(scenarios, in_sql):
    for scenario in scenarios:
        for menu, bonded in MENUS.items():
            rows = in_sql[scenario.scenario_id, menu]
            values = expected_values(scenario.terms, bonded=bonded)
            best = best_option(values)
            assert {name: row["expected_value_usd"] for name, row in rows.items()} == (
                values
            )
            for option in OPTIONS:
                row = rows[option]
                regret = (values[best] - values[option]) / scenario.terms.value
                assert (row["optimal"], row["gap_usd"], row["regret_share"]) == (
                    *(best, gap(values), regret),
                )
                assert row["is_optimal"] == (option == best)


def test_what_is_spent_and_won_gives_what_an_option_is_worth(scenarios, in_sql):
    for scenario in scenarios[:200]:
        free = scenario.terms.free.share
        for menu in MENUS:
            for row in in_sql[scenario.scenario_id, menu].values():
                chance = row["p_useful"] or 0.0
                won = (chance + (1 - chance) * free) * row["value_usd"]
                assert row["expected_value_usd"] == pytest.approx(
                    won - row["spend_usd"], rel=1e-12, abs=1e-9
                )
