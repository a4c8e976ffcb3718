"""What the purchase board says of runs that are not like the others."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import pytest
from purchase_data import SETTINGS, decision, whole_run, write_bank, write_runs

from ingest.purchase.bank import make_bank
from ingest.purchase.release import load_purchase
from pricebench.build import build
from pricebench.cli import main


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory) -> Path:
    """Models of one name, mixed settings, a part of the bank, calls that fail."""
    folder = tmp_path_factory.mktemp("odd")
    bank, source = make_bank(), folder / "source"
    write_bank(source / "bank_8008.json", bank)
    for maker in ("acme", "zenith"):
        write_runs(source / f"{maker}.jsonl", whole_run(bank, model=f"{maker}/twin"))
    high = {**SETTINGS, "reasoning": "high"}
    mixed = [
        row | {"settings": high} if row["rep"] == 2 else row
        for row in whole_run(bank, model="acme/mixed")
    ]
    write_runs(source / "mixed.jsonl", mixed)
    # 10 scenarios of 48, in a file with a line that is cut
    short = whole_run(bank[:10], model="acme/short")
    write_runs(source / "short.jsonl", [*short, '{"model": "acme/short", "sid'])
    # every third call without a label fails
    failing = [
        decision(one, label, rep, "FAILED" if (label, rep) == ("none", 0) else None)
        | {"model": "acme/failing"}
        for label in ("none", "A", "D", "B")
        for one in bank
        for rep in range(3)
    ]
    write_runs(source / "failing.jsonl", failing)
    # derived answers are another study of the same bank
    implied = {"derived": True, "parse": "derived", "usage": {}}
    lines = [*whole_run(bank, model="acme/implied", **implied), "{", "{"]
    write_runs(source / "implied.jsonl", lines)
    # a file with three lines that are cut, mended since
    write_runs(folder / "old" / "twin.jsonl", [*whole_run(bank[:30], 1), "{", "{", "{"])
    write_runs(folder / "new" / "twin.jsonl", whole_run(bank))
    path = folder / "warehouse.duckdb"
    assert not load_purchase(source, path).errors
    assert not load_purchase(folder / "old", path).errors
    assert load_purchase(folder / "new", path, replace=True).superseded == 121
    shared = ["board", "comparison", "reading_difference", "run", "model"]
    select = ["gate_purchase_marts", *shared]
    report = build(path, lambda line: None, select=select)
    assert report.failures == ()
    return path


@pytest.fixture
def show(warehouse, capsys):
    def run(*typed: str) -> str:
        assert main(["board", *typed, "--warehouse", str(warehouse)]) == 0
        return capsys.readouterr().out

    return run


def query(warehouse: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def block(text: str, name: str) -> str:
    return " ".join(text.partition(f"\n{name}: ")[2].partition("\n\n")[0].split())


def test_models_of_one_name_go_by_their_ids(warehouse, show):
    names = dict(query(warehouse, "select model_id, display_name from marts.model"))
    assert names["acme/twin"] == "acme/twin"
    assert names["zenith/twin"] == "zenith/twin"
    assert names["acme/short"] == "short"
    text = show("purchase")
    assert "\nacme/twin: " in text
    assert "\nzenith/twin: " in text


def test_settings_that_vary_within_a_run_are_each_listed(show):
    (label,) = (
        row["settings_label"]
        for row in csv.DictReader(io.StringIO(show("purchase", "--format", "csv")))
        if row["model_id"] == "acme/mixed"
    )
    rest = "temperature provider default, 8000 tokens, routing price-sorted"
    assert label == f"mixed: reasoning high, {rest}; reasoning low, {rest}"
    assert "mixed: reasoning high, " in block(show("purchase"), "mixed")


def test_a_part_of_the_bank_is_named_beside_whole_ones(warehouse, show):
    text = show("purchase")
    # audited too little for a figure, as published 100 % and first
    assert block(text, "short").startswith("n 30 on 10 of 48 scenarios; 120 calls; ")
    assert "too_few: best % [95 %]" in block(text, "short")
    assert "scenarios" not in block(text, "acme/twin")
    assert query(
        warehouse,
        "select distinct scenarios, bank_scenarios from marts.purchase_board "
        "where model_id = 'acme/short'",
    ) == [(10, 48)]


def test_calls_that_fail_make_no_model_cheap_without_a_word(show):
    # $0.0002 a reply: 96 of 144 calls came back, so 0.2 · 96/144 = 0.133 per 1,000
    assert "; $0.133 ($0.200 answered) per 1,000" in block(show("purchase"), "failing")
    assert "answered" not in block(show("purchase"), "acme/twin")


def test_rows_set_aside_are_those_of_files_that_stand_in_their_study(show):
    left_out = {
        study["source"]: study["left_out"]
        for study in json.loads(show("purchase", "--format", "json"))
    }
    assert left_out == {
        "release": ["1 row quarantined"],
        "derived": ["2 rows quarantined"],
    }


def test_what_the_bond_should_move_is_the_banks(warehouse):
    assert query(
        warehouse,
        "select reading, value, n from marts.purchase_metric "
        "where metric = 'bond_rational' and model_id = 'acme/short' order by reading",
    ) == [("as_published", 0, 60), ("audited", 7 / 48, 48)]
    differences = query(
        warehouse,
        "select model_id, difference, reason from marts.reading_difference "
        "where metric = 'bond_rational' order by all",
    )
    # of whole runs the readings agree, and not but for a last bit
    assert differences == [
        ("acme/buyer-1", 0, None),
        ("acme/failing", 0, None),
        ("acme/mixed", 0, None),
        ("acme/short", 7 / 48, "asked_rows_only"),
        ("acme/twin", 0, None),
        ("zenith/twin", 0, None),
    ]


def test_failed_calls_are_counted_for_the_model_and_for_the_cells(warehouse):
    assert query(
        warehouse,
        "select metric, reason, reason_count, failed_in_cells "
        "from marts.purchase_reading_difference where model_id = 'acme/failing' "
        "and metric in ('optimal_pct', 'bond_shift', 'badge_effect') order by metric",
    ) == [
        ("badge_effect", "failed_calls_scored", 48, 48),
        ("bond_shift", None, None, 0),
        ("optimal_pct", "failed_calls_scored", 48, 48),
    ]
