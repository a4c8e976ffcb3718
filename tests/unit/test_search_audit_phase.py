"""The phase ``audit`` on the example run: what it finds, and how it resumes."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from decimal import Decimal

import pytest
import search_folder
from search_phases import Shops, clock

from ingest.errors import LoadError
from ingest.search.audit.audit import audit
from ingest.search.capture import Capture
from ingest.search.pages.page import ProductPage
from ingest.search.scope import Scope, read_scope

MADE = ("audit", "verify", "summary")
# what the example's own rules say of a page, by other code
COMPARED = (
    *("status", "reason", "http_status", "final_url", "availability", "condition"),
    *("price", "currency", "pack_count", "claimed_price", "price_mismatch"),
)
COSTS = ("shipping", "fees", "landed", "shipping_source")


class Run:
    """The example run without audits and what follows them."""

    def __init__(self, folder):
        self.example = search_folder.example()
        self.shops = Shops(self.example)
        kept = search_folder.without(self.example, *MADE)
        self.folder = search_folder.write(folder, kept)
        self.lines = []

    def audit(self, scope=None, **more):
        look = more.pop("look", self.shops.look)
        return asyncio.run(
            audit(
                self.folder, scope or Scope(), look, clock=clock,
                say=self.lines.append, **more,
            )
        )  # fmt: skip

    def body(self, name):
        return json.loads((self.folder / name).read_text())

    def audits(self, track="exact"):
        return self.body(f"audit_{track}.json")["audits"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run that was audited from start to end; read it, never change it."""
    run = Run(tmp_path_factory.mktemp("audited"))
    run.reports = run.audit()
    return run


@pytest.mark.parametrize("track", ["exact", "equiv"])
def test_pages_get_the_statuses_and_costs_of_the_example(run, track):
    theirs = search_folder.read(run.example, f"audit_{track}.json")["audits"]
    ours = run.audits(track)
    assert set(ours) == set(theirs)
    for one_id, record in theirs.items():
        assert {key: ours[one_id][key] for key in COMPARED} == {
            key: record[key] for key in COMPARED
        }
        # nobody needs the cost of what is in another currency or cannot be ordered
        if record["status"] == "verified":
            assert {key: ours[one_id][key] for key in COSTS} == {
                key: record[key] for key in COSTS
            }
    assert len({record["status"] for record in theirs.values()}) == 4


def test_a_page_of_both_tracks_is_looked_at_once(run):
    assert len(run.shops.looks) == len(set(run.shops.looks))
    both = set(run.audits("exact")) | set(run.audits("equiv"))
    assert len(run.shops.looks) == len(both)
    assert len(both) < len(run.audits("exact")) + len(run.audits("equiv"))


def test_what_was_written_loads_with_nothing_set_aside(run):
    folder, rows = search_folder.rows_of(run.folder)
    assert folder.differences() == []
    assert folder.errors == rows.errors == []
    assert search_folder.aside(rows) == []
    assert rows.rows("audit") == sum(one.candidates for one in run.reports)
    hashes = {name: file.sha256 for name, file in rows.files.items()}
    assert folder.stale(hashes) == []


def test_the_report_counts_statuses(run):
    for report in run.reports:
        assert sum(report.states.values()) == report.candidates
        assert report.late == 0
    assert run.reports[0].states["temporarily_unverifiable"] > 0


def test_auditing_again_looks_at_nothing_and_changes_no_byte(tmp_path):
    run = Run(tmp_path)
    run.audit()
    looks = len(run.shops.looks)
    before = {path: path.read_bytes() for path in run.folder.glob("*.json*")}
    run.audit()
    assert len(run.shops.looks) == looks
    assert {path: path.read_bytes() for path in run.folder.glob("*.json*")} == before
    (run.folder / "journal_audit.jsonl").unlink()
    run.audit()
    assert len(run.shops.looks) == looks
    # what could not be read may be tried once more
    walled = [one for one in run.audits().values() if one["reason"] == "blocked"]
    run.audit(read_scope(track="exact"), again=True)
    assert len(run.shops.looks) == looks + len(walled)


def test_a_scope_is_audited_first_and_kept(tmp_path, run):
    part = Run(tmp_path)
    (report,) = part.audit(read_scope(first=2, track="exact"))
    assert 0 < report.candidates < len(run.audits())
    assert set(part.audits()) < set(run.audits())
    looks = list(part.shops.looks)
    part.audit()
    assert part.audits() == run.audits()
    assert len(part.shops.looks) == len(set(part.shops.looks)) > len(looks)


class Killed(BaseException):
    """The process is gone."""


def test_no_page_is_looked_at_twice_after_kills(tmp_path, run):
    part, kills = Run(tmp_path), 0
    scope = read_scope(track="exact")
    while True:
        seen = [0]

        async def look(url, seen=seen):
            if seen[0] == 10:
                raise Killed
            seen[0] += 1
            return await part.shops.look(url)

        try:
            part.audit(scope, look=look)
            break
        except BaseExceptionGroup as gone:
            if gone.split(Killed)[1] is not None:
                raise
            kills += 1
    assert kills == (len(run.audits()) - 1) // 10
    assert len(part.shops.looks) == len(set(part.shops.looks)) == len(run.audits())
    assert part.audits() == run.audits()


def test_a_service_that_knows_a_price_goes_first(tmp_path):
    run, asked = Run(tmp_path), []

    async def service(url):
        asked.append(url)
        if len(asked) % 2:
            return None
        page = ProductPage(
            url=url, final_url=url, http_status=200, state="ok", title="Milk",
            price=Decimal("3.00"), currency="USD", availability="in_stock",
        )  # fmt: skip
        return Capture(page, method="api")

    scope = read_scope(first=1, track="exact")
    (report,) = run.audit(scope, first_look=service)
    assert len(asked) == report.candidates
    assert len(run.shops.looks) == (len(asked) + 1) // 2
    methods = {
        step["method"]
        for one in run.audits().values()
        for step in one["checks"]
        if step["kind"] == "price"
    }
    assert "api" in methods


def test_a_page_that_ends_elsewhere_than_when_it_was_judged_is_a_persons(tmp_path):
    run = Run(tmp_path)
    name = "candidates_exact.json"
    body = run.body(name)
    one_id, record = next(
        (one_id, one)
        for one_id, one in sorted(body["candidates"].items())
        if not one["self_match"] and one["title_source"] == "page"
    )
    record["page"] = {"state": "ok", "final_url": "https://shop.example/p/old"}
    (run.folder / name).write_text(json.dumps(body))
    run.audit(read_scope(track="exact"))
    audited = run.audits()[one_id]
    assert "page_changed" in audited["checks"][0]["detail"]
    assert audited["status"] in ("needs_human", "rejected")


def test_lags_above_a_day_are_told(tmp_path):
    run = Run(tmp_path)
    late = clock().replace(day=4)
    (report,) = asyncio.run(
        audit(
            run.folder, read_scope(first=1, track="exact"), run.shops.look,
            clock=lambda: late, say=run.lines.append,
        )
    )  # fmt: skip
    assert report.late == report.candidates > 0
    assert run.lines[1].startswith("warning: 1 of 1 references are older than 24 hours")


def test_another_shipping_policy_is_refused(tmp_path):
    run = Run(tmp_path)
    run.audit(read_scope(first=1, track="exact"))
    path = run.folder / "shipping_policy.csv"
    path.write_text(path.read_text().replace("6.99", "7.99"))
    with pytest.raises(LoadError, match="made under another shipping_policy"):
        run.audit()


def test_audits_wait_for_candidates(tmp_path):
    run = Run(tmp_path)
    for path in run.folder.glob("candidates_*"):
        path.unlink()
    with pytest.raises(LoadError, match="judges come before audits"):
        run.audit()


def test_an_address_is_looked_at_as_an_agent_gave_it(tmp_path):
    run = Run(tmp_path)
    given = {
        listing["url"]
        for path in run.folder.glob("raw_*_exact.json")
        for entry in json.loads(path.read_text())["entries"].values()
        for listing in entry["listings"]
    }
    seen = []

    async def look(url):
        seen.append(url)
        return replace(await run.shops.look(url))

    run.audit(read_scope(first=1, track="exact"), look=look)
    assert set(seen) <= given
