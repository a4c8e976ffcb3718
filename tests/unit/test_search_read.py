"""Records of a search run: which are accepted, which set aside, and why."""

from __future__ import annotations

from typing import Any

import pytest
from search_folder import aside, edit, example, first, read, restate, rows_of, write

from ingest.search.missing import missing
from ingest.search.schemas import RAW_SEARCH

RAW = "raw_thorough_exact.json"
Body = dict[str, Any]


def listing(body: Body) -> Body:
    """Return the first listing of an answer file."""
    return next(
        one["listings"][0] for one in body["entries"].values() if one["listings"]
    )


def verified(body: Body) -> Body:
    """Return the first audit that went through."""
    audits = body["audits"]
    return next(audits[key] for key in sorted(audits) if audits[key]["landed"])


def overturned(body: Body) -> Body:
    """Return the first ruling that overturns the panel."""
    labels = body["labels"].values()
    return next(one for one in labels if one["overturns_panel"])


def move(key: str, to: str):
    """Return a change that gives the first record of a container another id."""

    def change(body: Body) -> None:
        body[key][to] = body[key].pop(min(body[key]))

    return change


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory):
    return rows_of(write(tmp_path_factory.mktemp("whole"), example()))


def test_every_record_of_the_example_is_accepted(whole):
    run, rows = whole
    assert aside(rows) == []
    assert rows.errors == run.errors == []
    assert missing(run, rows) == []
    assert {one.table_name for one in rows.parsed} == set(RAW_SEARCH)
    assert rows.rows("task") == 10
    assert rows.rows("call") == 100
    for one in rows.parsed:
        assert one.account.rows_read == one.table.num_rows


def test_rows_hold_what_the_artifacts_hold(whole):
    _, rows = whole
    files = example()
    tasks = {one["task_id"]: one for one in read(files, "tasks.json")["tasks"]}
    table = next(one.table for one in rows.parsed if one.table_name == "task")
    for row in table.to_pylist():
        task = tasks[row["task_id"]]
        assert str(row["price"]) == task["price"]
        assert str(row["shipping"]) == task["shipping"]["amount"]
        assert row["pack_count"] == task["pack"]["count"]
        assert row["image_sha256"] == task["image"]["sha256"]
        assert row["_source_file"] == "example-7/tasks.json"
    grades = read(files, "grades_exact.json")["grades"]
    votes = {
        (one_id, vote["judge"]): vote["verdict"]
        for one_id, grade in grades.items()
        for vote in grade["votes"]
    }
    ids = rows.values("vote", "candidate_id", "exact")
    judges = rows.values("vote", "judge", "exact")
    given = rows.values("vote", "verdict", "exact")
    assert dict(zip(zip(ids, judges, strict=True), given, strict=True)) == votes


def put(path: str, value: Any):
    """Return a change of one field; ``*`` is the first key, ``-1`` the last entry."""

    def change(body: Body) -> None:
        *way, last = path.split()
        at: Any = body
        for step in way:
            found = {"claim": listing, "audit": verified, "ruling": overturned}
            if step in found:
                at = found[step](body)
            elif isinstance(at, list):
                at = at[int(step)]
            else:
                at = first(at) if step == "*" else at[step]
        at.append(value) if last == "+" else at.update({last: value})

    return change


REPEATED_ITEM = {"rank": 1, "url": "https://a.example/"}
LABELS = "verify_labels_exact.json"
GRADES = "grades_exact.json"
LOG = "sourcing_log.json"
NO_TASK = "no task t99"
PACK = ("audit pack_count", "1000000000]")

# artifact, change, table and field, words of the reason
BROKEN = [
    ("tasks.json", put("tasks 0 price", 19.99), "task price", "text like"),
    ("tasks.json", put("tasks 0 price", "0.00"), "task price", "below 0.01"),
    ("tasks.json", put("tasks 0 price", "19.9"), "task price", "two decimals"),
    ("tasks.json", put("tasks 0 price", "123456789.00"), "task price", "below 100,0"),
    ("tasks.json", put("tasks 0 price", True), "task price", "two decimals"),
    ("tasks.json", put("tasks 0 currency", "EUR"), "task currency", "not USD"),
    ("tasks.json", put("tasks 0 title", None), "task title", "not a text"),
    ("tasks.json", put("tasks 0 shipping amount", "-1.00"), "task amount", "below"),
    ("tasks.json", put("tasks 0 pack count", 0), "task count", "not in [1,"),
    ("tasks.json", put("tasks 0 pack count", "12"), "task count", "whole number"),
    ("tasks.json", put("tasks 0 pack count", 10**9 + 1), "task count", "1000000000]"),
    ("tasks.json", put("tasks 1 task_id", "t001"), "task task_id", "earlier product"),
    ("tasks.json", put("tasks +", 7), "task *", "7 is no JSON object"),
    (
        *("tasks.json", put("tasks 0 url_canonical", "http://a.example/")),
        *("task url_canonical", "https://shop/page"),
    ),
    ("cells.json", put("cells 0 status", "done"), "cell status", "planned"),
    (
        *("cells.json", put("cells 0 cell_id", "longtail.grocery.01")),
        *("cell cell_id", "earlier record"),
    ),
    (LOG, put("records 0 cell_id", "x.y.01"), "selection cell_id", "no cell x.y.01"),
    (
        *(LOG, put("records 0 events -1 items +", REPEATED_ITEM)),
        *("source_item rank", "1 stands twice"),
    ),
    (RAW, move("entries", "t99"), "call task_id", NO_TASK),
    (RAW, put("entries * status", "lost"), "call status", "lost"),
    (RAW, put("entries * status", "empty"), "call status", "go with"),
    (RAW, put("config adapter", None), "agent adapter", "not a text"),
    (RAW, put("claim item_price", 17.5), "listing item_price", "17.50"),
    (RAW, put("claim listing_id", "e.exact.t001.01"), "listing listing_id", "new id"),
    (RAW, put("claim url_canonical", "ftp://a"), "listing url_canonical", "address"),
    (RAW, put("entries * usage cost_usd", "100000.00"), "call cost_usd", "100,000"),
    (RAW, put("entries * usage input_tokens", 10**13), "call input_tokens", "not in"),
    (RAW, put("entries * continuations", 10**13), "call continuations", "not in"),
    (RAW, put("entries * usage cost_usd", 0.1), "call cost_usd", "nine decimals"),
    (
        *("candidates_exact.json", move("candidates", "c_0")),
        *("candidate candidate_id", "the id of this product and page is c_"),
    ),
    (
        *("candidates_exact.json", put("candidates * task_id", "t99")),
        *("candidate task_id", NO_TASK),
    ),
    (
        *("candidates_exact.json", put("candidates * found_by +", "x")),
        *("finding listing_id", "no listing x"),
    ),
    (GRADES, move("grades", "c_x"), "verdict candidate_id", "no candidate c_x"),
    (GRADES, put("grades * votes 0 judge", "z"), "vote judge", "no judge z"),
    (GRADES, put("grades * votes 0 judge", "b"), "vote judge", "b votes twice"),
    (GRADES, put("grades * votes 0 verdict", True), "vote verdict", "valid, invalid"),
    (GRADES, put("judges 1 slot", "a"), "judge slot", "two judges sit in a"),
    (
        *("audit_equiv.json", move("audits", "c_x")),
        *("audit candidate_id", "no candidate c_x"),
    ),
    ("audit_equiv.json", put("audit price", 9.5), "audit price", "9.50"),
    ("audit_equiv.json", put("audit pack_count", 10**9 + 1), *PACK),
    ("audit_equiv.json", put("audit status", "fine"), "audit status", "verified, rej"),
    (
        *("audit_equiv.json", put("audit checks 0 kind", "smell")),
        *("audit_check kind", "link, stock"),
    ),
    (LABELS, move("labels", "c_x"), "label candidate_id", "no candidate c_x"),
    (LABELS, put("labels * fields price", "-2.00"), "label price", "below 0.00"),
    (LABELS, put("labels * fields pack_count", 10**12), *("label pack_count", PACK[1])),
    (LABELS, put("ruling reason_code", None), "label reason_code", "overturns"),
    (LABELS, put("labels * at", "yesterday"), "label at", "no time like"),
    (
        *(LABELS, put("labels * inclusion_probability", 2)),
        *("label inclusion_probability", "not in [0, 1]"),
    ),
    (
        *(LABELS, put("labels * sampled", None)),
        *("label inclusion_probability", "does not go with"),
    ),
    ("verify_labels_refs.json", move("refs", "t99"), "ref_label task_id", NO_TASK),
]


@pytest.mark.parametrize(
    ("name", "change", "place", "words"),
    BROKEN,
    ids=[f"{place}-{number}" for number, (_, _, place, _) in enumerate(BROKEN)],
)
def test_a_broken_record_is_set_aside_with_field_and_reason(
    tmp_path, name, change, place, words
):
    files = restate(edit(example(), name, change))
    run, rows = rows_of(write(tmp_path, files))
    assert run.errors == []
    told = [why for table, at, why in aside(rows) if f"{table} {at}" == place]
    assert told
    assert words in told[0]
    assert all("\n" not in reason for _, _, reason in aside(rows))
    for one in rows.parsed:
        account = one.account
        assert account.rows_read == account.rows_accepted + account.rows_quarantined
        assert account.rows_accepted == one.table.num_rows
        assert account.rows_quarantined == len(one.quarantined)


def test_what_refers_to_a_record_set_aside_is_set_aside_with_it(tmp_path):
    files = edit(example(), "tasks.json", lambda b: b["tasks"][0].update(price=1.5))
    _, rows = rows_of(write(tmp_path, restate(files)))
    told = {(table, field) for table, field, _ in aside(rows)}
    assert told >= {("task", "price"), ("call", "task_id"), ("listing", "*")}
    assert ("candidate", "task_id") in told
    assert ("vote", "candidate_id") in told
    assert ("audit_check", "candidate_id") in told
    left = set(rows.values("task", "task_id"))
    assert set(rows.values("candidate", "task_id")) <= left
    assert set(rows.values("label", "candidate_id")) <= set(
        rows.values("candidate", "candidate_id")
    )


def test_an_unknown_policy_row_is_set_aside(tmp_path):
    files = example()
    lines = files["shipping_policy.csv"].decode().splitlines()
    lines += [lines[1], lines[2].replace("35.00", "thirty-five")]
    files["shipping_policy.csv"] = ("\n".join(lines) + "\n").encode()
    _, rows = rows_of(write(tmp_path, files))
    told = {(field, reason) for _, field, reason in aside(rows)}
    assert ("row_id", "an earlier row is amazon:first_party") in told
    assert any(
        field == "threshold" and "thirty-five" in reason for field, reason in told
    )


def test_what_a_rule_judges_is_data(tmp_path):
    """Negative claims, other currencies and missing votes are loaded as they stand."""
    files = edit(
        example(),
        RAW,
        lambda b: listing(b).update(shipping_price="-4.00", currency="EUR"),
    )
    edit(
        files,
        "audit_exact.json",
        lambda b: verified(b).update(currency="EUR", price="-1.00"),
    )
    edit(
        files,
        "grades_exact.json",
        lambda b: first(b["grades"])["votes"][0].update(verdict=None, error="timeout"),
    )
    _, rows = rows_of(write(tmp_path, restate(files)))
    assert aside(rows) == []
    assert min(x for x in rows.values("listing", "shipping_price") if x is not None) < 0
    assert "EUR" in rows.values("listing", "currency")
    assert min(x for x in rows.values("audit", "price") if x is not None) == -1
    assert "timeout" in rows.values("vote", "error")
