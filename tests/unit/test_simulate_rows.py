"""A simulation as rows: contract, accounting, identity, files."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest

from ingest.errors import LoadError
from ingest.hotel.bank import draw_quintets
from ingest.hotel.cast import default_cast
from ingest.hotel.pool import make_pool
from ingest.hotel.shoppers import Shopper
from ingest.hotel.simulation import simulated_bank
from ingest.schemas import RAW_HOTEL
from ingest.simulate import Simulation, simulate_hotel

CAST = default_cast()
TABLES = ("task", "hotel", "response", "run", "simulated_taste")


@pytest.fixture(scope="module")
def demo() -> Simulation:
    return simulate_hotel()


def test_the_demo_is_300_tasks_in_two_orders_for_ten_shoppers(demo: Simulation) -> None:
    counts = {name: table.num_rows for name, table in demo.tables.items()}
    # Nine shoppers have 10 true terms (6 controls, price, slot, slot1, slot2), the
    # locked one none.
    assert counts == {
        "task": 300,
        "hotel": 179,
        "response": 10 * 300 * 2,
        "run": 10,
        "simulated_taste": 9 * 10,
    }
    kinds = Counter(demo.tables["task"]["task_type"].to_pylist())
    assert kinds == {"binary": 180, "ternary": 120}
    assert len(set(demo.tables["task"]["group_id"].to_pylist())) == 100


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_the_columns_of_the_contract(demo: Simulation, name: str) -> None:
    table = demo.tables[name]
    assert table.schema.equals(RAW_HOTEL[name])
    for field in RAW_HOTEL[name]:
        assert field.nullable or table[field.name].null_count == 0, field.name


def test_every_row_stands_in_an_account(demo: Simulation) -> None:
    rows: Counter[tuple[str, str, str]] = Counter()
    for name, table in demo.tables.items():
        files = zip(
            table["_source_file"].to_pylist(),
            table["_source_sha256"].to_pylist(),
            strict=True,
        )
        rows.update((name, file, sha256) for file, sha256 in files)
    booked = {
        (account.table_name, account.source_file, account.source_sha256): (
            account.rows_accepted
        )
        for account in demo.accounts
    }
    assert booked == rows
    assert all(a.rows_read == a.rows_accepted for a in demo.accounts)


def test_answers_say_that_they_are_simulated(demo: Simulation) -> None:
    response = demo.tables["response"]
    assert set(response["source"].to_pylist()) == {"simulated"}
    assert set(response["reply_state"].to_pylist()) == {"letter", "invalid", "failed"}
    runs = demo.tables["run"].to_pylist()
    assert {run["protocol"] for run in runs} == {"simulated"}
    assert {run["prompt_sha256"] for run in runs} == {None}
    assert [run["run_id"] for run in runs] == [s.model_tag for s in CAST]
    settings = json.loads(runs[0]["settings"])
    assert settings["seed"] == 1
    assert settings["shopper"]["tastes"] == dict(CAST[0].tastes)


def test_the_bank_hash_is_that_of_the_task_file(demo: Simulation) -> None:
    sha256 = hashlib.sha256(demo.files["conjoint_tasks.csv"]).hexdigest()
    for name in ("task", "response", "run"):
        assert set(demo.tables[name]["bank_sha256"].to_pylist()) == {sha256}


def test_source_rows_are_lines_of_the_files(demo: Simulation) -> None:
    # The header is line 1, so the row at index k of the swapped file is line k + 2.
    text = demo.files["conjoint_results_balanced_swap.csv"].decode()
    lines = list(csv.reader(io.StringIO(text)))
    rows = [
        row
        for row in demo.tables["response"].to_pylist()
        if row["_source_file"] == "simulated/balanced/swapped.csv"
    ]
    assert len(rows) == 300
    for row in rows:
        task_id, choice, raw_output = lines[row["_source_row"] - 1]
        assert (int(task_id), choice, raw_output) == (
            row["task_id"],
            row["choice"],
            row["raw_output"],
        )
        assert (
            row["task_id"]
            == row["bank_task_id"] + 10_000
            == row["id_offset"] + (row["bank_task_id"])
        )
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert {row["_source_sha256"] for row in rows} == {digest}


def test_the_same_simulation_twice_is_the_same_to_the_byte(demo: Simulation) -> None:
    again = simulate_hotel()
    assert again.files == demo.files
    assert again.accounts == demo.accounts
    assert all(again.tables[name].equals(demo.tables[name]) for name in TABLES)


def test_adding_a_shopper_changes_no_other(demo: Simulation) -> None:
    newcomer = Shopper("simulated/newcomer", {"stars": 1.0})
    more = simulate_hotel(shoppers=(newcomer, *reversed(CAST)))
    assert demo.files.items() <= more.files.items()


def test_two_shoppers_of_equal_tastes_still_answer_differently() -> None:
    one, two = (Shopper(f"a/{name}", CAST[0].tastes) for name in ("one", "two"))
    files = simulate_hotel(shoppers=(one, two)).files
    assert files["conjoint_results_a_one.csv"] != files["conjoint_results_a_two.csv"]


def test_a_shopper_may_carry_the_id_of_a_real_model() -> None:
    borrowed = replace(CAST[0], model_tag="google/gemma-2-9b-it")
    run = simulate_hotel(shoppers=(borrowed,), seed=7).tables["run"].to_pylist()[0]
    assert run["model_tag"] == "google/gemma-2-9b-it"
    assert run["run_id"] == "simulated/google/gemma-2-9b-it/seed-7"
    assert run["source"] == "simulated"


def test_five_option_tasks_make_a_variant_of_their_own() -> None:
    bank = draw_quintets(make_pool(), quintets=4, seed=1)
    simulation = simulate_hotel(shoppers=CAST[:1], bank=bank)
    run = simulation.tables["run"].to_pylist()[0]
    assert (run["run_id"], run["variant"]) == (
        "simulated/bargain-hunter/fiveopt",
        "fiveopt",
    )
    assert "conjoint_results_bargain-hunter_5opt_swap.csv" in simulation.files
    assert "hotel" not in simulation.tables
    terms = simulation.tables["simulated_taste"]["term"].to_pylist()
    assert terms[7:] == ["slot1", "slot2", "slot3", "slot4"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"tasks": 100}, "tasks: 100 asked; ask for a multiple of 3 from 6 to 9999"),
        ({"tasks": 3}, "tasks: 3 asked"),
        ({"tasks": 12_000}, "tasks: 12000 asked"),
        ({"seed": -1}, "seed: -1; give 0 or more"),
        ({"shoppers": ()}, "shoppers: none given"),
        ({"shoppers": CAST[:1] * 2}, r"\['simulated/bargain-hunter'\] given more than"),
        (
            {"shoppers": (Shopper("a/b"), Shopper("simulated/a_b"))},
            "two would write conjoint_results_a_b.csv; rename one",
        ),
    ],
)
def test_an_impossible_simulation_is_refused_in_one_line(
    request_: Mapping[str, object], message: str
) -> None:
    with pytest.raises(LoadError, match=message) as error:
        simulate_hotel(**request_)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


def test_a_bigger_simulation_keeps_the_design() -> None:
    bank = simulated_bank(make_pool(), tasks=999, seed=1)
    # 333 groups, three fifths of them (199.8, so 200) pairs.
    kinds = Counter(task.task_type for task in bank)
    assert kinds == {"binary": 600, "ternary": 399}
