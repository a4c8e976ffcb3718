"""A red gate in `dbt build`: what stops, what is recorded, and what is not shown."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

PROJECT = Path(__file__).parents[2] / "dbt_project"


@dataclass(frozen=True)
class Run:
    """One `dbt build`: whether it went well and what became of each node."""

    success: bool
    statuses: dict[str, str]
    messages: dict[str, str]
    parents: dict[str, set[str]]

    def below(self, node: str) -> set[str]:
        """Return everything that reads a node, directly or not, and was in the run."""
        found, before = {node}, set()
        while found != before:
            before = found
            found = found | {
                name for name in self.parents if self.parents[name] & found
            }
        return (found - {node}) & set(self.statuses)


Build = Callable[..., Run]


@pytest.fixture(scope="module")
def dbt_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dbt")


@pytest.fixture
def warehouse(built_demo: Path, tmp_path: Path) -> Path:
    """A green build that a test may spoil."""
    return Path(shutil.copy(built_demo, tmp_path / built_demo.name))


@pytest.fixture
def build(warehouse: Path, dbt_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    from dbt.cli.main import dbtRunner

    monkeypatch.setenv("PRICEBENCH_WAREHOUSE", str(warehouse))
    places = {
        "--project-dir": PROJECT,
        "--profiles-dir": PROJECT,
        "--target-path": dbt_folder / "target",
        "--log-path": dbt_folder / "logs",
        "--log-level": "none",
    }
    options = [str(part) for pair in places.items() for part in pair]

    def run(*select: str) -> Run:
        chosen = ["--select", *select] if select else []
        outcome: Any = dbtRunner().invoke(["build", *options, *chosen])
        results = outcome.result.results
        return Run(
            success=outcome.success,
            statuses={one.node.name: str(one.status) for one in results},
            messages={one.node.name: one.message or "" for one in results},
            parents={
                one.node.name: {
                    parent.split(".")[2] for parent in one.node.depends_on_nodes
                }
                for one in results
                if hasattr(one.node, "depends_on_nodes")
            },
        )

    return run


def _ask(warehouse: Path, query: str) -> list[tuple]:
    with duckdb.connect(str(warehouse)) as connection:
        return connection.execute(query).fetchall()


def _newest(warehouse: Path, gate: str) -> tuple[str, list[str]]:
    """Return status and offending expectations of a gate's newest run."""
    rows = _ask(
        warehouse,
        f"select expectation, status from quality.gate_results where gate = '{gate}' "
        "and run_at = (select max(run_at) from quality.gate_results "
        f"where gate = '{gate}')",
    )
    status = dict(rows)["gate"]
    return status, [name for name, how in rows if how in ("failed", "error")]


# Turns a staging view into a table, so that a row can be planted in it.
STAGED = (
    "create table staging.kept as from staging.{0}; drop view staging.{0}; "
    "alter table staging.kept rename to {0}; "
)
# Layer, what is planted in its built tables, the expectation that must name it.
PLANTED = [
    (
        "raw",
        "update raw_hotel.response set choice = 'E' where _source_row = 2 "
        "and ordering = 'original'",
        "every_choice_is_an_option_of_its_task",
    ),
    (
        "staging",
        STAGED.format("stg_hotel_response") + "insert into staging.stg_hotel_response "
        "from staging.stg_hotel_response limit 1",
        "expect_column_values_to_be_unique",
    ),
    (
        "intermediate",
        "update intermediate.int_hotel_choice set chosen_audited = true "
        "where answer_key = (select min(answer_key) from intermediate.int_hotel_answer "
        "where is_audited)",
        "exactly_one_option_is_chosen_audited",
    ),
    (
        "estimates",
        "update estimates.est_hotel_wtp set status = 'fine' where rowid = 0",
        "expect_column_values_to_be_in_set",
    ),
    (
        "marts",
        "update marts.hotel_first_shown set slot1_count = slot1_count + 1 "
        "where rowid = 0",
        "slot_picks_add_to_n",
    ),
]


@pytest.mark.parametrize(("layer", "plant", "expectation"), PLANTED)
def test_one_bad_row_stops_everything_behind_its_layer(
    warehouse, build, layer, plant, expectation
):
    gate = f"hotel_{layer}"
    assert _ask(warehouse, "select count(*) > 0 from marts.board") == [(True,)]
    _ask(warehouse, plant)

    run = build(f"gate_{gate}+")
    assert not run.success
    assert expectation in run.messages[f"gate_{gate}"]
    status, offended = _newest(warehouse, gate)
    assert status == "failed"
    assert expectation in offended
    below = run.below(f"gate_{gate}")
    assert below
    assert {run.statuses[name] for name in below} == {"skipped"}

    # the figures of before are in their tables, and no reader is shown them as current
    assert _ask(warehouse, "select count(*) > 0 from marts.hotel_board") == [(True,)]
    assert _ask(
        warehouse, "select count(*) from marts.board where instrument = 'hotel'"
    ) == [(0,)]

    # nor can anything behind the gate be built by naming it alone
    for node in ("hotel_wtp", "est_hotel_wtp"):
        if node in below:
            alone = build(node)
            assert not alone.success
            assert f"gate {gate} is red (failed), last green" in alone.messages[node]


def test_a_bad_row_in_raw_leaves_the_rest_of_the_project_built(warehouse, build):
    _ask(warehouse, "update raw_hotel.response set choice = 'Z' where _source_row = 2")
    run = build()
    assert not run.success
    behind = run.below("gate_hotel_raw") | {"gate_hotel_raw"}
    others = {name: how for name, how in run.statuses.items() if name not in behind}
    assert set(others.values()) == {"success", "pass"}
    assert {"column_dictionary", "hotel_variant"} <= set(others)


def test_a_rule_that_raises_is_an_error_not_a_failure(warehouse, build):
    _ask(
        warehouse,
        STAGED.format("stg_hotel_run")
        + "alter table staging.stg_hotel_run drop column variant",
    )
    run = build("gate_hotel_staging+")
    assert not run.success
    assert "could not be checked" in run.messages["gate_hotel_staging"]
    status, offended = _newest(warehouse, "hotel_staging")
    assert status == "error"
    assert "every_variant_is_in_the_registry" in offended
    how = _ask(
        warehouse,
        "select distinct status from quality.gate_results "
        "where expectation = 'every_variant_is_in_the_registry'",
    )
    assert sorted(how) == [("error",), ("ok",)]
    assert "is red (error)" in build("int_hotel_option").messages["int_hotel_option"]


def test_a_repaired_row_turns_the_gates_green_again(warehouse, build):
    _ask(warehouse, "update raw_hotel.run set variant = 'new'")
    before = "(select status from quality.gate_status where gate = 'hotel_raw')"
    assert not build("gate_hotel_raw+").success
    assert _ask(warehouse, f"select {before}") == [("failed",)]
    _ask(warehouse, "update raw_hotel.run set variant = 'base'")
    figures = _ask(warehouse, "select * from marts.hotel_board order by all")
    assert build().success
    states = _ask(
        warehouse,
        "select distinct status, is_current from quality.gate_status "
        "where instrument = 'hotel'",
    )
    assert states == [("green", True)]
    assert _ask(warehouse, "select * from marts.hotel_board order by all") == figures
    assert _ask(warehouse, "select count(*) > 0 from marts.board") == [(True,)]


def test_a_gate_that_did_not_get_its_turn_is_not_green(warehouse, build):
    _ask(warehouse, "update raw_hotel.run set settings = 'warm'")
    assert not build("gate_hotel_raw+").success
    states = dict(_ask(warehouse, "select gate, status from quality.gate_status"))
    later = ("staging", "intermediate", "estimates", "marts")
    assert {states[f"hotel_{layer}"] for layer in later} == {"skipped"}


def test_a_mart_built_without_its_gate_is_not_shown_until_the_gate_has_run(
    warehouse, build
):
    figures = "select * from marts.hotel_wtp order by all"
    before = _ask(warehouse, figures)
    _ask(
        warehouse,
        "update estimates.est_hotel_wtp set wtp_usd = wtp_usd + 5, ci_lo = ci_lo + 5, "
        "ci_hi = ci_hi + 5, fieller_lo = fieller_lo + 5, fieller_hi = fieller_hi + 5",
    )
    assert build("hotel_wtp").success
    assert _ask(warehouse, figures) != before
    judged = (
        "select gate, status from quality.gate_status "
        "where status <> 'green' and instrument = 'hotel'"
    )
    assert _ask(warehouse, judged) == [("hotel_marts", "bypassed")]
    assert _ask(
        warehouse, "select count(*) from marts.board where instrument = 'hotel'"
    ) == [(0,)]
    refused = _ask(warehouse, "select quality.gate_refusal('hotel_marts')")[0][0]
    assert "was left out when its layer was last built" in refused

    assert build("est_hotel_wtp").success
    assert sorted(_ask(warehouse, judged)) == [
        ("hotel_estimates", "bypassed"),
        ("hotel_marts", "bypassed"),
    ]
    assert build("est_hotel_wtp+").success
    assert _ask(warehouse, judged) == []
    assert _ask(warehouse, figures) == before


def test_a_warehouse_of_an_older_version_gains_columns_and_views(warehouse, build):
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("drop view marts.comparison")
        connection.execute("drop view marts.reading_difference")
        connection.execute("alter table marts.hotel_comparison drop column std_error")
        connection.execute(
            "alter table marts.purchase_reading_difference drop column reason_count"
        )
        connection.execute("alter table staging.hotel_variant drop column top_p")
    assert build("comparison_pair", "hotel_variant").success
    _ask(warehouse, "select top_p from staging.hotel_variant")
    for column, view in (
        ("std_error", "comparison"),
        ("reason_count", "reading_difference"),
    ):
        _ask(warehouse, f"select {column} from marts.{view}")
