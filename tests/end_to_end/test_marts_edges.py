"""Marts build whatever is loaded, and no study moves another."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from ingest.hotel.asked_bank import drawn_bank
from ingest.hotel.cast import default_cast
from ingest.hotel.collect import hotel_settings, plan_hotel
from ingest.hotel.release import load_hotel
from ingest.hotel.shoppers import Shopper
from ingest.journal import SCHEMA
from ingest.simulate import load_simulated_hotel, simulate_hotel, write_simulation
from ingest.warehouse import init
from pricebench.build import build
from pricebench.cli import main
from pricebench.runs import exclude_run

HOTEL_MARTS = (
    "hotel_first_shown",
    "hotel_booking_outcome",
    "hotel_coefficient",
    "hotel_fit",
    "hotel_functional_form",
    "hotel_wtp",
    "hotel_bootstrap",
    "hotel_rank_stability",
    "hotel_rank",
    "hotel_locked_forensics",
    "hotel_board",
    "board",
    "comparison",
    "reading_difference",
)


def rows(warehouse: Path, query: str) -> list[tuple]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(query).fetchall()


def shoppers(*names: str) -> list[Shopper]:
    cast = {
        shopper.model_tag.removeprefix("simulated/"): shopper
        for shopper in default_cast()
    }
    return [cast[name] for name in names]


@pytest.mark.parametrize("full_refresh", [False, True])
def test_an_empty_warehouse_builds_to_empty_marts(tmp_path, full_refresh):
    # by their own SQL, and left out of the build, by their contracts
    warehouse = tmp_path / "warehouse.duckdb"
    init(warehouse)
    report = build(warehouse, lambda line: None, full_refresh=full_refresh)
    assert report.failures == ()
    for mart in (*HOTEL_MARTS, "run", "model"):
        assert rows(warehouse, f"select count(*) from marts.{mart}") == [(0,)], mart
    gates = rows(
        warehouse, "select distinct status, is_current from quality.gate_status"
    )
    assert gates == [("empty", True)]
    assert rows(warehouse, "select count(*) from marts.column_dictionary") > [(100,)]


def test_one_locked_model_then_a_second_one(tmp_path, build_all):
    warehouse = tmp_path / "warehouse.duckdb"
    init(warehouse)
    build_all(warehouse)
    load_simulated_hotel(warehouse, shoppers=shoppers("first-card-locked"))
    build_all(warehouse)
    # Slot 1 every time: the two-option answers are separated by the slot, so no trade
    # off can be stated, and nothing is shown as a number.
    assert rows(
        warehouse,
        "select reading, verdict, value, ci_lo, status from marts.hotel_board"
        " where reading = 'audited'",
    ) == [("audited", "locked_slot1", None, None, "separated")]
    assert rows(
        warehouse,
        "select first_shown_rate, verdict from marts.hotel_first_shown"
        " where reading = 'as_published' and format = 'binary'",
    ) == [(1.0, None)]
    kept = ("marts.hotel_coefficient", "estimates.est_hotel_bootstrap")
    before = [rows(warehouse, f"select * from {name} order by all") for name in kept]
    load_simulated_hotel(warehouse, shoppers=shoppers("balanced"))
    build_all(warehouse)
    # what the second build wrote on its way is gone
    left = "select table_name from duckdb_tables() where schema_name = 'main'"
    assert rows(warehouse, left) == []
    models = rows(warehouse, "select model_id from marts.model order by 1")
    assert models == [("simulated/balanced",), ("simulated/first-card-locked",)]
    locked = "where model_id = 'simulated/first-card-locked'"
    after = [
        rows(warehouse, f"select * from {name} {locked} order by all") for name in kept
    ]
    assert after == before
    # the locked model's tastes cannot be told, so there is nothing to compare
    assert rows(warehouse, "select count(*) from marts.comparison") == [(0,)]
    resampled = rows(
        warehouse,
        "select model_id, status, failed_replicates, rank from marts.hotel_bootstrap"
        " where reading = 'audited' and statistic = 'log_price' order by 1",
    )
    assert resampled == [
        ("simulated/balanced", "ok", 0, 1.0),
        ("simulated/first-card-locked", "separated", 2000, None),
    ]


def test_a_slot_two_taker_is_engaged_as_published_and_locked_audited(built_demo):
    board = rows(
        built_demo,
        "select reading, verdict, log_price, log_price_status from marts.hotel_board"
        " where model_id = 'simulated/second-card-taker' order by reading",
    )
    (_, published_verdict, published_price, _), (_, verdict, price, status) = board
    assert published_verdict == "engaged"
    assert verdict == "locked_slot2"
    assert status == "ok"
    # true taste -3: the published form sees less than half of it
    assert abs(published_price) < 1.5
    assert price < -2
    reasons = rows(
        built_demo,
        "select distinct reason from marts.reading_difference"
        " where model_id = 'simulated/second-card-taker'"
        " and metric in ('log_price', 'review_score', 'pseudo_r2')",
    )
    assert reasons == [("slot_omitted",)]


def test_failed_calls_and_unreadable_replies_are_counted_apart(built_demo):
    counts = rows(
        built_demo,
        "select answers, n, invalid_count, failed_count from marts.hotel_first_shown"
        " where model_id in ('simulated/mumbler', 'simulated/dropped-calls')"
        " and format = 'binary' and reading = 'audited' order by model_id",
    )
    (dropped, mumbler) = counts
    # dropped-calls loses a fifth of its calls, mumbler reads badly half the time
    assert dropped[2] == 0
    assert 0.1 < dropped[3] / dropped[0] < 0.3
    assert mumbler[3] == 0
    assert 0.4 < mumbler[2] / mumbler[0] < 0.6
    reasons = rows(
        built_demo,
        "select model_id, reason from marts.reading_difference"
        " where metric = 'log_price'"
        " and model_id in ('simulated/mumbler', 'simulated/dropped-calls')"
        " order by model_id",
    )
    assert reasons == [
        ("simulated/dropped-calls", "failed_calls_scored"),
        ("simulated/mumbler", "invalid_scored"),
    ]


def write_journal(folder: Path) -> str:
    """Write a run in which two pairs are answered loosely and one call fails."""
    bank = drawn_bank("conjoint", size=48)
    plan = plan_hotel(hotel_settings("maker/asked"), bank)
    lines = [{"schema": SCHEMA, **plan.header}]
    for call in plan.calls:
        task_id, ordering, _ = call.key.values()
        # our reader finds two options in it, the published one takes the leftmost
        reply = "Option A is cheaper, I take B" if task_id in (3, 4) else "B"
        lost = task_id == 2 and ordering == "swapped"
        # the first call failed, and was made again
        for again in range(2 if task_id == 1 and ordering == "original" else 1):
            failed = lost or (task_id == 1 and ordering == "original" and not again)
            lines.append(
                {
                    **call.key,
                    "reply": None if failed else reply,
                    "reply_state": "failed" if failed else "letter",
                    "not_accepted": ["temperature"],
                    "cost_usd": None if failed else 0.001,
                    "provider": None if failed else "Host",
                }
            )
    (folder / plan.file_name).write_text("".join(f"{json.dumps(x)}\n" for x in lines))
    return plan.run_id


def assert_board_of_a_journal(warehouse: Path, run_id: str) -> None:
    found = rows(
        warehouse,
        "select reading, answers, n, invalid_count, failed_count, failed_share,"
        " first_shown_rate, cost_usd, providers_served, settings_label"
        " from marts.hotel_board where source = 'collected' order by reading",
    )
    # 48 tasks in two orders, half of them pairs; one call brought nothing
    cost, shown = (
        Decimal("0.095"),
        "temperature 0.0, 16 tokens, not accepted: temperature",
    )
    (published, audited) = found
    assert published[:2] == ("as_published", 96)
    # as published a loose reply is the card shown first, the lost call option B
    assert published[2:6] == (48, 0, 1, 1 / 96)
    assert audited == ("audited", 48, 43, 4, 1, 1 / 48, 0.0, cost, "Host", shown)
    assert published[7:] == (cost, "Host", shown)
    run = "select calls, failed_calls, source from marts.run where run_id = "
    assert rows(warehouse, f"{run}'{run_id}'") == [(97, 2, "collected")]


def test_the_board_leaves_no_model_and_no_answer_out(tmp_path, build_all, capsys):
    simulation = simulate_hotel(tasks=60, shoppers=shoppers("balanced", "star-lover"))
    write_simulation(simulation, tmp_path / "source")
    tasks = (tmp_path / "source" / "conjoint_tasks.csv").read_text().splitlines()
    kinds = dict(line.split(",")[:2] for line in tasks)
    for name in simulation.files:
        if not name.startswith("conjoint_results"):
            continue
        path = tmp_path / "source" / name
        head, *answers = path.read_text().splitlines()
        if "star-lover" in name:
            # asked for triples alone; ids of the swapped file lie 10,000 higher
            answers = [
                line
                for line in answers
                if kinds[str(int(line.split(",")[0]) % 10_000)] == "ternary"
            ]
        elif "_swap" not in name:
            # the first nine pairs come again, as a second block 1,000 higher
            again = [line for line in answers if kinds[line.split(",")[0]] == "binary"]
            answers += [
                f"{int(task) + 1000},{rest}"
                for task, rest in (line.split(",", 1) for line in again[:9])
            ]
        path.write_text("\n".join([head, *answers]) + "\n")
    # and a model that was asked here
    asked = write_journal(tmp_path / "source")
    warehouse = tmp_path / "w.duckdb"
    assert not load_hotel(tmp_path / "source", warehouse).errors
    build_all(warehouse)
    assert_board_of_a_journal(warehouse, asked)
    board = rows(
        warehouse,
        "select model_id, reading, answers, n, other_offset_count, status, verdict,"
        " log_price_status, first_shown_rate is null from marts.hotel_board"
        " where source = 'release' order by all",
    )
    # 20 groups, three fifths of them pairs, three draws each, two orders: 72 answers to
    # pairs and 48 to triples; the published rate pools them, and the second block
    (kept, audited, pooled, nothing) = board
    assert kept[:5] == ("release/balanced", "as_published", 72 + 48 + 9, 72, 0)
    assert audited[:5] == ("release/balanced", "audited", 72 + 9, 72, 9)
    assert pooled[:6] == ("release/star-lover", "as_published", 48, 0, 0, "too_few")
    assert pooled[8] is False
    assert nothing[1:] == (
        *("audited", 0, 0, 0, "too_few", "no_data", "too_few", True),
    )
    assert main(["board", "--warehouse", str(warehouse)]) == 0
    out = capsys.readouterr().out
    assert "(2 models)" in out
    assert "9 odd ids" in out
    assert "no two-option" in out
    assert "not accepted: temperature" in out
    assert "4 invalid" in out
    assert "1 failed" in out
    for run in ("release/balanced", "release/star-lover", asked):
        exclude_run(warehouse, run, "a trial")
    build_all(warehouse)
    assert main(["board", "--warehouse", str(warehouse)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("studies whose runs are all excluded: ")
    assert "run release/balanced excluded: a trial" in out
    assert out.endswith(
        "`pricebench exclude RUN --undo`, then `pricebench build`, takes a run in again"
    )
    typed = ["board", "--format", "csv", "--warehouse", str(warehouse)]
    assert main(typed) == 0
    assert "studies whose runs are all excluded: " in capsys.readouterr().err


@pytest.mark.release
def test_a_simulated_run_under_a_released_id_changes_no_released_figure(
    built_release, tmp_path, build_all
):
    warehouse = tmp_path / "warehouse.duckdb"
    shutil.copy(built_release, warehouse)
    ((study, model),) = rows(
        warehouse,
        "select study_id, model_id from marts.hotel_board"
        " where reading = 'audited' order by model_id limit 1",
    )

    def figures(mart: str) -> list[tuple]:
        return rows(
            warehouse,
            f"select * from marts.{mart} where study_id = '{study}' order by all",
        )

    before = {mart: figures(mart) for mart in HOTEL_MARTS}
    impostor = Shopper(model, lock_slot=1, lock_share=0.9)
    load_simulated_hotel(warehouse, shoppers=[impostor])
    build_all(warehouse)
    assert {mart: figures(mart) for mart in HOTEL_MARTS} == before
    sources = rows(
        warehouse, f"select source from marts.run where model_id = '{model}' group by 1"
    )
    assert sorted(sources) == [("release",), ("simulated",)]


def test_built_columns_are_the_documented_columns(built_demo):
    documented = rows(
        built_demo,
        "select table_name, column_name from marts.column_dictionary order by all",
    )
    built = rows(
        built_demo,
        "select table_name, column_name from information_schema.columns"
        " where table_schema = 'marts' order by all",
    )
    assert documented == built


def test_every_analysis_answers_with_rows(built_demo, built_search_marts, tmp_path):
    from dbt.cli.main import dbtRunner

    from pricebench.paths import DBT_PROJECT

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRICEBENCH_WAREHOUSE", str(built_demo))
        outcome = dbtRunner().invoke(
            [
                *(
                    "--log-level",
                    "none",
                    "compile",
                    "--select",
                    "resource_type:analysis",
                ),
                *(
                    "--project-dir",
                    str(DBT_PROJECT),
                    "--profiles-dir",
                    str(DBT_PROJECT),
                ),
                *("--target-path", str(tmp_path / "target")),
                *("--log-path", str(tmp_path / "logs")),
            ]
        )
    assert outcome.success
    compiled = [result.node for result in outcome.result.results]
    assert {node.name for node in compiled} == {
        path.stem for path in (DBT_PROJECT.parent / "analyses").glob("*.sql")
    }
    for node in compiled:
        is_search = node.name.startswith("search_")
        warehouse = built_search_marts if is_search else built_demo
        found = rows(warehouse, node.compiled_code)
        assert len(found) >= 1, node.name
        first, *_ = node.raw_code.split("\n")
        assert first.endswith("?"), node.name
        if "One row per study and model," in node.raw_code:
            assert len({row[:2] for row in found}) == len(found), node.name
