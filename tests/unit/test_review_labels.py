"""From what a reviewer posts to the record that is kept."""

from __future__ import annotations

import re

import pytest
from review_room import ruling

from ingest.search.read_rulings import REASON_CODES
from pricebench.review.criteria import CRITERIA, reason_codes
from pricebench.review.errors import Refused
from pricebench.review.labels import FIELDS, label_of, ref_of, shared_with

AT = "2026-11-30T12:00:00Z"
NOTHING = dict.fromkeys(FIELDS)


def test_every_reason_code_that_a_load_knows_has_a_meaning():
    assert tuple(one["code"] for one in reason_codes()) == REASON_CODES
    assert [one["code"] for one in reason_codes() if one["note_required"]] == [
        "R99_OTHER"
    ]
    only = [one["code"] for one in reason_codes() if one["tracks"] == ["equiv"]]
    assert only == ["R08_LOWER_QUALITY", "R12_EQUIVALENT"]
    assert set(CRITERIA) == {"exact", "equiv"}


@pytest.mark.parametrize(
    ("panel", "validity", "overturns"),
    [
        *(("valid", "invalid", True), ("invalid", "valid", True)),
        *(("valid", "valid", False), ("invalid", "invalid", False)),
        *(("no_majority", "valid", False), ("no_majority", "invalid", False)),
        *(("valid", None, False), ("invalid", None, False)),
    ],
)
def test_a_ruling_overturns_a_panel_that_said_the_opposite(panel, validity, overturns):
    posted = ruling(validity, reason_code="R99_OTHER", note="why")
    assert label_of(posted, "exact", panel, None, AT)["overturns_panel"] is overturns


def test_a_label_holds_what_was_posted_and_what_stays():
    drawn = {"sampled": True, "inclusion_probability": 0.5}
    before = {**ruling("valid"), **drawn, "blind": {"validity": "valid"}}
    posted = {**ruling("valid", "verified", price="4.00"), "sampled": False, "at": "x"}
    assert label_of(posted, "exact", "valid", before, AT) == {
        "ruling": {"validity": "valid", "status": "verified"},
        "fields": {**NOTHING, "price": "4.00"},
        **{"overturns_panel": False, "reason_code": None, "note": None},
        **{"reviewer": "Ann", "at": AT, "blind": {"validity": "valid"}},
        **drawn,
    }


def test_a_field_that_was_emptied_is_not_corrected():
    label = label_of(ruling("valid", price=""), "exact", "valid", None, AT)
    assert label["fields"] == NOTHING


def test_status_and_fields_are_those_of_the_page_and_validity_of_a_track():
    posted = ruling("valid", "verified", price="4.00")
    label = label_of(posted, "exact", "valid", None, AT)
    made = shared_with(label, None)
    assert made["ruling"] == {"validity": None, "status": "verified"}
    assert made["fields"]["price"] == "4.00"
    assert (made["overturns_panel"], made["reviewer"]) == (False, "Ann")
    other = {**made, "ruling": {"validity": "invalid", "status": None}, "note": "own"}
    changed = shared_with(label, other)
    assert changed["ruling"] == {"validity": "invalid", "status": "verified"}
    assert changed["note"] == "own"


def test_a_validity_alone_is_nothing_to_share():
    label = label_of(ruling("valid"), "exact", "valid", None, AT)
    assert shared_with(label, None) is None
    assert shared_with(None, None) is None
    own = label_of(ruling("invalid"), "equiv", "invalid", None, AT)
    assert shared_with(label, own) == own


def test_a_copy_goes_when_the_page_is_taken_back_and_a_ruling_stays():
    label = label_of(ruling("valid", "rejected"), "exact", "valid", None, AT)
    copy = shared_with(label, None)
    assert shared_with(None, copy) is None
    ruled = {**copy, "ruling": {"validity": "valid", "status": "rejected"}}
    assert shared_with(None, ruled)["ruling"] == {"validity": "valid", "status": None}
    drawn = {**copy, "sampled": True, "inclusion_probability": 0.1}
    assert shared_with(None, drawn)["ruling"]["status"] is None


def test_a_void_reference_has_a_reason():
    posted = {"fields": {}, "void": True, "reviewer": "Ann"}
    with pytest.raises(Refused, match="reason"):
        ref_of(posted, AT)
    made = ref_of({**posted, "void_reason": "gone"}, AT)
    assert made["fields"] == dict.fromkeys(
        ("price", "shipping", "fees", "pack_count", "is_fashion")
    )


def test_a_refusal_is_one_line_that_says_what_to_do():
    with pytest.raises(Refused) as caught:
        label_of(ruling("invalid"), "exact", "valid", None, AT)
    body = caught.value.body()
    assert re.search("choose a reason", body["error"])
    assert body["field"] == "reason_code"
    assert caught.value.status == 422
