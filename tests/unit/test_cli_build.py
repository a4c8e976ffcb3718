"""What a build selects, counts, explains and publishes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from pricebench.build import with_parents
from pricebench.build_print import print_report, require_success
from pricebench.build_report import BuildReport, summarise
from pricebench.errors import CommandError
from pricebench.reader import Grid


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("hotel_wtp", "+hotel_wtp"),
        ("hotel_wtp hotel_fit", "+hotel_wtp +hotel_fit"),
        ("tag:gate,path:models/gates", "+tag:gate,+path:models/gates"),
        ("+hotel_wtp", "+hotel_wtp"),
        ("2+hotel_wtp", "2+hotel_wtp"),
        ("hotel_wtp+", "+hotel_wtp+"),
        ("@hotel_wtp", "@hotel_wtp"),
    ],
)
def test_a_selection_takes_its_parents_along(selector, expected):
    assert with_parents(selector) == expected


@dataclass
class Node:
    """The part of a dbt node that the summary reads."""

    name: str
    fqn: list[str]
    resource_type: str = "model"


@dataclass
class Result:
    """The part of a dbt result that the summary reads."""

    node: Node
    status: str = "success"
    message: str | None = None
    timing: list[str] = field(default_factory=list)


def result(name: str, layer: str, status: str = "success", **more) -> Result:
    kind = more.pop("kind", "model")
    return Result(Node(name, ["pricebench", layer, name], kind), status, **more)


def fail_gate(warehouse: Path) -> None:
    with duckdb.connect(str(warehouse)) as connection:
        for name, status, table in (
            ("gate", "failed", "*"),
            ("keys", "failed", "task"),
        ):
            connection.execute(
                "insert into quality.gate_results by name select 'hotel_raw' as gate,"
                " 'hotel' as instrument, 'raw' as layer, ?::timestamp as run_at,"
                " ? as table_name, ? as expectation, 'task_id' as column_name,"
                " 'stop' as severity, ? as status, 6 as element_count,"
                " 2 as unexpected_count, 'task 7' as unexpected_sample,"
                " 'conjoint_tasks.csv' as source_files",
                [datetime(2026, 1, 2), table, name, status],
            )


def test_layers_are_counted_apart_with_their_tests(empty_warehouse):
    report = summarise(
        [
            result("seed", "seed", kind="seed"),
            result("stg_a", "staging"),
            result("stg_b", "staging", "skipped"),
            result("unique_a", "staging", "pass", kind="test"),
            result("noted_a", "staging", "warn", kind="test"),
            result("mart", "marts"),
            result("holds", "singular", "pass", kind="test"),
        ],
        empty_warehouse,
    )
    # columns: built, failed, skipped, tests, tests failed, warned
    assert report.layers.rows == (
        ("seeds", 1, 0, 0, 0, 0, 0),
        ("staging", 1, 0, 1, 2, 0, 1),
        ("marts", 1, 0, 0, 0, 0, 0),
        ("project", 0, 0, 0, 1, 0, 0),
    )
    assert report.failures == ()
    assert report.published


def test_a_red_gate_is_explained_and_its_results_are_published(empty_warehouse):
    fail_gate(empty_warehouse)
    report = summarise(
        [
            result("gate_hotel_raw", "gates", "error", message="long\ntraceback"),
            result("stg_a", "staging", "skipped"),
        ],
        empty_warehouse,
    )
    assert report.published
    assert report.failures == (
        "gate_hotel_raw: keys on task.task_id failed, 2 of 6 rows, such as task 7, "
        "from conjoint_tasks.csv",
    )
    assert report.gates.rows == (("hotel_raw", "failed", False, None),)
    with pytest.raises(CommandError, match=r"^gate hotel_raw is red: "):
        require_success(report, empty_warehouse)
    text = print_report(report)
    assert "FAILED gate_hotel_raw: keys on task.task_id" in text


def test_two_red_gates_are_named_in_one_sentence(empty_warehouse):
    gates = Grid(
        ("gate", "status", "is_current", "last_green_at"),
        tuple((name, "failed", True, None) for name in ("hotel_raw", "search_raw")),
    )
    report = BuildReport(Grid(("layer",), ()), gates, ("one",), published=True)
    with pytest.raises(
        CommandError,
        match=r"^gates hotel_raw, search_raw are red: what depends on them was not",
    ):
        require_success(report, empty_warehouse)


def test_the_colours_of_dbt_stay_out_of_the_report(empty_warehouse):
    coloured = result("m", "marts", "error", message="\x1b[31mBinder\x1b[0m Error")
    report = summarise([coloured], empty_warehouse)
    assert report.failures == ("m: Binder Error",)
    assert "\x1b" not in print_report(report)


def test_a_dependent_that_its_gate_refused_is_published_too(empty_warehouse):
    refused = result(
        "mart", "marts", "error", message="Compilation Error: gate hotel_raw is red (x)"
    )
    report = summarise(
        [result("gate_hotel_raw", "gates", "error"), refused], empty_warehouse
    )
    assert report.published


@pytest.mark.parametrize(
    "broken",
    [
        result("mart", "marts", "error", message="Binder Error: no column\nat line 3"),
        result("unique_mart", "marts", "fail", kind="test", message="Got 3 results"),
    ],
)
def test_what_no_gate_answers_for_is_not_published(broken, empty_warehouse, tmp_path):
    report = summarise([result("stg_a", "staging"), broken], empty_warehouse)
    assert not report.published
    (line,) = report.failures
    assert line == f"{broken.node.name}: {' '.join(broken.message.split())}"
    with pytest.raises(CommandError, match=r"^1 failed, see above: .* is unchanged;"):
        require_success(report, empty_warehouse)


def test_a_long_message_is_cut_and_says_so(empty_warehouse):
    report = summarise(
        [result("m", "marts", "error", message="x" * 999)], empty_warehouse
    )
    assert report.failures == (f"m: {'x' * 400}…",)


def test_a_python_model_is_explained_by_what_it_raised(empty_warehouse):
    message = (
        "Runtime Error in model est_hotel_logit (models/estimates/est_hotel_logit.py)\n"
        "  Python model failed:\n  Traceback (most recent call last):\n"
        '    File "x.py", line 1, in fit_table\n      raise ValueError(text)\n'
        "  concurrent.futures.process.RemoteTraceback: \n"
        "  The above exception was the direct cause of the following exception:\n"
        "  RuntimeError: a worker process was killed: run it again\n"
    )
    broken = result("est_hotel_logit", "estimates", "error", message=message)
    report = summarise([broken], empty_warehouse)
    assert report.failures == (
        "est_hotel_logit: RuntimeError: a worker process was killed: run it again",
    )


def test_a_build_without_failure_ends_well(tmp_path):
    report = BuildReport(Grid(("layer",), (("marts",),)), Grid(("gate",), ()), (), True)
    require_success(report, tmp_path / "w.duckdb")
    assert "FAILED" not in print_report(report)


def test_a_failed_test_names_the_promises_that_broke(empty_warehouse):
    one = result("grain_and_identities_hotel_wtp_n", "marts", "fail", kind="test")
    one.node.test_metadata = SimpleNamespace(name="grain_and_identities")
    one.node.compiled_code = (
        "select 'n = a + b' as promise, 3 as broken "
        "union all select 'one row for each model_id', 2"
    )
    assert summarise([one], empty_warehouse).failures == (
        "hotel_wtp_n: 3 rows break: n = a + b; 2 rows break: one row for each model_id",
    )


def test_a_gate_that_was_left_out_is_named_below_the_table(empty_warehouse):
    report = summarise([result("hotel_wtp", "marts")], empty_warehouse)
    columns = ("gate", "status", "is_current", "last_green_at")
    rows = (("hotel_raw", "green", True, None), ("hotel_marts", "bypassed", True, None))
    printed = print_report(replace(report, gates=Grid(columns, rows)))
    assert "left out: hotel_marts, which judge what was built" in printed
    assert "`pricebench build`" in printed
    require_success(report, empty_warehouse)
