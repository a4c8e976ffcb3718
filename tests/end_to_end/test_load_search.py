"""Search runs from a folder into a warehouse: twice, newer, older, mixed, refused."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import duckdb
import pytest
from search_folder import edit, example, read, restate, without, write

from ingest.errors import LoadError
from ingest.search.protocol import RULES, stamped
from ingest.search.release import load_search
from ingest.warehouse import init

LABELS = "verify_labels_exact.json"
GRADES = "grades_exact.json"
CANDIDATES = "candidates_exact.json"
RUN = "example-7"


@pytest.fixture
def warehouse(built_search: Path, tmp_path: Path) -> Path:
    """A warehouse of one's own that holds the example run, staged."""
    return Path(shutil.copy(built_search, tmp_path / "w.duckdb"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def ask(warehouse: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_books(warehouse: Path) -> None:
    """Assert that every rule on the books holds."""
    from expectations.search_raw import RAW_TABLES

    assert (
        ask(
            warehouse,
            "select * from quality.row_accounting where rows_read != "
            "rows_accepted + rows_quarantined + rows_superseded",
        )
        == []
    )
    for table in RAW_TABLES:
        accounted = ask(
            warehouse,
            "select coalesce(sum(rows_accepted), 0) from quality.row_accounting "
            f"where instrument = 'search' and table_name = '{table}'",
        )
        assert accounted == ask(warehouse, f"select count(*) from raw_search.{table}")
    assert ask(
        warehouse,
        "select coalesce(sum(rows_quarantined), 0) from quality.row_accounting",
    ) == ask(warehouse, "select count(*) from quality.quarantine")


def newer(body: dict, hour: int = 20) -> None:
    """Let an artifact say that it was written later."""
    body["updated_at"] = f"2026-12-01T{hour}:00:00Z"


def test_loading_twice_changes_nothing(warehouse, folder):
    before = digest(warehouse)
    report = load_search(write(folder, example()), warehouse)
    assert (report.rows, report.superseded, report.quarantined) == (0, 0, 0)
    assert report.files == report.errors == report.notes == ()
    assert len(report.skipped) == len(example())
    assert digest(warehouse) == before
    check_books(warehouse)


def test_a_run_at_an_early_stage_loads_and_grows(empty_warehouse, folder):
    kept = ("cells", "sourcing", "tasks", "shipping_policy")
    early = {name: data for name, data in example().items() if name.startswith(kept)}
    early["tasks.json.swp"] = b"-"
    report = load_search(write(folder, early), empty_warehouse)
    assert report.errors == ()
    assert report.ignored == ("tasks.json.swp",)
    assert f"{RUN}: no agent has answered yet" in report.notes
    assert ask(empty_warehouse, "select count(*) from raw_search.call") == [(0,)]
    report = load_search(write(folder, example()), empty_warehouse)
    assert report.errors == ()
    assert report.notes == ()
    assert report.superseded == 0
    assert ask(empty_warehouse, "select count(*) from raw_search.call") == [(100,)]
    check_books(empty_warehouse)


def rule(files: dict[str, bytes], version: int) -> dict[str, bytes]:
    """Take the first ruling back, in a label file of another version."""

    def change(body):
        body["version"] = version
        body["labels"].pop(min(body["labels"]))

    return edit(files, LABELS, change)


def test_a_newer_label_file_takes_the_place_of_the_older(warehouse, folder):
    count = "select count(*), min(version) from raw_search.label where track = 'exact'"
    ((rulings, version),) = ask(warehouse, count)
    report = load_search(write(folder, rule(example(), version + 1)), warehouse)
    assert report.errors == ()
    assert report.notes == (f"{RUN}/{LABELS} takes the place of an older one",)
    assert ask(warehouse, count) == [(rulings - 1, version + 1)]
    assert ask(warehouse, "select count(*) from staging.stg_search_label") == [
        (rulings - 1 + len(read(example(), "verify_labels_equiv.json")["labels"]),)
    ]
    assert report.superseded > rulings
    check_books(warehouse)
    # the older one does not come back by itself
    report = load_search(write(folder, example()), warehouse)
    assert report.rows == 0
    (line,) = report.errors
    assert f"is of version {version} and the one loaded of version" in line
    assert ask(warehouse, count) == [(rulings - 1, version + 1)]
    # but does where asked
    report = load_search(folder, warehouse, replace=True)
    assert report.errors == ()
    assert ask(warehouse, count) == [(rulings, version)]
    check_books(warehouse)


def test_other_rulings_of_the_same_version_are_refused(warehouse, folder):
    version = read(example(), LABELS)["version"]
    before = digest(warehouse)
    report = load_search(write(folder, rule(example(), version)), warehouse)
    assert len(report.errors) == 1
    assert "--replace puts it in its place all the same" in report.errors[0]
    assert digest(warehouse) == before


def test_a_policy_that_changed_is_refused_unless_replaced(warehouse, folder):
    files = example()
    files["shipping_policy.csv"] = files["shipping_policy.csv"].replace(
        b"6.99", b"5.99"
    )
    report = load_search(write(folder, files), warehouse)
    assert report.errors == (
        f"not loaded: {RUN}/shipping_policy.csv is loaded with other content, and "
        "shipping_policy.csv says no time; --replace puts this one in its place",
    )
    report = load_search(folder, warehouse, replace=True)
    assert report.errors == ()
    assert ask(
        warehouse,
        "select below_fee_usd::varchar from staging.stg_search_shipping_policy "
        "where row_id = 'larder:any'",
    ) == [("5.99",)]
    check_books(warehouse)


def test_what_refers_to_a_newer_artifact_is_read_anew(warehouse, folder):
    """A candidate leaves: what was said of it is set aside, and comes back with it."""
    files = example()
    gone = min(read(files, GRADES)["grades"])
    counts = (
        "select (select count(*) from raw_search.vote), "
        "(select count(*) from raw_search.audit), "
        "(select count(*) from raw_search.candidate)"
    )
    ((votes, audits, candidates),) = ask(warehouse, counts)

    def drop(body):
        newer(body)
        body["candidates"].pop(gone)

    report = load_search(write(folder, edit(files, CANDIDATES, drop)), warehouse)
    assert report.errors == ()
    assert any("was made from another candidates_exact.json" in n for n in report.notes)
    fields = {row.reason for row in report.quarantined_rows}
    assert f"{gone}: no candidate {gone}" in fields
    assert ask(warehouse, counts) == [(votes - 3, audits - 1, candidates - 1)]
    check_books(warehouse)
    files = edit(example(), CANDIDATES, lambda body: newer(body, 21))
    report = load_search(write(folder, files), warehouse)
    assert report.errors == ()
    assert report.quarantined == 0
    assert ask(warehouse, counts) == [(votes, audits, candidates)]
    check_books(warehouse)


def test_a_run_with_another_bank_is_refused_unless_replaced(warehouse, folder):
    files = edit(example(), "tasks.json", lambda b: b["tasks"][0].update(brand="New"))
    brand = "select brand from staging.stg_search_task where task_id = 't001'"
    report = load_search(write(folder, restate(files)), warehouse)
    (line,) = report.errors
    assert "run example-7 is loaded with another tasks.json" in line
    # and back again, which reads files that were replaced before
    first_one = write(folder.with_name("first"), example())
    for kept, name in ((folder, "New"), (first_one, "Haverlane")):
        report = load_search(kept, warehouse, replace=True)
        assert report.errors == ()
        assert ask(warehouse, brand) == [(name,)]
        assert ask(warehouse, "select count(*) from raw_search.call") == [(100,)]
        check_books(warehouse)


def test_two_runs_may_share_a_bank(warehouse, folder):
    files = example()
    for name in files:
        made_before = name.startswith(("cells", "sourcing", "tasks"))
        if name.endswith(".json") and "/" not in name and not made_before:
            edit(files, name, lambda body: body.update(run_id="again"))
    report = load_search(write(folder, restate(files)), warehouse)
    assert report.errors == ()
    assert ask(
        warehouse,
        "select run_id, count(*) from raw_search.task group by all order by all",
    ) == [("again", 10), (RUN, 10)]
    studies = ask(
        warehouse, "select count(distinct study_id) from staging.stg_search_run"
    )
    # each is a study of its own: the oracle is that of the run's pool
    assert studies == [(2,)]
    assert load_search(folder, warehouse).rows == 0
    check_books(warehouse)


def test_mixed_rules_are_refused_unless_allowed_and_then_marked(warehouse, folder):
    rules = stamped({**RULES, "max_listings": 5})
    files = edit(example(), GRADES, lambda body: body.update(protocol=rules))
    fresh = init(folder.with_name("fresh.duckdb"))
    report = load_search(write(folder, files), fresh)
    (line,) = report.errors
    assert line.startswith(f"not loaded: {RUN}: {GRADES} was made under protocol ")
    assert "--allow-mixed" in line
    assert ask(fresh, "select count(*) from raw_search.run") == [(0,)]
    mixed = "select has_mixed_protocol from staging.stg_search_run"
    assert ask(warehouse, mixed) == [(False,)]
    edit(files, GRADES, newer)
    report = load_search(write(folder, files), warehouse, allow_mixed=True)
    assert report.errors == ()
    assert any("was made under protocol" in note for note in report.notes)
    assert ask(warehouse, mixed) == [(True,)]
    check_books(warehouse)


def test_a_broken_row_stands_in_quarantine_with_its_file_field_and_reason(
    warehouse, folder
):
    def change(body):
        newer(body)
        entry = next(one for one in body["entries"].values() if one["listings"])
        entry["listings"][0]["item_price"] = 17.5

    name = "raw_thorough_exact.json"
    load_search(write(folder, edit(example(), name, change)), warehouse)
    ((file, field, reason, text), *rest) = ask(
        warehouse,
        "select source_file, field, reason, row_text from quality.quarantine "
        "order by field",
    )
    assert (file, field) == (f"{RUN}/{name}", "item_price")
    assert reason.endswith('17.5 is a number; money is a text like "17.50"')
    assert '"item_price": 17.5' in text
    # the candidate that was made of it keeps its other listings
    assert [row[1] for row in rest] == ["listing_id"]
    check_books(warehouse)


def test_several_runs_load_from_one_archive(empty_warehouse, tmp_path):
    other = edit(example(), "tasks.json", lambda b: b.update(run_id="other"))
    for name in list(other):
        if name.endswith(".json") and "/" not in name:
            edit(other, name, lambda body: body.update(run_id="other"))
    write(tmp_path / "runs" / "one", example())
    write(tmp_path / "runs" / "two", restate(other))
    write(tmp_path / "runs" / "three", example())
    archive = shutil.make_archive(str(tmp_path / "runs"), "gztar", tmp_path / "runs")
    report = load_search(archive, empty_warehouse)
    assert report.errors == (
        "not loaded: three is run example-7, which stands in the same source twice; "
        "keep one",
    )
    assert ask(
        empty_warehouse, "select run_id from raw_search.run order by run_id"
    ) == [(RUN,), ("other",)]
    check_books(empty_warehouse)


NOTHING = [
    ({}, "holds no file"),
    ({"notes.txt": b"-"}, "holds no search run (files seen: 1)"),
    ({"raw_a_exact.json": b"{}"}, "expected a folder with a tasks.json"),
]


@pytest.mark.parametrize(("files", "words"), NOTHING)
def test_a_source_without_a_run_is_one_line(empty_warehouse, folder, files, words):
    folder.mkdir()
    with pytest.raises(LoadError) as caught:
        load_search(write(folder, files), empty_warehouse)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        (b"{", "not loaded: tasks.json is no JSON at line 1, column 2"),
        (b"{}", "not loaded: tasks.json: schema is None"),
    ],
)
def test_a_run_without_products_is_refused(empty_warehouse, folder, tasks, words):
    files = {**without(example(), "tasks"), "tasks.json": tasks}
    report = load_search(write(folder, files), empty_warehouse)
    (line,) = report.errors
    assert line.startswith(words)
    assert report.rows == 0


def test_a_bank_without_a_usable_product_is_refused(empty_warehouse, folder):
    def change(body):
        for task in body["tasks"]:
            task["price"] = 1.5

    files = restate(edit(example(), "tasks.json", change))
    report = load_search(write(folder, files), empty_warehouse)
    (line,) = report.errors
    assert "tasks.json: none of its 10 records can be used (price: t001: " in line
