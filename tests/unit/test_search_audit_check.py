"""From a page to a verification: the table of search.md 7.1, the order of statuses."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from ingest.search.audit.check import GRAVITY, REASONS, Offer, audited, with_claims
from ingest.search.audit.policy import Policy, PolicyRow
from ingest.search.capture import Capture
from ingest.search.pages.pack import Pack
from ingest.search.pages.page import ProductPage
from ingest.search.read_rulings import AUDIT_STATES, CHECK_KINDS

AT = datetime(2026, 11, 3, 12, 0, tzinfo=UTC)
URL = "https://shop.example/p/2"
TASK = {
    **{"task_id": "t001", "category": "grocery", "pack": {"count": 1}},
    "url_canonical": "https://ref.example/p/1",
    "extraction": {"at": "2026-11-02T10:00:00Z"},
}
MULTIPACK = {**TASK, "pack": {"count": 6}}
FREE = PolicyRow("shop:any", "shop.example", "any", threshold=Decimal("0.00"))
PAID = PolicyRow(
    *("shop:any", "shop.example", "any", Decimal("35.00"), Decimal("6.99")),
    surcharge_pct=Decimal(5),
    min_order=Decimal("5.00"),
)
# a page on which nothing is amiss
GOOD = {
    **{"url": URL, "final_url": "https://www.shop.example/p/2/", "http_status": 200},
    **{"state": "ok", "title": "Oat Milk", "price": Decimal("17.50")},
    **{"currency": "USD", "availability": "in_stock", "condition": "new"},
    **{"pack": Pack(4), "source": "json-ld+og-image"},
}
OPEN_PACK = Pack(8, ambiguous=True, evidence="4-Pack (Pack of 2)")


def check(*rows, task=TASK, judged=None, url=URL, seller=None, error=None, **page):
    offer = Offer(task, url, judged, Policy(rows or (FREE,), "p"))
    capture = Capture(ProductPage(**{**GOOD, **page}), seller=seller, error=error)
    return audited(offer, capture, AT, "e" * 64)


def outcome(audit):
    return audit["status"], audit["reason"]


def steps(audit):
    return {one["kind"]: one for one in audit["checks"]}


def test_a_page_on_which_nothing_is_amiss_is_verified():
    audit = check()
    assert outcome(audit) == ("verified", None)
    assert [one["kind"] for one in audit["checks"]] == [
        *("link", "stock", "condition", "price", "pack", "shipping"),
    ]
    assert set(CHECK_KINDS) == set(steps(audit))
    assert {one["outcome"] for one in audit["checks"]} == {"pass"}
    assert {one["evidence"] for one in audit["checks"]} == {"e" * 64}
    assert {one["at"] for one in audit["checks"]} == {"2026-11-03T12:00:00Z"}
    assert steps(audit)["price"]["method"] == "json-ld"
    assert steps(audit)["shipping"]["method"] == "policy_table"
    assert audit["final_url"] == URL
    assert (audit["price"], audit["shipping"], audit["fees"]) == ("17.50", "0.00", None)
    assert (audit["landed"], audit["pack_count"]) == ("17.50", 4)
    # frozen on the second at ten, checked on the third at noon
    assert audit["lag_hours"] == 26.0


# the rows of the table, a page for each
REJECTED = {
    "out_of_stock": {"availability": "out"},
    "not_now": {"availability": "not_now"},
    "store_only": {"availability": "store_only"},
    "not_new": {"condition": "not_new"},
    "not_usd": {"currency": "EUR"},
    "dead_link": {"state": "dead", "http_status": 404},
    "does_not_ship": {"warnings": ("does_not_ship",)},
    "conditional_price": {"warnings": ("member_price",)},
    "self_match": {"final_url": "https://www.ref.example/p/1?utm_source=x"},
}
UNVERIFIABLE = {
    "blocked": {"state": "blocked", "http_status": 200},
    "price_unknown": {"price": None, "currency": None},
    "page_down": {"state": "unreadable", "http_status": None},
    "unreadable": {"state": "unreadable", "http_status": 200},
    "currency_unknown": {"currency": None},
    "shipping_unknown": {"final_url": "https://elsewhere.example/p/2"},
}
NEEDS_HUMAN = {
    "price_conflict": {"warnings": ("price_conflict",)},
    "ambiguous_variant": {"price": None, "has_range": True},
    "ambiguous_pack": {"pack": OPEN_PACK, "task": MULTIPACK},
    "stock_unknown": {"availability": "unknown"},
    "page_changed": {"judged": "https://shop.example/p/3"},
}
TABLE = [
    *(("rejected", reason, page) for reason, page in REJECTED.items()),
    *(("temporarily_unverifiable", *pair) for pair in UNVERIFIABLE.items()),
    *(("needs_human", *pair) for pair in NEEDS_HUMAN.items()),
]


@pytest.mark.parametrize(("status", "reason", "page"), TABLE)
def test_each_row_of_the_table_has_its_status(status, reason, page):
    assert outcome(check(**page)) == (status, reason)


def test_every_reason_is_of_the_table_and_has_one_status():
    told = {reason: status for status, reason, _ in TABLE} | {"min_order": "rejected"}
    assert told == dict(REASONS)
    assert set(GRAVITY) == set(AUDIT_STATES)


@pytest.mark.parametrize("warning", ["product_ambiguous", "variant_unconfirmed"])
def test_a_price_of_who_knows_which_variant_is_a_persons(warning):
    audit = check(warnings=(warning,))
    assert outcome(audit) == ("needs_human", "ambiguous_variant")
    # what was read stands there for the person
    assert audit["price"] == "17.50"


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_gone_is_a_dead_link(status):
    audit = check(state="unreadable", http_status=status)
    assert outcome(audit) == ("rejected", "dead_link")
    assert steps(audit)["link"]["outcome"] == "fail"


@pytest.mark.parametrize("status", [401, 403, 429, 503])
def test_a_wall_is_no_verdict_on_the_offer(status):
    audit = check(state="unreadable", http_status=status)
    assert outcome(audit) == ("temporarily_unverifiable", "blocked")
    # and neither sold out nor free
    assert (audit["availability"], audit["price"], audit["landed"]) == (None,) * 3
    assert list(steps(audit)) == ["link"]


@pytest.mark.parametrize("status", [None, 500, 502])
def test_a_page_that_is_down_may_come_back(status):
    audit = check(state="unreadable", http_status=status, error="timed_out")
    assert outcome(audit) == ("temporarily_unverifiable", "page_down")
    assert steps(audit)["link"]["detail"] == "page_down: timed_out"


def test_the_gravest_status_holds():
    # search.md 13: rejected > needs_human > temporarily_unverifiable
    wanted = ("verified", "temporarily_unverifiable", "needs_human", "rejected")
    assert wanted == GRAVITY
    human = {"pack": OPEN_PACK, "task": MULTIPACK}
    unknown = {"final_url": "https://elsewhere.example/p/2"}
    assert outcome(check(**human, **unknown)) == ("needs_human", "ambiguous_pack")
    assert outcome(check(**unknown, availability="out")) == ("rejected", "out_of_stock")
    everything = {**human, **unknown, "condition": "not_new"}
    assert outcome(check(**everything)) == ("rejected", "not_new")
    # every check keeps its own word
    told = {kind: one["outcome"] for kind, one in steps(check(**everything)).items()}
    assert told == {
        **{"link": "pass", "stock": "pass", "condition": "fail", "price": "pass"},
        **{"pack": "unknown", "shipping": "unknown"},
    }


def test_the_reference_itself_is_rejected_listed_or_redirected_to():
    listed = check(url=TASK["url_canonical"], final_url=TASK["url_canonical"])
    assert outcome(listed) == ("rejected", "self_match")
    # it goes before whatever else is wrong with it
    gone = check(url=TASK["url_canonical"], state="dead", http_status=404)
    assert outcome(gone) == ("rejected", "self_match")


def test_a_page_that_ends_where_judges_saw_it_has_not_changed():
    audit = check(judged="http://shop.example/p/2?gclid=1")
    assert outcome(audit) == ("verified", None)


def test_a_pack_that_is_open_matters_only_where_the_reference_is_a_multipack():
    audit = check(pack=OPEN_PACK)
    assert outcome(audit) == ("verified", None)
    # and stays open, should a correction make the reference a multipack
    assert audit["pack_count"] is None
    assert steps(audit)["pack"]["outcome"] == "unknown"


def test_shipping_comes_from_the_table_then_from_the_page():
    # 17.50 is below 35.00: 6.99, and 5 % of 17.50 is 0.875, half up 0.88
    audit = check(PAID)
    assert (audit["shipping"], audit["fees"]) == ("6.99", "0.88")
    assert audit["landed"] == "25.37"
    assert audit["shipping_source"] == "policy_table"
    elsewhere = {"final_url": "https://elsewhere.example/p/2"}
    audit = check(**elsewhere, shipping=Decimal("4.00"))
    assert (audit["shipping"], audit["shipping_source"]) == ("4.00", "page")
    assert (audit["landed"], audit["fees"]) == ("21.50", None)


@pytest.mark.parametrize(
    ("least", "stated", "shipping"),
    [
        ("17.50", "5.00", "0.00"),  # inclusive
        ("17.51", "5.00", "5.00"),
        ("17.51", None, None),  # what is not said is not free
        ("10.00", None, "0.00"),
    ],
)
def test_a_page_may_state_a_threshold_of_its_own(least, stated, shipping):
    audit = check(
        final_url="https://elsewhere.example/p/2",
        free_shipping_threshold=Decimal(least),
        shipping=None if stated is None else Decimal(stated),
    )
    assert audit["shipping"] == shipping
    assert audit["status"] == (
        "verified" if shipping is not None else "temporarily_unverifiable"
    )


def test_what_cannot_be_ordered_alone_is_rejected():
    # E14: an item of 4.99 where orders begin at 5.00
    audit = check(PAID, price=Decimal("4.99"), shipping=Decimal("0.00"))
    assert outcome(audit) == ("rejected", "min_order")
    assert (audit["shipping"], audit["landed"]) == (None, None)
    assert outcome(check(PAID, price=Decimal("5.00"))) == ("verified", None)


def test_rules_for_own_goods_want_a_seller_of_the_shops_name():
    own = PolicyRow(
        *("shop:own", "shop.example", "first_party"), threshold=Decimal("0.00")
    )
    audit = check(own, seller="Shop")
    assert (audit["seller_scope"], audit["status"]) == ("first_party", "verified")
    for seller, scope in (("Somebody Else", "any"), (None, None)):
        audit = check(own, seller=seller)
        assert audit["seller_scope"] == scope
        assert outcome(audit) == ("temporarily_unverifiable", "shipping_unknown")


def test_a_price_in_another_currency_is_not_compared_with_dollars():
    audit = check(PAID, currency="EUR")
    assert (audit["shipping"], audit["landed"]) == (None, None)


def test_amounts_that_no_shop_means_are_not_known():
    # no artifact holds them, and one page must not keep a run from being loaded
    audit = check(price=Decimal("99999999999.00"))
    assert outcome(audit) == ("temporarily_unverifiable", "price_unknown")
    assert (audit["price"], audit["landed"]) == (None, None)
    audit = check(pack=Pack(10**12), task=MULTIPACK)
    assert outcome(audit) == ("needs_human", "ambiguous_pack")
    assert audit["pack_count"] is None
    elsewhere = {"final_url": "https://elsewhere.example/p/2"}
    audit = check(**elsewhere, shipping=Decimal("1e12"))
    assert audit["shipping"] is None


def test_a_service_that_read_the_page_is_named():
    offer = Offer(TASK, URL, None, Policy((FREE,), "p"))
    capture = Capture(ProductPage(**GOOD), method="api")
    audit = audited(offer, capture, AT, None)
    assert steps(audit)["price"]["method"] == "api"
    assert steps(audit)["price"]["evidence"] is None


@pytest.mark.parametrize(
    ("claims", "lowest", "mismatch"),
    [
        (["17.50"], "17.50", False),
        (["18.00", "9.00", "17.50"], "9.00", True),
        (["17.5"], "17.5", False),
        ([], None, False),
    ],
)
def test_a_claim_is_only_compared(claims, lowest, mismatch):
    audit = with_claims(check(), claims)
    assert (audit["claimed_price"], audit["price_mismatch"]) == (lowest, mismatch)
    assert (audit["status"], audit["price"]) == ("verified", "17.50")
    walled = with_claims(check(state="blocked"), claims)
    assert walled["price_mismatch"] is False
