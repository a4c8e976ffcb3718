"""The purchase board shows what the marts hold, or says why it shows nothing."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import duckdb
import pytest

from pricebench.cli import main
from pricebench.scorecards import PURCHASE


@pytest.fixture
def ask(built_purchase):
    def run(sql: str) -> list[tuple]:
        with duckdb.connect(str(built_purchase), read_only=True) as connection:
            return connection.execute(sql).fetchall()

    return run


@pytest.fixture
def show(built_purchase, capsys):
    def run(*typed: str) -> str:
        assert main(["board", *typed, "--warehouse", str(built_purchase)]) == 0
        out, err = capsys.readouterr()
        assert err == "" or "csv" in typed
        return out

    return run


def test_every_figure_is_that_of_the_marts(show, ask):
    shown = {
        (model["study_id"], model["model_id"], reading): model[reading] | model
        for study in json.loads(show("purchase", "--format", "json"))
        for model in study["models"]
        for reading in ("as_published", "audited")
    }
    columns = [
        *PURCHASE.metrics,
        *("ci_lo", "ci_hi", "rank_lo", "rank_hi", "status", "n", "failed_share"),
        *("settings_label", "providers_served", "bank_sha256"),
        *("usd_per_1000_decisions", "bond_shift_status"),
    ]
    key = "study_id, model_id, reading"
    rows = ask(f"select {key}, {', '.join(columns)} from marts.purchase_board")
    assert {row[:3]: row[3:] for row in rows} == {
        at: tuple(model[name] for name in columns) for at, model in shown.items()
    }
    shared = ask(
        f"select {key}, value, ci_lo, ci_hi, rank_lo, rank_hi, status, n, failed_share"
        " from marts.board where instrument = 'purchase'"
    )
    assert sorted(row[:4] for row in shared) == sorted(row[:4] for row in rows)
    assert len(shared) == len(rows) == 2 * 9


def test_the_formats_say_the_same(show, ask):
    rows = list(csv.DictReader(io.StringIO(show("purchase", "--format", "csv"))))
    values = ask(
        "select model_id, value from marts.purchase_board where reading = 'audited'"
    )
    assert {row["model_id"]: row["value_audited"] for row in rows} == {
        model: "" if value is None else repr(value) for model, value in values
    }
    table, page = show("purchase"), show("purchase", "--format", "md")
    for text in (table, page):
        assert text.count("Purchase decisions, study ") == 2
        assert text.count("NOT COMPARABLE with the table above: ") == 1
        assert "smallest detectable difference in audited best choices: " in text
        assert "on no board since nobody gave them" in text
    assert max(map(len, table.splitlines())) <= 100
    # one cell missing, no reply at all, one repeat only: statuses, not errors
    for name, reading, status in (
        ("unbonded", "audited", "too_few: bond, resp, bond loss"),
        ("unbonded", "published", "too_few: bond, right, resp, bond loss"),
        ("once", "audited", "too_few: flips"),
    ):
        block = table.partition(f"\n{name}: ")[2].partition("\n\n")[0]
        assert f"  {reading} {status}\n" in block
    silent = table.partition("\nsilent: ")[2].partition("\n\n")[0]
    assert silent.startswith("n 0; 576 calls, 576 failed (100.0%); – per 1,000\n")
    assert "  audited too_few: best % [95 %], loss %, flips, discr, badge, " in silent


def test_the_smallest_detectable_difference_is_that_of_the_comparisons(show, ask):
    found = {
        study["study_id"]: study["smallest_detectable"]
        for study in json.loads(show("purchase", "--format", "json"))
        if study["models"]
    }
    stored = ask(
        "select study_id, median(smallest_detectable) from marts.comparison "
        "where metric = 'optimal_pct' and status = 'ok' group by all"
    )
    # the pilot's one model is compared with nobody
    assert len(found) == 2
    assert {study: least for study, least in found.items() if least} == dict(stored)


def test_derived_runs_stand_on_no_board(show, ask):
    (derived,) = ask("select distinct study_id from marts.run where source = 'derived'")
    for form in ("json", "csv", "md", "table"):
        assert "acme/implied" not in show("purchase", "--format", form)
    (study,) = (
        one
        for one in json.loads(show("purchase", "--format", "json"))
        if one["study_id"] == derived[0]
    )
    assert (study["source"], study["models"]) == ("derived", [])


def test_without_an_instrument_every_one_with_data_is_shown(show):
    assert show() == show("purchase")
    assert show("hotel") == "No answers are loaded.\n"


def test_a_board_out_of_date_is_refused_in_one_line(built_purchase, tmp_path, capsys):
    warehouse = Path(shutil.copy(built_purchase, tmp_path / "w.duckdb"))
    typed = ["--warehouse", str(warehouse)]
    excluded = ["exclude", "release/acme/noisy", "--reason", "a trial", *typed]
    assert main(excluded) == 0
    capsys.readouterr()
    for asked in (["purchase"], []):
        assert main(["board", *asked, *typed]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(
            "pricebench: no purchase board: gate purchase_raw is out of date"
        )
        assert err.count("\n") == 1
    assert main(["doctor", "--format", "csv", *typed]) in (0, 1)
    out = capsys.readouterr().out
    (gates,) = (line for line in out.splitlines() if line.startswith("gates,"))
    assert gates.startswith('gates,due,"gate purchase_raw is out of date for the data')
    assert gates.endswith(",run pricebench build")
