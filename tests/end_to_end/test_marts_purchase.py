"""Purchase marts build whatever is loaded, and say what is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from pricebench.runs import exclude_run

BANK = "593c83171420839092447467ea42be7d32e2cb90f99499e9b98dd483c74edc8b"
ROOT = Path(__file__).parents[2]
MARTS = (
    *("purchase_board", "purchase_metric", "purchase_cell", "purchase_choice_mix"),
    *("purchase_cost", "purchase_comparison", "purchase_reading_difference"),
)


def rows(warehouse: Path, query: str) -> list[tuple]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def metric(built_purchase):
    def read(model: str, name: str, reading: str = "audited") -> tuple:
        ((value, status),) = rows(
            built_purchase,
            "select value, status from marts.purchase_metric "
            f"where model_id = 'acme/{model}' and metric = '{name}' "
            f"and reading = '{reading}'",
        )
        return value, status

    return read


def test_a_rational_buyer_and_one_who_never_buys(metric):
    for name, value in {
        **{"optimal_pct": 100, "regret_pct_V": 0, "flip_rate": 0, "discrimination": 1},
        **{"badge_effect": 0, "bond_shift": 7 / 48, "bond_responsiveness": 1},
    }.items():
        assert metric("perfect", name) == (value, "ok"), name
    regret, status = metric("skipper", "bond_regret_pct_V")
    assert (round(regret, 6), status) == (27.724065, "ok")
    assert metric("skipper", "underbuy_share") == (1, "ok")


@pytest.mark.parametrize("reading", ["as_published", "audited"])
def test_a_cell_that_was_never_asked_gives_statuses(metric, reading):
    for name in ("bond_shift", "bond_responsiveness", "bond_regret_pct_V"):
        assert metric("unbonded", name, reading) == (None, "too_few")
    assert metric("unbonded", "badge_effect", reading) == (0, "ok")


def test_a_model_whose_calls_all_failed(built_purchase, metric):
    assert metric("silent", "optimal_pct") == (None, "too_few")
    assert metric("silent", "failed_share") == (1, "ok")
    # as published it never bought
    assert metric("silent", "optimal_pct", "as_published") == (0, "ok")
    board = rows(
        built_purchase,
        "select reading, value, status, rank_lo, failed_share, usd_per_1000_decisions "
        "from marts.purchase_board where model_id = 'acme/silent' order by reading",
    )
    assert board == [
        ("as_published", 0.0, "ok", 8.0, 1.0, None),
        ("audited", None, "too_few", None, 1.0, None),
    ]


def test_one_repeat_only(metric):
    assert metric("once", "flip_rate") == (None, "too_few")
    assert metric("once", "optimal_pct") == (100, "ok")


@pytest.mark.parametrize(
    ("model", "cells"),
    [
        ("unbonded", {"B": (0, 0, 0, "too_few")}),
        ("silent", dict.fromkeys(("none", "A", "D", "B"), (144, 144, 0, "too_few"))),
        ("once", dict.fromkeys(("none", "A", "D", "B"), (48, 0, 48, "ok"))),
        # 17 · 3 = 51 replies are enough, 17 of 48 scenarios are not
        ("spent", {"D": (144, 93, 17, "too_few"), "B": (144, 143, 1, "too_few")}),
    ],
)
def test_a_cell_says_whether_it_carries_figures(built_purchase, model, cells):
    found = rows(
        built_purchase,
        "select label, rows, failed, scenarios, status from marts.purchase_cell "
        f"where model_id = 'acme/{model}'",
    )
    # every cell has its row, asked or not
    assert {label for label, *_ in found} == {"none", "A", "D", "B"}
    for label, *rest in found:
        assert tuple(rest) == cells.get(label, (144, 0, 48, "ok")), label


def test_a_spent_budget_is_told_apart_from_a_choice(built_purchase, metric):
    # the badge is answered on 17 of 48 scenarios, the bond once
    for name in ("badge_effect", "verified_minus_badge", "bond_shift"):
        assert metric("spent", name) == (None, "too_few")
        assert metric("spent", name, "as_published")[1] == "ok"
    # 143 bonded calls and 31 scenarios x 3 badge calls
    assert rows(
        built_purchase,
        "select distinct reason, reason_count from marts.purchase_reading_difference "
        "where model_id = 'acme/spent' and reason is not null",
    ) == [("failed_calls_scored", 143 + 93)]


def test_superseded_rows_stay_counted_and_do_not_count(built_purchase, metric):
    assert metric("resumed", "failed_share") == (0, "ok")
    assert rows(
        built_purchase,
        "select calls, failed_calls from intermediate.int_purchase_run "
        "where model_id = 'acme/resumed'",
    ) == [(581, 5)]
    assert rows(
        built_purchase,
        "select sum(rows) from marts.purchase_cell where model_id = 'acme/resumed'",
    ) == [(576,)]


def test_ranks_share_ties_in_both_readings(built_purchase):
    board = dict(
        rows(
            built_purchase,
            "select model_id, (rank_lo, rank_hi) from marts.purchase_board "
            f"where reading = 'as_published' and bank_sha256 = '{BANK}'",
        )
    )
    first = ("perfect", "resumed", "unbonded", "once", "spent")
    assert {board[f"acme/{name}"] for name in first} == {(1.0, 1.0)}
    audited = rows(
        built_purchase,
        "select rank_lo, rank_hi from marts.purchase_board "
        "where reading = 'audited' and model_id = 'acme/perfect'",
    )
    assert audited == [(1.0, 5.0)]


def test_trap_published_ranks_go_by_digits_rounded_half_to_even(built_purchase):
    board = rows(
        built_purchase,
        "select model_id, value, regret_pct_v, rank_lo, rank_hi "
        "from marts.purchase_board where reading = 'as_published' "
        f"and bank_sha256 = '{BANK}'",
    )
    # Python rounds the exact value of a double half to even, as the source does
    printed = {row[0]: (-round(row[1], 3), round(row[2], 3)) for row in board}
    for model, _, _, best, worst in board:
        ahead = sum(other < printed[model] for other in printed.values())
        assert (best, worst) == (1 + ahead, 1 + ahead), model


def test_printed_digits_in_sql_are_those_of_the_source(built_purchase):
    macro = (ROOT / "dbt_project" / "macros" / "engine.sql").read_text()
    _, _, body = macro.partition("default__as_printed(expression, digits) -%}")
    sql = body.partition("{%-")[0].replace("{{ digits }}", "3")
    values = [0.0625, -0.3125, 0.0005, 0.0025, 0.1875, 1e-9]
    values += [100 * k / 144 for k in range(145)] + [k / 1600 for k in range(2000)]
    listed = ", ".join(f"({value!r}::double)" for value in values)
    expression = sql.replace("{{ expression }}", "x")
    found = rows(built_purchase, f"select x, {expression} from (values {listed}) t(x)")
    assert len(found) == len(values)
    assert [(x, y) for x, y in found if y != round(x, 3)] == []


def test_studies_are_never_pooled_and_derived_rows_never_on_a_board(built_purchase):
    studies = rows(
        built_purchase,
        "select source, bank_sha256, count(distinct study_id), count(*) "
        "from intermediate.int_purchase_run group by all order by all",
    )
    assert sorted((source, n, runs) for source, _, n, runs in studies) == [
        ("derived", 1, 1),
        ("release", 1, 1),
        ("release", 1, 8),
    ]
    assert rows(
        built_purchase,
        "select count(*) from marts.purchase_board where model_id = 'acme/implied'",
    ) == [(0,)]
    crossed = rows(
        built_purchase,
        "select count(*) from marts.purchase_comparison "
        "where 'acme/pilot' in (model_a, model_b)",
    )
    assert crossed == [(0,)]


def test_comparisons_are_paired_and_adjusted_within_a_metric(built_purchase):
    ((difference, n, status, p, adjusted),) = rows(
        built_purchase,
        "select difference, n_paired, status, p_value, p_adjusted "
        "from marts.purchase_comparison where metric = 'optimal_pct' "
        "and model_a = 'acme/noisy' and model_b = 'acme/perfect'",
    )
    noisy = rows(
        built_purchase,
        "select value from marts.purchase_metric where metric = 'optimal_pct' "
        "and reading = 'audited' and model_id = 'acme/noisy'",
    )
    assert (difference, n, status) == (noisy[0][0] - 100, 48, "ok")
    assert p < adjusted < 0.001
    same = rows(
        built_purchase,
        "select status, p_value from marts.purchase_comparison where "
        "metric = 'optimal_pct' and model_a = 'acme/perfect' "
        "and model_b = 'acme/resumed'",
    )
    assert same == [("no_variation", None)]


def test_an_excluded_run_leaves_the_marts_and_stays_listed(built_purchase, tmp_path):
    from pricebench.build import build

    warehouse = Path(shutil.copy(built_purchase, tmp_path / "w.duckdb"))
    before = rows(warehouse, "select * from marts.purchase_metric order by all")
    exclude_run(warehouse, "release/acme/noisy", "a trial")
    report = build(warehouse, lambda line: None, select=["gate_purchase_marts"])
    assert report.failures == ()
    after = rows(warehouse, "select * from marts.purchase_metric order by all")
    # no figure of another model moves
    assert after == [row for row in before if row[1] != "acme/noisy"]
    for mart in ("purchase_board", "purchase_cell", "purchase_cost"):
        assert rows(
            warehouse,
            f"select count(*) from marts.{mart} where model_id = 'acme/noisy'",
        ) == [(0,)]
    assert rows(
        warehouse,
        "select is_excluded, excluded_reason from intermediate.int_purchase_run "
        "where model_id = 'acme/noisy'",
    ) == [(True, "a trial")]


def test_an_empty_warehouse_builds_to_empty_marts(empty_warehouse):
    from pricebench.build import build

    report = build(empty_warehouse, lambda line: None, select=["gate_purchase_marts"])
    assert report.failures == ()
    for mart in MARTS:
        assert rows(empty_warehouse, f"select count(*) from marts.{mart}") == [(0,)]
    assert rows(
        empty_warehouse,
        "select distinct status from quality.gate_status where instrument = 'purchase'",
    ) == [("empty",)]
