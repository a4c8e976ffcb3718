"""What a ruling changes: figures, both tracks, the files; and what is refused."""

from __future__ import annotations

import pytest
from review_room import ask, find, post, room, ruling, saved


@pytest.fixture
def case(built_review, tmp_path):
    with room(built_review, tmp_path) as opened:
        yield opened


def test_a_ruling_is_saved_with_its_history(case):
    before = case.state("exact")
    one = before["queue"][0]
    verdict = before["candidates"][one]["panel"]["verdict"]
    answer = post(case, one, ruling(verdict, note="looked twice"))
    assert answer.status_code == 200
    assert answer.json()["version"] == before["version"] + 1
    state = answer.json()["state"]
    assert one in state["settled"]
    assert one not in state["queue"]
    body = saved(case)
    assert body["version"] == before["version"] + 1
    label = body["labels"][one]
    assert label["ruling"] == {"validity": verdict, "status": None}
    assert (label["note"], label["reviewer"]) == ("looked twice", "Ann")
    assert label["overturns_panel"] is False
    *older, newest = body["history"]
    assert older == before["artifacts"]["labels"]["history"]
    assert newest["candidate_id"] == one
    assert (newest["before"], newest["after"]) == (None, label)
    assert body["source"] == "simulated"  # the header is that of the run


def test_undo_takes_a_ruling_back_and_leaves_the_history(case):
    before = case.state("exact")
    one = before["queue"][0]
    post(case, one, ruling("invalid", reason_code="R01_DIFFERENT_PRODUCT"))
    answer = post(case, one, None)
    state = answer.json()["state"]
    assert state["candidates"] == before["candidates"]
    assert state["queue"] == before["queue"]
    assert one not in saved(case)["labels"]
    taken_back, newest = saved(case)["history"][-2:]
    assert taken_back["after"] == newest["before"]
    assert (newest["after"], newest["reviewer"]) == (None, "Ann")
    # who takes a ruling back may not be who made it
    post(case, one, ruling("invalid", reason_code="R01_DIFFERENT_PRODUCT"))
    body = {"candidate_id": one, "label": None, "reviewer": "Bo"}
    undone = ask(
        case, "POST", "/labels/exact", json={**body, "version": case.version("exact")}
    )
    assert undone.status_code == 200
    assert saved(case)["history"][-1]["reviewer"] == "Bo"


def test_what_changes_nothing_is_no_new_version(case):
    one = case.state("exact")["queue"][0]
    label = ruling("invalid", reason_code="R01_DIFFERENT_PRODUCT")
    first = post(case, one, label).json()["version"]
    assert post(case, one, label).json()["version"] == first
    assert post(case, one, None).json()["version"] == first + 1
    assert post(case, one, None).json()["version"] == first + 1


def test_overturning_the_panel_needs_a_reason_and_agreeing_none(case):
    state = case.state("exact")
    one = find(state, verdict="valid", label=None)
    refused = post(case, one, ruling("invalid"))
    assert (refused.status_code, refused.json()["field"]) == (422, "reason_code")
    assert saved(case)["version"] == state["version"]
    told = post(case, one, ruling("invalid", reason_code="R02_DIFFERENT_MODEL"))
    assert told.status_code == 200
    assert saved(case)["labels"][one]["overturns_panel"] is True
    nobody = find(state, verdict="no_majority", label=None)
    assert post(case, nobody, ruling("invalid")).status_code == 200


@pytest.mark.parametrize(
    ("label", "field"),
    [
        (ruling("valid", reviewer=" "), "reviewer"),
        (ruling("valid", reviewer=None), "reviewer"),
        (ruling("maybe"), "validity"),
        (ruling("valid", "fine"), "status"),
        (ruling("valid", "needs_human"), "status"),
        (ruling("invalid", reason_code="R99_OTHER"), "note"),
        (ruling("invalid", reason_code="R08_LOWER_QUALITY"), "reason_code"),
        (ruling("invalid", reason_code="R00"), "reason_code"),
        (ruling("valid", reason_code=["R99_OTHER"]), "reason_code"),
        (ruling("valid", price="17.5"), "price"),
        (ruling("valid", price=17.5), "price"),
        (ruling("valid", price="-1.00"), "price"),
        (ruling("valid", shipping="free"), "shipping"),
        (ruling("valid", fees="1,00"), "fees"),
        (ruling("valid", pack_count=0), "pack_count"),
        (ruling("valid", pack_count="6"), "pack_count"),
        (ruling("valid", availability="maybe"), "availability"),
        (ruling("valid", condition="worn"), "condition"),
        (ruling("valid", currency="usd"), "currency"),
        (ruling("valid", final_url="javascript:alert(1)"), "final_url"),
        (ruling("valid", title="other"), "fields"),
        (ruling("valid", note="x" * 4001), "note"),
        ("valid", "label"),
        # what the fields say and the status does not
        (ruling("valid", "verified", availability="out"), "availability"),
        (ruling("valid", availability="out"), "status"),
        (ruling("valid", "verified", condition="used"), "condition"),
        (ruling("valid", "verified", currency="EUR"), "currency"),
        (ruling("valid", "verified", price="0.00"), "price"),
    ],
)
def test_a_label_that_breaks_a_rule_is_refused_and_nothing_changes(case, label, field):
    before = case.state("exact")
    one = find(before, verdict="valid", status="verified", label=None)
    answer = post(case, one, label)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert "\n" not in answer.json()["error"]
    assert case.state("exact") == before


def test_what_nobody_knows_cannot_be_verified(case):
    state = case.state("equiv")
    one = find(state, status="temporarily_unverifiable", label=None, shipping=None)
    if state["candidates"][one]["audited"]["price"] is None:
        refused = post(case, one, ruling("valid", "verified"), "equiv")
        assert refused.json()["field"] == "price"
    else:
        refused = post(case, one, ruling("valid", "verified"), "equiv")
        assert refused.json()["field"] == "shipping"
    told = ruling("valid", "verified", price="9.00", shipping="0.00", pack_count=1)
    code = {"invalid": "R12_EQUIVALENT"}.get(
        state["candidates"][one]["panel"]["verdict"]
    )
    answer = post(case, one, {**told, "reason_code": code}, "equiv")
    assert answer.status_code == 200
    assert answer.json()["state"]["candidates"][one]["status"] == "verified"


def test_fields_and_status_stand_in_both_tracks_and_validity_in_its_own(case):
    state = case.state("exact")
    one = find(state, verdict="valid", status="verified", label=None)
    other = case.state("equiv")["candidates"][one]
    assert other["label"] is None
    label = ruling("valid", "rejected", shipping="3.50", availability="out")
    assert post(case, one, label).status_code == 200
    copied = saved(case, "verify_labels_equiv.json")["labels"][one]
    assert copied["ruling"] == {"validity": None, "status": "rejected"}
    assert copied["fields"] == saved(case)["labels"][one]["fields"]
    assert case.state("equiv")["candidates"][one]["validity"] == other["validity"]
    # a ruling of the other track's own stays when the page is taken back here
    assert post(case, one, {**copied, **ruling("valid")}, "equiv").status_code == 200
    assert saved(case)["labels"][one]["ruling"] == {"validity": "valid", "status": None}
    assert post(case, one, None).status_code == 200
    kept = saved(case, "verify_labels_equiv.json")["labels"][one]
    assert kept["ruling"] == {"validity": "valid", "status": None}
    assert post(case, one, None, "equiv").status_code == 200
    assert one not in saved(case, "verify_labels_equiv.json")["labels"]


def test_a_corrected_price_is_looked_up_in_the_shipping_policy_again(case):
    state = case.state("exact")
    one = find(state, price="35.00", shipping="0.00", pack_count=24, label=None)
    # from 35.00 on shipping is free there; below it costs 6.99
    answer = post(case, one, ruling("valid", price="34.99"))
    found = answer.json()["state"]["candidates"][one]
    assert found["in_force"]["shipping"] == "6.99"
    # (34.99 + 6.99) / 24 = 1.74917; the reference (19.99 + 6.99) / 12 = 2.24833
    assert found["comparison"]["cost"] == "1.7492"
    assert found["comparison"]["ref_cost"] == "2.2483"
    # 2.248333 - 1.749167 = 0.499167
    assert found["comparison"]["saving"] == "0.4992"
    told = post(case, one, ruling("valid", price="34.99", shipping="1.00"))
    found = told.json()["state"]["candidates"][one]
    # 35.99 / 24 = 1.499583
    assert found["comparison"]["cost"] == "1.4996"


def ref(**fields):
    parts = {name: fields.pop(name, None) for name in ("void", "void_reason", "note")}
    return {
        **parts,
        **{"void": bool(parts["void"]), "fields": fields, "reviewer": "Ann"},
    }


def correct(case, task_id, record, track="exact"):
    body = {"version": case.version("refs"), "task_id": task_id, "ref": record}
    return ask(case, "POST", "/refs", json={**body, "track": track})


def test_a_corrected_reference_changes_both_tracks(case):
    before = {track: case.state(track) for track in case.tracks}
    assert before["exact"]["tasks"]["t001"]["reference"]["cost"] == "2.2483"
    answer = correct(case, "t001", ref(shipping="0.00"), "equiv")
    assert answer.status_code == 200
    assert answer.json()["state"]["track"] == "equiv"
    assert answer.json()["refs_version"] == before["exact"]["refs_version"] + 1
    for track in case.tracks:
        state = case.state(track)
        reference = state["tasks"]["t001"]["reference"]
        # 19.99 / 12 = 1.665833
        assert (reference["landed"], reference["cost"]) == ("19.99", "1.6658")
        assert reference["in_force"]["shipping_source"] == "human"
        assert reference["recorded"]["shipping"] == "6.99"
        for one in state["candidates"].values():
            if one["task_id"] == "t001":
                assert one["comparison"]["ref_cost"] == "1.6658"
    assert correct(case, "t001", None).status_code == 200
    assert case.state("exact")["tasks"] == before["exact"]["tasks"]


def test_a_basis_that_flips_sends_pages_without_a_pack_back(case):
    state = case.state("exact")
    one = find(state, pack_count=None, verdict="valid")
    task = state["candidates"][one]["task_id"]
    single = correct(case, task, ref(pack_count=1)).json()["state"]
    assert single["tasks"][task]["reference"]["basis"] == "total"
    ruled = post(case, one, ruling("valid", "verified")).json()["state"]
    assert ruled["candidates"][one]["status"] == "verified"
    assert one in ruled["settled"]
    found = correct(case, task, None).json()["state"]
    assert found["tasks"][task]["reference"]["basis"] == "per_unit"
    assert found["candidates"][one]["status"] == "needs_human"
    assert found["candidates"][one]["comparison"]["cost"] is None
    assert one in found["queue"]


def test_a_void_product_leaves_both_queues(case):
    state = case.state("exact")
    task = state["candidates"][state["queue"][0]]["task_id"]
    refused = correct(case, task, ref(void=True))
    assert (refused.status_code, refused.json()["field"]) == (422, "void_reason")
    assert correct(case, task, ref(void=True, void_reason="gone")).status_code == 200
    for track in case.tracks:
        state = case.state(track)
        assert task not in {
            state["candidates"][one]["task_id"] for one in state["queue"]
        }


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (ref(price="0.00"), "price"),
        (ref(price="1"), "price"),
        (ref(pack_count=0), "pack_count"),
        (ref(is_fashion="yes"), "is_fashion"),
        ({**ref(), "reviewer": ""}, "reviewer"),
        ({**ref(), "void": "no"}, "void_reason"),
        (ref(color="red"), "fields"),
        ([], "ref"),
    ],
)
def test_a_correction_that_breaks_a_rule_is_refused(case, record, field):
    before = case.state("exact")
    answer = correct(case, "t001", record)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert case.state("exact") == before


def test_a_build_of_the_saved_files_says_the_same(case, tmp_path):
    """What is worked out after each save is what a build makes of the files."""
    import duckdb

    from ingest.search.release import load_search
    from pricebench.build import build

    for track in case.tracks:
        state = case.state(track)
        for number, one in enumerate(state["queue"][:6]):
            code = ("R99_OTHER", None)[
                state["candidates"][one]["panel"]["verdict"] == "no_majority"
            ]
            label = ruling(
                "invalid" if number % 2 else "valid",
                note="n",
                reason_code=code if number % 2 else None,
            )
            answer = post(case, one, label, track)
            assert answer.status_code == 200, answer.json()
    correct(case, "t001", ref(price="18.99"))
    correct(case, "t005", ref(pack_count=2))
    warehouse = tmp_path / "again.duckdb"
    report = load_search(case.files.folder, warehouse)
    assert not report.quarantined_rows
    built = build(warehouse, lambda line: None, select=["gate_search_intermediate"])
    assert built.failures == ()
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        for track in case.tracks:
            rows = connection.execute(
                "select candidate_id, validity, status, cost_num, prime_cost_num, "
                "cost_den, is_ruled, is_overturned from intermediate."
                "int_search_candidate where track = ? and not is_self_match "
                "order by candidate_id",
                [track],
            ).fetchall()
            ours = case._figures.candidates(track)
            names = ("candidate_id", "validity", "status", "cost_num")
            names += ("prime_cost_num", "cost_den", "is_ruled", "is_overturned")
            assert rows == [tuple(row[name] for name in names) for row in ours.values()]
