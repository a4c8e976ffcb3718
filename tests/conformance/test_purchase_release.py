"""Published purchase figures to the printed digit, and what the audit makes of them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import duckdb
import pytest
from purchase_data import asked, scenario_columns
from purchase_data import read as read_rows

from ingest.purchase.bank import make_bank
from models.purchase_metrics import metric_table

GLM = ("runs/z-ai__glm-5.3-flash.jsonl", "published_board.csv")
SOL = (
    "derived/openai__gpt-6.1-sol.derived.jsonl",
    "derived/published_board_gpt-6.1-sol.csv",
)
pytestmark = pytest.mark.release


def _columns(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.fixture(scope="module")
def bank():
    return make_bank()


@pytest.fixture(scope="module")
def lines(release_purchase):
    def run(name: str):
        text = Path(release_purchase / name).read_text()
        return [json.loads(line) for line in text.splitlines()]

    return run


@pytest.fixture(scope="module")
def read(lines, bank):
    return lambda name: asked(bank, lines(name))


@pytest.fixture(scope="module")
def sample(lines, bank):
    return lambda name: read_rows(bank, lines(name))


@pytest.fixture(scope="module")
def metrics(read, bank):
    def run(name: str, reading: str):
        table = metric_table(_columns(read(name)), scenario_columns(bank)).to_pylist()
        return {row["metric"]: row for row in table if row["reading"] == reading}

    return run


@pytest.mark.parametrize(("runs", "board"), [GLM, SOL], ids=["glm", "sol"])
def test_ten_metrics_and_both_ends_as_printed(metrics, release_purchase, runs, board):
    ours = metrics(runs, "as_published")
    with (release_purchase / board).open() as file:
        published = list(csv.DictReader(file))
    assert {row["metric"] for row in published} == set(ours)
    for row in published:
        mine = ours[row["metric"]]
        for name in ("value", "ci_lo", "ci_hi"):
            # half to even, as the source prints: 0.0625 is 0.062, -0.3125 is -0.312
            assert round(mine[name], 3) == float(row[name]), (row["metric"], name)
        assert (mine["status"], mine["undefined_replicates"]) == ("ok", 0)


def test_figures_that_rest_on_failed_calls_are_not_audited(metrics):
    audited = metrics(GLM[0], "audited")
    gone = {name for name, row in audited.items() if row["status"] != "ok"}
    assert gone == {
        *("badge_effect", "verified_minus_badge", "bond_shift"),
        *("bond_responsiveness", "bond_regret_pct_V"),
    }
    for name in gone:
        row = audited[name]
        assert (row["status"], row["value"], row["ci_lo"], row["ci_hi"]) == (
            *("too_few", None, None, None),
        )
    assert audited["bond_rational"]["value"] == 7 / 48
    assert audited["failed_share"]["value"] == 235 / 576
    assert audited["invalid_share"]["value"] == 11 / 576
    # the unlabelled cell has no failed call: both readings agree
    published = metrics(GLM[0], "as_published")
    for name in ("optimal_pct", "regret_pct_V", "flip_rate", "discrimination"):
        assert audited[name]["value"] == published[name]["value"]


def test_effects_of_labels_are_paired_on_what_both_cells_answered(sample):
    from models.purchase_sample import audited_figures

    figures = audited_figures(sample(GLM[0]))
    badge = figures["badge_effect"]
    assert badge.n == 52
    assert (badge.plus.den > 0).sum() == 20
    assert round(badge.plus.num.sum() / badge.plus.den.sum(), 3) == -0.135
    verified = figures["verified_minus_badge"]
    assert (verified.n, verified.plus.num.sum()) == (52, 0)


def test_trap_the_failed_rows_carry_the_published_effects(read):
    rows = read(GLM[0])
    cells = {label: [r for r in rows if r["label"] == label] for label in "ADB"}
    cells["none"] = [r for r in rows if r["label"] == "none"]
    failed = {
        label: sum(r["category"] == "failed" for r in cell)
        for label, cell in cells.items()
    }
    assert failed == {"none": 0, "A": 0, "D": 92, "B": 143}
    certificates = {
        label: sum(r["category"] == "certificate" for r in cell)
        for label, cell in cells.items()
    }
    # 27 of the 52 badge decisions that were made, and 60 of 144 without a label
    assert (certificates["D"], certificates["none"]) == (27, 60)
    # as published 27 of 144 instead: -0.229
    assert round(27 / 144 - 60 / 144, 3) == -0.229


def test_trap_linear_percentiles_would_move_five_ends(sample):
    # the published rule cuts the place of a percentile down to a whole number
    import numpy as np

    from models.purchase_metrics import evaluate, published_draws
    from models.purchase_sample import published_figures

    figures = published_figures(sample(GLM[0]))
    draws = evaluate(figures, published_draws(48))
    linear = {
        name: np.round(np.percentile(one, [2.5, 97.5]), 3)
        for name, one in draws.items()
    }
    cut = {name: np.round(np.sort(one)[[49, 1949]], 3) for name, one in draws.items()}
    assert sum(int((linear[name] != cut[name]).sum()) for name in draws) == 5
    assert (linear["regret_pct_V"][0], cut["regret_pct_V"][0]) == (2.891, 2.889)
    responsiveness = [one["bond_responsiveness"][0] for one in (linear, cut)]
    assert responsiveness == [-7.336, -7.444]


# the marts: the same figures once they have gone through the warehouse


@pytest.fixture(scope="module")
def marts(built_purchase_release):
    with duckdb.connect(str(built_purchase_release), read_only=True) as connection:
        yield lambda sql: connection.execute(sql).fetchall()


@pytest.mark.parametrize(
    ("model", "board"), [("z-ai/glm-5.3-flash", GLM[1]), ("openai/gpt-6.1-sol", SOL[1])]
)
def test_the_mart_holds_the_published_metrics(marts, release_purchase, model, board):
    rows = marts(
        "select metric, value, ci_lo, ci_hi from marts.purchase_metric "
        f"where model_id = '{model}' and reading = 'as_published'"
    )
    with (release_purchase / board).open() as file:
        published = {
            row["metric"]: tuple(float(row[k]) for k in ("value", "ci_lo", "ci_hi"))
            for row in csv.DictReader(file)
        }
    assert {name: tuple(round(x, 3) for x in rest) for name, *rest in rows} == published


def test_the_other_board_fields_of_a_run(marts, release_purchase):
    with (release_purchase / "published_board_fields.csv").open() as file:
        fields = [(r["field"], r["key"], r["value"]) for r in csv.DictReader(file)]
    published = {(field, key): value for field, key, value in fields}
    ((usd, total, tokens, secs),) = marts(
        "select usd_per_decision, usd_total, reasoning_tokens_per_decision, "
        "secs_per_decision from marts.purchase_cost where model_id like '%glm%'"
    )
    assert round(usd, 6) == float(published["usd_per_decision", ""])
    assert round(float(total), 4) == float(published["usd_total_run", ""])
    assert round(tokens, 1) == float(published["reasoning_tokens_per_decision", ""])
    assert round(secs, 1) == float(published["secs_per_decision", ""])
    cells = marts(
        "select label, rows, invalid + failed from marts.purchase_cell "
        "where model_id like '%glm%'"
    )
    for label, rows, unread in cells:
        key = "None" if label == "none" else label
        assert str(rows) == published["n", key]
        if label == "none":
            assert round(100 * unread / rows, 2) == float(
                published["no_choice_pct", ""]
            )
    mix = dict(
        marts(
            "select case when chosen in ('invalid', 'failed') then 'NO_CHOICE' "
            "else chosen end as choice, sum(n)::varchar from marts.purchase_choice_mix "
            "where model_id like '%glm%' and label = 'none' group by all"
        )
    )
    assert mix == {key: v for (f, key), v in published.items() if f == "choice_mix"}
    ((served, label, run_date),) = marts(
        "select distinct providers_served, settings_label, run_date::varchar "
        "from marts.purchase_board"
    )
    # the published order: by number, and the text None for calls that failed
    listed = [(k or "None", v) for f, k, v in fields if f == "providers_served"]
    ours = [one.rsplit(" ", 1) for one in served.split("; ")]
    assert [(k.replace("none", "None"), v) for k, v in ours] == listed
    assert label.startswith("reasoning low, ")
    assert run_date == published["date", ""]


def test_the_derived_model_stands_on_no_board(marts):
    assert marts("select distinct model_id from marts.purchase_board") == [
        ("z-ai/glm-5.3-flash",)
    ]
    assert marts(
        "select count(*) from marts.purchase_reading_difference "
        "where model_id like '%sol%'"
    ) == [(0,)]
    assert marts("select distinct source from marts.purchase_board") == [("release",)]


def test_the_readings_part_where_failed_calls_are_scored(marts):
    rows = marts(
        "select metric, audited, reason, reason_count "
        "from marts.purchase_reading_difference where reason is not null order by all"
    )
    assert rows == [
        (name, None, "failed_calls_scored", 235)
        for name in (
            *("badge_effect", "bond_regret_pct_V", "bond_responsiveness"),
            *("bond_shift", "verified_minus_badge"),
        )
    ]
