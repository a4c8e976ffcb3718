"""`pricebench report search`: summaries from artifacts, and what parts them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import run as start

import duckdb
import pytest
from search_run import candidate_of

from pricebench.search_summary import first_difference, summarise

A, B = (candidate_of("t001", f"https://shop-{agent}1.example/t001") for agent in "ab")


@pytest.fixture(scope="module")
def summary(built_search_marts: Path):
    def read(run_id: str, scenario: str = "base") -> dict:
        with duckdb.connect(str(built_search_marts), read_only=True) as connection:
            return summarise(connection, run_id, "exact", scenario)

    return read


def test_a_summary_of_a_run_that_can_be_checked_by_hand(summary):
    found = summary("altered-nothing")
    # 20.00 for 3; a found 9.00 for 2, b 6.00 for 2
    assert found["tasks"]["t001"] == {
        **{"basis": "per_unit", "ref_cost": "6.6667", "oracle_cost": "3.0000"},
        **{"opportunity": "3.6667", "oracle_by": [B]},
        "agents": {
            "a": {
                **{"best": A, "best_ties": [A]},
                **{"best_cost": "4.5000", "savings": "2.1667", "capture": "0.590909"},
                **{"found": "0.325000", "success": True, "recall": False},
            },
            "b": {
                **{"best": B, "best_ties": [B]},
                **{"best_cost": "3.0000", "savings": "3.6667", "capture": "1.000000"},
                **{"found": "0.550000", "success": True, "recall": True},
            },
        },
    }
    assert found["pool"] == ["a", "b"]
    assert (found["n_tasks"], found["n_void"], found["n_opportunity"]) == (1, 0, 1)
    assert found["bootstrap"] == {
        **{"resamples": 10_000, "seed": 20260101, "method": "percentile"},
        "level": 0.95,
    }
    own = found["agents"]["a"]
    assert own["savings_capture"] == {
        **{"mean": 13 / 22, "ci": [13 / 22, 13 / 22], "n": 1},
    }
    assert own["cost_usd"] == {"total": "0.01", "per_task": "0.0100"}
    assert own["latency_s"] == {"median": 40.0, "source": "interactive"}


def test_a_product_without_an_opportunity(summary):
    found = summary("e4-shipping-eats-it")
    task = found["tasks"]["t001"]
    assert (task["opportunity"], task["oracle_cost"], task["oracle_by"]) == (
        *("0.0000", None),
        [],
    )
    assert task["agents"]["a"] == {
        **{"best": None, "best_ties": [], "best_cost": None, "savings": "0.0000"},
        **{"capture": None, "found": "0.000000", "success": False, "recall": False},
    }
    capture = found["agents"]["a"]["savings_capture"]
    assert capture == {"mean": None, "ci": None, "n": 0}


def test_half_a_place_is_rounded_up_and_ties_are_all_named(summary):
    # e7: 24.07 for 6 is 4.011666…
    task = summary("e7-one-cent-per-unit")["tasks"]["t001"]
    assert task["agents"]["c"]["best_cost"] == "4.0117"
    assert len(summary("ties-for-the-oracle")["tasks"]["t001"]["oracle_by"]) == 2


@pytest.mark.parametrize(
    ("what", "field"),
    [
        ("price", "agents.a.capture_bounds"),
        ("vote", "agents.a.best_price_recall.ci"),
        ("ruling", "agents.a.best_price_recall.ci"),
        ("reference", "agents.a.capture_bounds"),
    ],
)
def test_what_is_altered_parts_summaries_at_a_named_field(what, field, summary):
    plain, altered = summary("altered-nothing"), summary(f"altered-{what}")
    found = first_difference(plain, altered)
    assert found is not None
    assert found.startswith(f"{field}: stored ")
    assert first_difference(plain, summary("altered-nothing")) is None


def test_an_agent_that_was_not_asked_everything_is_refused(summary):
    from pricebench.errors import CommandError

    with pytest.raises(CommandError, match=r"raw_b_exact.json lacks 1 products"):
        summary("unasked")


def test_the_example_holds_its_summaries_until_a_ruling_is_altered(tmp_path):
    folder = tmp_path / "runs" / "example"

    def call(*typed: str):
        return start(
            [sys.executable, "-m", "pricebench", *typed],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )

    made = call("simulate", "search", "--out", str(folder))
    assert made.returncode == 0, made.stderr
    stored = json.loads((folder / "summary_exact.json").read_text())
    assert stored["schema"] == "search-bench/summary/1"
    assert "verify_labels_refs.json" in stored["inputs"]
    # they were loaded with the run, and a second time nothing is made or loaded
    again = call("simulate", "search", "--out", str(folder))
    assert "0 rows, 0 runs loaded" in again.stdout
    assert json.loads((folder / "summary_exact.json").read_text()) == stored
    report = ("report", "search", str(folder), "--prime", "--check")
    checked = call(*report)
    assert checked.returncode == 0, checked.stderr
    assert "summary_equiv_prime.json: 10 products" in checked.stdout
    labels = folder / "verify_labels_exact.json"
    text = labels.read_text()
    assert '"validity": "valid"' in text
    labels.write_text(text.replace('"validity": "valid"', '"validity": "invalid"', 1))
    parted = call(*report)
    assert parted.returncode == 1
    assert "summary_exact.json differs from its artifacts: " in parted.stderr
    (folder / "summary_exact.json").unlink()
    missing = call(*report, "--track", "exact")
    assert missing.returncode == 1
    assert "no summary_exact.json to check" in missing.stderr


def test_no_run_named_is_said_in_one_line(tmp_path, monkeypatch):
    from pricebench.errors import CommandError
    from pricebench.report import report_search

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRICEBENCH_DIR", raising=False)
    with pytest.raises(CommandError, match="set PRICEBENCH_DIR"):
        report_search(None, tracks=("exact",), prime=False, check=True)
    monkeypatch.setenv("PRICEBENCH_DIR", "none")
    with pytest.raises(CommandError, match=r"runs/none is no run folder"):
        report_search(None, tracks=("exact",), prime=False, check=True)
