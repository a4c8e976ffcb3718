"""What the search staging views make of the records."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from search_folder import edit, example, first, restate, write

from ingest.search.release import load_search


def ask(warehouse: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        connection.execute("set search_path = 'staging'")
        return connection.execute(sql).fetchall()


def test_a_run_has_a_study_its_rules_and_its_grid(built_search):
    rows = ask(
        built_search,
        "select length(study_id), run_id, source, protocol, buyer_zip, judges_needed, "
        "match_tolerance_usd::varchar, grid_size, grid_seed, grid_method, "
        "run_date::varchar, has_mixed_protocol, is_excluded from stg_search_run",
    )
    assert rows == [
        (
            *(12, "example-7", "simulated", "1.0", "10001", 2, "0.01", 12, "7"),
            *("interleaved", "2026-11-02", False, False),
        )
    ]


def test_an_agent_is_its_configured_model_or_itself(built_search):
    assert ask(
        built_search,
        "select distinct agent, model_id from stg_search_agent order by agent",
    ) == [
        ("bazaar", "simulated/bazaar"),
        ("frugal", "simulated/frugal"),
        ("hasty", "simulated/hasty"),
        ("scattered", "agent/scattered"),
        ("thorough", "simulated/thorough"),
    ]


def test_landed_cost_and_basis_are_worked_out(built_search):
    rows = ask(
        built_search,
        "select price_usd + shipping_usd + fees_usd = landed_usd, "
        "(pack_count > 1) = (basis = 'per_unit'), host from stg_search_task",
    )
    assert len(rows) == 10
    assert all(adds and based for adds, based, _ in rows)
    assert {host for *_, host in rows} >= {"amazon.com", "petpantry.example"}


def test_every_listing_names_its_candidate(built_search):
    assert ask(
        built_search,
        "select count(*) > 200, count(*) filter (candidate_id is null) "
        "from stg_search_listing",
    ) == [(True, 0)]
    assert (
        ask(
            built_search,
            "select listing_id from stg_search_listing as listing join "
            "stg_search_candidate as candidate using (run_id, track, candidate_id) "
            "where listing.task_id != candidate.task_id "
            "or listing.url_canonical != candidate.url_canonical",
        )
        == []
    )


@pytest.fixture
def changed(built_search: Path, tmp_path: Path) -> Path:
    """A warehouse that holds a second run, with what staging has to see through."""
    files = example()
    for name in files:
        if name.endswith(".json") and "/" not in name:
            edit(files, name, lambda body: body.update(run_id="second"))

    def claims(body):
        body["config"] |= {"adapter": "openai_responses", "model": "shopper-2"}
        entry = next(one for one in body["entries"].values() if one["listings"])
        entry["listings"][0] |= {"item_price": "-3.00", "shipping_price": "1.00"}

    def pages(body):
        audits = body["audits"]
        record = next(audits[key] for key in sorted(audits) if audits[key]["landed"])
        record["shipping"] = "-1.00"
        record["final_url"] = "https://user@WWW.Shop.example:8443/p?x=https://b/"

    edit(files, "raw_frugal_exact.json", claims)
    edit(files, "audit_exact.json", pages)
    edit(files, "tasks.json", lambda b: b["tasks"][0]["shipping"].update(fees=None))
    edit(files, "tasks.json", lambda b: b["tasks"][1]["shipping"].update(amount=None))
    edit(files, "audit_equiv.json", lambda b: first(b["audits"]).update(status="odd"))
    warehouse = Path(shutil.copy(built_search, tmp_path / "w.duckdb"))
    assert load_search(write(tmp_path / "run", restate(files)), warehouse).errors == ()
    return warehouse


def test_staging_sees_through_what_is_odd(changed):
    assert ask(
        changed,
        "select item_price, shipping_price::varchar from stg_search_listing "
        "where has_negative_claim",
    ) == [(None, "1.00")]
    assert ask(
        changed,
        "select shipping, final_host from stg_search_audit where has_negative_amount",
    ) == [(None, "shop.example")]
    assert ask(
        changed,
        "select model_id from stg_search_agent "
        "where run_id = 'second' and agent = 'frugal' and track = 'exact'",
    ) == [("openai/shopper-2",)]
    assert ask(
        changed,
        "select task_id, fees_usd::varchar, landed_usd::varchar, "
        "stated_landed_usd is null from stg_search_task "
        "where run_id = 'second' and task_id in ('t001', 't002') order by task_id",
    ) == [("t001", "0.00", "26.98", False), ("t002", None, None, False)]
    # another bank is another study
    assert ask(changed, "select count(distinct study_id) from stg_search_run") == [(2,)]


def test_gates_are_green_for_what_is_odd_or_set_aside(changed):
    from pricebench.build import build

    ((aside,),) = ask(changed, "select count(*) from quality.quarantine")
    assert aside > 1
    report = build(changed, lambda line: None, select=["gate_search_staging"])
    assert report.failures == ()
    gates = {row["gate"]: row["status"] for row in report.gates.records()}
    assert gates["search_raw"] == gates["search_staging"] == "green"
    # a warning closes no gate
    assert (
        ask(
            changed,
            "select distinct expectation, status from quality.gate_results "
            "where severity = 'warn' and status = 'failed'",
        )
        == []
    )
