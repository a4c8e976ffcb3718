"""The search board shows what the marts hold, a table for each track."""

from __future__ import annotations

import csv
import io
import json

import duckdb
import pytest

from pricebench.cli import main
from pricebench.scorecards import SEARCH


@pytest.fixture
def ask(built_search_marts):
    def run(sql: str) -> list[tuple]:
        with duckdb.connect(str(built_search_marts), read_only=True) as connection:
            return connection.execute(sql).fetchall()

    return run


@pytest.fixture
def show(built_search_marts, capsys):
    def run(*typed: str) -> str:
        typed = ("board", "search", *typed, "--warehouse", str(built_search_marts))
        assert main([*typed]) == 0
        return capsys.readouterr().out

    return run


def test_every_figure_is_that_of_the_marts(show, ask):
    shown = {
        (model["study_id"], model["scope"], model["model_id"], reading): model[reading]
        | model
        for study in json.loads(show("--format", "json"))
        for model in study["models"]
        for reading in ("as_published", "audited")
    }
    columns = [
        *SEARCH.metrics,
        *("ci_lo", "ci_hi", "rank_lo", "rank_hi", "status", "n", "products"),
        *("capture_bound_lo", "capture_bound_hi", "capture_leave_one_out_median"),
        *("capture_leave_one_out_median_status", "savings_found_status"),
        *("unverifiable_share", "usd_per_100_products", "failed_share"),
    ]
    key = "study_id, scope, model_id, reading"
    rows = ask(f"select {key}, {', '.join(columns)} from marts.search_board")
    assert {row[:4]: row[4:] for row in rows} == {
        at: tuple(model[name] for name in columns) for at, model in shown.items()
    }


@pytest.mark.parametrize(
    ("column", "mart", "figure"),
    [
        ("unverifiable_share", "coverage", "other.unverifiable_share"),
        ("products", "coverage", "tasks - void_tasks - unpriced_tasks"),
        ("usd_per_100_products", "cost", "100 * other.cost_usd / priced_calls"),
    ],
)
def test_what_stands_beside_the_headline_is_that_of_its_mart(column, mart, figure, ask):
    found = ask(
        f"select count(*), max(abs(board.{column} - ({figure}))), "
        f"count_if((board.{column} is null) != ({figure} is null)) "
        f"from marts.search_board as board join marts.search_{mart} as other "
        "on board.run_id = other.run_id and board.agent = other.agent "
        "and board.scope = other.track || '/base'"
    )
    (rows, apart, unlike) = found[0]
    assert [(rows,)] == ask("select count(*) from marts.search_board")
    assert apart < 1e-12
    assert unlike == 0


def test_a_wide_run_shows_ranks_that_are_shared_and_what_failed(show):
    # 36 products: a finds the best everywhere, b and c on two of three, d nothing; one
    # call of c failed, on a product where b found nothing: 24 of 36 and 24 of 35
    printed = show()
    assert max(map(len, printed.splitlines())) <= 100
    table = printed.partition("scope exact/base; run\n  wide; ")[2]
    table = table.partition("\nNOT COMPARABLE")[0]
    blocks = [" ".join(part.split()) for part in table.split("\n\n")[1:]]
    assert [block.partition("audited ")[2].split(" ")[:4] for block in blocks[:4]] == [
        ["100", "[100,", "100]", "1"],
        ["68.6", "[52.8,", "83.3]", "2–3"],
        ["66.7", "[50.0,", "80.6]", "2–3"],
        ["0.0", "[0.0,", "0.0]", "4"],
    ]
    assert blocks[1].startswith(
        "c: n 35 of 36 products; 36 calls, 1 failed (2.8%); 0 unverifiable; $1.00 per "
        "100 products; 40.0 s a call published 66.7 [50.0, 80.6] 2 "
    )
    assert blocks[1].endswith(
        "difference +1.9 +0.4 +1.9 +1.9 "
        "failed_calls_scored: capture % [95 %], found, success, recall"
    )
    assert blocks[4].startswith(
        "smallest detectable difference in audited capture: 22.0 percentage points"
    )


def test_leave_one_out_of_the_first_worked_example(show):
    # 6.99 against the 4.04 of the other: 6.99 / 4.04 = 1.730198
    found = {
        row["agent"]: row
        for row in csv.DictReader(io.StringIO(show("--format", "csv")))
        if row["run_id"] == "e1-single-item"
    }
    median = "capture_leave_one_out_median_audited"
    assert float(found["a"][median]) == pytest.approx(1.730198, abs=5e-7)
    assert found["a"]["capture_leave_one_out_median_status_audited"] == "too_few"
    assert "1.730" in show("--format", "md")
