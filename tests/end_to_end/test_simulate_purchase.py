"""Simulated buyers from files through the warehouse to the marts."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from ingest.errors import LoadError
from ingest.purchase.buyers import Buyer, named_buyer
from ingest.purchase.release import load_purchase
from ingest.simulate import load_simulated_purchase
from pricebench.cli import main

RIGHT = [named_buyer("rational"), named_buyer("always-skip")]


def query(warehouse: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def raw_rows(warehouse: Path) -> list[list[tuple]]:
    return [
        query(
            warehouse,
            f"select * exclude (_dlt_load_id) from raw_purchase.{table} order by all",
        )
        for table in ("scenario", "response", "run")
    ]


def test_the_files_load_as_what_the_verb_loads(empty_warehouse, tmp_path, capsys):
    out, typed = tmp_path / "out", ["--warehouse", str(empty_warehouse)]
    other = Path(shutil.copy(empty_warehouse, tmp_path / "other.duckdb"))
    verb = ["simulate", "purchase", *typed, "--out", str(out)]
    assert main(verb) == 0
    # 48 scenarios and 9 · 576 decisions
    assert capsys.readouterr().out == (
        "9 simulated buyers: 5,232 rows, 9 runs loaded\n"
    )
    report = load_purchase(out, other)
    assert (report.errors, report.notes, report.ignored) == ((), (), ())
    assert raw_rows(other) == raw_rows(empty_warehouse)
    assert query(
        other,
        "select distinct source, protocol, run_date, cost_usd from raw_purchase.run",
    ) == [("simulated", "simulated", None, None)]
    # a second time nothing is new, by either way
    assert load_purchase(out, empty_warehouse).rows == 0
    assert main(verb) == 0
    assert "0 rows, 0 runs loaded; 10 files loaded before" in capsys.readouterr().out


def test_other_seeds_and_shares_are_added_and_other_answers_refused(empty_warehouse):
    load_simulated_purchase(empty_warehouse, buyers=RIGHT)
    slips = [named_buyer("arithmetic-slips=0.1"), named_buyer("arithmetic-slips=0.2")]
    load_simulated_purchase(empty_warehouse, buyers=slips)
    load_simulated_purchase(empty_warehouse, buyers=RIGHT[:1], seed=7, size=8)
    runs = query(
        empty_warehouse,
        "select run_id, count(distinct bank_sha256) from raw_purchase.run "
        "group by all order by all",
    )
    assert [run for run, _ in runs] == [
        "simulated/always-skip",
        "simulated/arithmetic-slips-0.1",
        "simulated/arithmetic-slips-0.2",
        "simulated/rational",
        "simulated/rational/seed-7",
    ]
    banks = query(
        empty_warehouse,
        "select count(*), count(distinct bank_sha256) from raw_purchase.scenario",
    )
    assert banks == [(48 + 8, 2)]
    before = raw_rows(empty_warehouse)
    with pytest.raises(
        LoadError, match=r"run simulated/rational: .* holds other answers under this"
    ):
        load_simulated_purchase(
            empty_warehouse, buyers=[Buyer("simulated/rational", always="teaser")]
        )
    assert raw_rows(empty_warehouse) == before


@pytest.mark.parametrize("name", ["bank_8008.json", "runs.jsonl"])
def test_a_simulation_is_not_written_among_other_files(name, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / name).write_text("theirs")
    with pytest.raises(LoadError, match=f"holds {name} of another simulation or a rel"):
        load_simulated_purchase(tmp_path / "w.duckdb", buyers=RIGHT, out=folder)
    assert [path.name for path in folder.iterdir()] == [name]
    assert not (tmp_path / "w.duckdb").exists()


def test_what_cannot_be_simulated_is_one_line(empty_warehouse, capsys):
    typed = ["simulate", "purchase", "--warehouse", str(empty_warehouse)]
    for asked, says in (
        (["--buyer", "nobody"], "no buyer 'nobody': name one of rational, "),
        (["--size", "0"], "size: 0 asked; ask for 1 to 10000 scenarios"),
        (["--seed", "-1"], "seed: -1; give 0 or more"),
        (["--buyer", "rational", "--buyer", "rational"], "given more than once"),
    ):
        assert main([*typed, *asked]) == 1
        assert says in capsys.readouterr().err.strip().split("\n")[-1]


# what the marts make of the cast of the demo


@pytest.fixture(scope="module")
def metric(built_demo):
    rows = query(
        built_demo,
        "select model_id, metric, reading, value, ci_lo, ci_hi, status "
        "from marts.purchase_metric",
    )
    found = {row[:3]: row[3:] for row in rows}

    def read(name: str, metric_: str, reading: str = "audited") -> tuple:
        return found[f"simulated/{name}", metric_, reading]

    return read


def test_the_rational_buyer_has_the_perfect_values_exactly(metric):
    perfect = {
        **{"optimal_pct": 100, "regret_pct_V": 0, "flip_rate": 0, "discrimination": 1},
        **{"badge_effect": 0, "verified_minus_badge": 0, "bond_shift": 7 / 48},
        **{"bond_rational": 7 / 48, "bond_responsiveness": 1, "bond_regret_pct_V": 0},
    }
    for name, value in perfect.items():
        for reading in ("as_published", "audited"):
            found, _, _, status = metric("rational", name, reading)
            # the published difference of two shares is off by its last bit
            wanted = value if reading == "audited" else pytest.approx(value, rel=1e-15)
            assert (found, status) == (wanted, "ok"), (name, reading)
    assert round(metric("rational", "bond_shift")[0], 3) == 0.146


def test_always_skipping_loses_the_known_share_exactly(metric):
    for reading in ("as_published", "audited"):
        regret, _, _, status = metric("always-skip", "bond_regret_pct_V", reading)
        assert (round(regret, 6), status) == (27.724065, "ok")
        assert metric("always-skip", "optimal_pct", reading)[0] == 25
    assert metric("always-skip", "underbuy_share")[0] == 1
    assert metric("always-skip", "overbuy_share")[0] == 0


def test_every_habit_shows_in_its_own_metric(metric):
    # 12 of 48 optima are the certificate, 19 with the bond
    assert metric("always-certificate", "optimal_pct")[0] == 25
    assert metric("always-certificate", "discrimination")[0] == 0
    assert metric("always-certificate", "overbuy_share")[0] == 1
    assert metric("bond-blind", "optimal_pct")[0] == 100
    assert metric("bond-blind", "bond_responsiveness")[0] == 0
    assert metric("bond-blind", "bond_regret_pct_V")[0] > 0
    # four in ten of the 36 · 3 who would not take it: 0.3
    value, low, high, _ = metric("badge-swayed", "badge_effect")
    assert 0 < low < 0.3 < high
    assert metric("badge-swayed", "verified_minus_badge")[0] == -value
    assert metric("badge-swayed", "optimal_pct")[0] == 100
    for name in ("arithmetic-slips", "noisy"):
        assert 0 < metric(name, "optimal_pct")[2] < 100
        assert metric(name, "flip_rate")[1] > 0
    assert metric("noisy", "invalid_share")[0] > 0


def test_failed_calls_move_the_published_reading_alone(metric, built_demo):
    assert metric("failing-calls", "optimal_pct")[0] == 100
    assert metric("failing-calls", "optimal_pct", "as_published")[0] < 90
    for name in ("badge_effect", "verified_minus_badge", "bond_shift"):
        assert metric("spent-budget", name)[3] == "too_few"
        assert metric("spent-budget", name, "as_published")[3] == "ok"
    # the bonded cell is always skipping, as published
    assert (
        round(metric("spent-budget", "bond_regret_pct_V", "as_published")[0], 6)
        == 27.724065
    )
    assert query(
        built_demo,
        "select distinct reason, reason_count from marts.reading_difference "
        "where model_id = 'simulated/spent-budget' and reason is not null",
    ) == [("failed_calls_scored", 230)]


def test_cells_say_which_of_them_carry_figures(built_demo):
    found = query(
        built_demo,
        "select label, rows, failed, scenarios, status from marts.purchase_cell "
        "where model_id = 'simulated/spent-budget' order by label",
    )
    assert found == [
        ("A", 144, 0, 48, "ok"),
        ("B", 144, 144, 0, "too_few"),
        # 346 - 288 = 58 replies, three to a scenario
        ("D", 144, 86, 20, "too_few"),
        ("none", 144, 0, 48, "ok"),
    ]


def test_it_says_simulated_wherever_it_is_shown(built_demo, capsys):
    for mart in ("run", "purchase_board"):
        sql = f"select distinct source from marts.{mart} where instrument = 'purchase'"
        assert query(built_demo, sql) == [("simulated",)]
    typed = ["--warehouse", str(built_demo)]
    for form, marked in (
        ("table", "SIMULATED BUYERS, no real model answered (9 models)"),
        ("md", "| rational (simulated) |"),
        ("csv", ",simulated,"),
        ("json", '"source": "simulated"'),
    ):
        assert main(["board", "purchase", "--format", form, *typed]) == 0
        assert marked in capsys.readouterr().out
    assert main(["runs", *typed]) == 0
    assert "simulated/spent-budget" in capsys.readouterr().out


def test_the_paired_effects_of_the_analysis_are_the_audited_ones(built_demo, capsys):
    import csv
    import io

    root = Path(__file__).parents[2]
    file = root / "analyses" / "purchase_which_conclusions_rest_on_failed_calls.sql"
    typed = ["query", "--file", str(file), "--warehouse", str(built_demo)]
    assert main([*typed, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    audited = dict(
        query(
            built_demo,
            "select (model_id, metric)::varchar, value from marts.purchase_metric "
            "where reading = 'audited' and status = 'ok'",
        )
    )
    compared = 0
    for row in rows:
        value = audited.get(f"({'simulated/' + row['display_name']}, {row['metric']})")
        assert (value is not None) == (row["audited_status"] == "ok")
        if value is not None:
            assert float(row["paired_difference"]) == pytest.approx(value, abs=1e-12)
            compared += 1
    assert compared == 3
