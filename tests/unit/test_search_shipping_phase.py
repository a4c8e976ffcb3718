"""The phase ``shipping``: the table, then the page, then a person, each stamped."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest
import search_folder
from search_run import AT, SearchRun

from ingest.errors import LoadError
from ingest.search.audit.policy import SEED
from ingest.search.audit.references import open_products, settle_shipping
from ingest.search.capture import Capture
from ingest.search.pages.page import ProductPage
from ingest.search.scope import Scope, read_scope

LATER = datetime(2026, 11, 3, 9, 0, tzinfo=UTC)
CHECKED = {"checked_by": "Robin"}


class Run:
    """Products of made-up shops, before any agent was asked.

    The shop of ``t001`` has a rule, that of ``t002`` states shipping on its page,
    ``t003`` states nothing, and nobody confirmed its pack.
    """

    def __init__(self, folder, *, agents=()):
        self.run = SearchRun("run1", agents)
        for price in ("20.00", "30.00", "40.00"):
            self.run.task(price, None)
        pack = self.run.tasks[2]["pack"]
        pack |= {"count": 8, "ambiguous": True}
        self.run.policy_row(
            "ref1:any", "ref1.example", threshold="35.00", below_fee="6.99",
            surcharge_pct="5", **CHECKED,
        )  # fmt: skip
        self.folder = self.run.write(folder)
        for kind in ("candidates", "grades", "audit"):
            (self.folder / f"{kind}_exact.json").unlink()
        self.looks = []
        self.stated = {"https://ref2.example/p/2": Decimal("4.00")}

    async def look(self, url):
        self.looks.append(url)
        page = ProductPage(
            url=url, final_url=url, http_status=200, state="ok", currency="USD",
            shipping=self.stated.get(url),
        )  # fmt: skip
        return Capture(page)

    def settle(self, scope=None, **more):
        return asyncio.run(
            settle_shipping(
                self.folder, scope or Scope(), self.look, clock=lambda: LATER, **more
            )
        )

    def tasks(self):
        body = json.loads((self.folder / "tasks.json").read_text())
        return {one["task_id"]: one for one in body["tasks"]}

    def rule(self, task_id, **fields):
        """What a person settles in the review of references."""
        path = self.folder / "verify_labels_refs.json"
        names = ("price", "shipping", "fees", "pack_count", "is_fashion")
        record = {
            "fields": {**dict.fromkeys(names), **fields},
            **{"void": False, "void_reason": None, "note": None},
            **{"reviewer": "Robin", "at": AT},
        }
        tasks = json.loads((self.folder / "tasks.json").read_text())
        header = {
            key: tasks[key]
            for key in (
                "run_id",
                "created_at",
                "updated_at",
                "protocol",
                "tool_version",
            )
        }
        refs = json.loads(path.read_text())["refs"] if path.exists() else {}
        sha256 = search_folder.hashlib.sha256(
            (self.folder / "tasks.json").read_bytes()
        ).hexdigest()
        body = {
            **header, "schema": "search-bench/verify_labels_refs/1", "version": 1,
            "inputs": {"tasks.json": sha256}, "refs": {**refs, task_id: record},
            "history": [],
        }  # fmt: skip
        path.write_text(json.dumps(body))


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path / "run")


def test_the_table_comes_first_then_the_page_then_a_person(run):
    report = run.settle()
    tasks = run.tasks()
    # 20.00 is below 35.00, and 5 % of it is 1.00
    assert tasks["t001"]["shipping"] == {
        **{"amount": "6.99", "fees": "1.00", "source": "policy_table"},
        **{"policy_row": "ref1:any", "at": "2026-11-03T09:00:00Z", "note": None},
    }
    assert tasks["t001"]["landed"] == "27.99"
    shipping = tasks["t002"]["shipping"]
    assert (shipping["amount"], shipping["source"]) == ("4.00", "page")
    assert tasks["t002"]["landed"] == "34.00"
    assert tasks["t003"]["shipping"]["amount"] is None
    assert report.open_products == ("t003-thing: shipping and pack",)
    assert report.settled == {"policy_table": 1, "page": 1}
    # the table has an answer for the first, so nobody looks at its page
    assert run.looks == ["https://ref2.example/p/2", "https://ref3.example/p/3"]


def test_what_a_person_settled_is_stamped_and_still_loads(run):
    run.settle()
    run.rule("t003", shipping="5.00", pack_count=6)
    run.rule("t001", shipping="0.00")
    report = run.settle()
    tasks = run.tasks()
    third = tasks["t003"]
    assert third["shipping"]["source"] == third["pack"]["source"] == "human"
    assert (third["pack"]["count"], third["pack"]["ambiguous"]) == (6, False)
    assert (third["landed"], third["basis"]) == ("45.00", "per_unit")
    # a person's value goes before the table's
    assert tasks["t001"]["landed"] == "20.00"
    assert report.open_products == ()
    assert open_products(tasks.values()) == []
    loaded, rows = search_folder.rows_of(run.folder)
    assert loaded.differences() == []
    assert search_folder.aside(rows) == []
    assert set(rows.values("task", "shipping_source")) == {"human", "page"}
    assert rows.rows("ref_label") == 2


def test_settling_again_changes_no_byte(run):
    run.settle()
    run.rule("t003", shipping="5.00", pack_count=6)
    run.settle()
    before = (run.folder / "tasks.json").read_bytes()
    run.settle()
    assert (run.folder / "tasks.json").read_bytes() == before


def test_a_stop_between_the_two_files_is_mended(run):
    run.settle()
    old = (run.folder / "tasks.json").read_bytes()
    run.rule("t003", shipping="5.00", pack_count=6)
    run.settle()
    # as if the process had died before the second file was written
    (run.folder / "tasks.json").write_bytes(old)
    run.settle()
    loaded, _ = search_folder.rows_of(run.folder)
    assert loaded.differences() == []
    assert run.tasks()["t003"]["shipping"]["amount"] == "5.00"


def test_a_changed_table_is_looked_up_again_before_agents_answer(run):
    run.settle()
    path = run.folder / "shipping_policy.csv"
    path.write_text(path.read_text().replace("6.99", "7.99"))
    run.settle()
    assert run.tasks()["t001"]["shipping"]["amount"] == "7.99"
    assert run.tasks()["t002"]["shipping"]["amount"] == "4.00"


def test_a_scope_settles_its_own_products(run):
    report = run.settle(read_scope(first=1))
    assert report.open_products == ()
    assert [one["shipping"]["amount"] for one in run.tasks().values()] == [
        *("6.99", None, None),
    ]
    assert run.looks == []


def test_an_order_too_small_stays_open_and_says_why(run):
    path = run.folder / "shipping_policy.csv"
    lines = path.read_text().splitlines()
    names, values = lines[0].split(","), lines[1].split(",")
    values[names.index("min_order")] = "25.00"
    path.write_text("\n".join([lines[0], ",".join(values)]) + "\n")
    report = run.settle(read_scope(first=1))
    assert report.open_products == ("t001-thing: shipping",)
    shipping = run.tasks()["t001"]["shipping"]
    assert shipping["note"] == "the shop sells it in larger orders only"
    assert run.looks == []


def test_every_open_product_is_named_with_what_is_open(run):
    tasks = run.tasks().values()
    assert open_products(tasks) == [
        *("t001-thing: shipping", "t002-thing: shipping"),
        "t003-thing: shipping and pack",
    ]
    # what is void is asked about by nobody
    assert open_products(tasks, void=["t001", "t003"]) == ["t002-thing: shipping"]


def test_nothing_changes_once_agents_have_answered(tmp_path):
    run = Run(tmp_path / "run", agents=("a",))
    with pytest.raises(LoadError, match="agent a has answered in track exact"):
        run.settle()
    assert run.tasks()["t001"]["shipping"]["amount"] is None


def test_a_run_without_a_table_is_locked_to_the_shipped_one(run):
    path = run.folder / "shipping_policy.csv"
    path.unlink()
    run.settle()
    assert path.read_bytes() == SEED.read_bytes()
    # it knows no amount
    assert run.tasks()["t001"]["shipping"]["amount"] is None


def test_another_table_than_the_locked_one_is_refused(run, tmp_path):
    other = tmp_path / "other.csv"
    other.write_bytes(SEED.read_bytes())
    with pytest.raises(LoadError, match="is locked and differs from"):
        run.settle(table=other)
    with pytest.raises(LoadError, match="cannot be read"):
        run.settle(table=tmp_path / "none.csv")
