"""Marts build whatever is loaded, and no study moves another."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from ingest.hotel.cast import default_cast
from ingest.hotel.shoppers import Shopper
from ingest.simulate import load_simulated_hotel
from ingest.warehouse import init

HOTEL_MARTS = (
    "hotel_first_shown",
    "hotel_booking_outcome",
    "hotel_coefficient",
    "hotel_fit",
    "hotel_functional_form",
    "hotel_wtp",
    "hotel_board",
    "board",
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


def test_an_empty_warehouse_builds_to_empty_marts(tmp_path, build_all):
    warehouse = tmp_path / "warehouse.duckdb"
    init(warehouse)
    build_all(warehouse)
    for mart in (*HOTEL_MARTS, "run", "model"):
        assert rows(warehouse, f"select count(*) from marts.{mart}") == [(0,)], mart
    gates = rows(
        warehouse, "select distinct status, is_current from quality.gate_status"
    )
    assert gates == [("empty", True)]
    assert rows(warehouse, "select count(*) from marts.column_dictionary") > [(100,)]


def test_one_locked_model_then_a_second_one(tmp_path, build_all):
    warehouse = tmp_path / "warehouse.duckdb"
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
    before = rows(warehouse, "select * from marts.hotel_coefficient order by all")
    load_simulated_hotel(warehouse, shoppers=shoppers("balanced"))
    build_all(warehouse)
    models = rows(warehouse, "select model_id from marts.model order by 1")
    assert models == [("simulated/balanced",), ("simulated/first-card-locked",)]
    after = rows(
        warehouse,
        "select * from marts.hotel_coefficient"
        " where model_id = 'simulated/first-card-locked' order by all",
    )
    assert after == before


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


def test_every_analysis_answers_with_rows(built_demo, tmp_path):
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
        assert len(rows(built_demo, node.compiled_code)) >= 1, node.name
