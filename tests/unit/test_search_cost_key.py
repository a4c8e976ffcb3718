"""Costs are put in order by whole numbers, as exactly as by fractions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import duckdb
from jinja2 import Environment

MACROS = Path(__file__).parents[2] / "dbt_project" / "macros" / "search_scoring.sql"
# the most that DECIMAL(12, 2) holds, and the largest pack that still compares exactly
MOST_CENTS, LARGEST_PACK = 10**12 - 1, 10**9


def key_of() -> str:
    module = Environment().from_string(MACROS.read_text()).module
    return module.cost_key("num", "den")


def keys(costs: list[tuple[int, tuple[int, int]]]) -> list[int]:
    rows = ", ".join(
        f"({num}::bigint, {den}::bigint, {at})" for at, (num, den) in costs
    )
    with duckdb.connect() as connection:
        found = connection.execute(
            f"select {key_of()} from (values {rows}) as cost (num, den, place) "
            "order by place"
        )
        return [key for (key,) in found.fetchall()]


def test_keys_stand_in_the_order_of_the_costs():
    luck = Random(20261130)
    costs = [(1, 1), (2, 2), (1, 3), (2, 6), (333333333, 10**9), (MOST_CENTS, 1)]
    for _ in range(300):
        den = luck.choice([1, 2, 3, 7, 12, 1000, LARGEST_PACK - 1, LARGEST_PACK])
        costs.append((luck.randint(1, luck.choice([100, 10**6, MOST_CENTS])), den))
    found = keys(list(enumerate(costs)))
    fractions = [Fraction(*cost) for cost in costs]
    for key, cost in zip(found, fractions, strict=True):
        for other_key, other in zip(found, fractions, strict=True):
            assert (key < other_key) == (cost < other)


def test_neighbours_at_the_largest_pack_are_told_apart():
    # 1/(10^9 - 1) - 1/10^9 = 1/(10^18 - 10^9), a little more than 10^-18
    first, second = keys(list(enumerate([(1, LARGEST_PACK - 1), (1, LARGEST_PACK)])))
    assert first == second + 1


def test_a_pack_beyond_any_sense_has_a_key_too():
    # 5 / (2 * 10^12) of 10^18
    assert keys([(0, (5, 2 * 10**12))]) == [2_500_000]
