"""Reading listings from an answer: where the list stands, amounts, warnings, order."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.search.agents.answer_json import find_listings
from ingest.search.agents.listings import WARNINGS, read_listings, redirectors

ONE = {
    "url": "https://shop.com/a",
    "title": "Oat Milk",
    "retailer": "Shop",
    "item_price": "17.50",
    "shipping_price": "2.00",
    "landed_price": "19.50",
    "currency": "USD",
    "pack_count": 12,
    "condition": "new",
    "in_stock": True,
}
TEXT = json.dumps({"listings": [ONE]})
SCHEMA = '{"listings": [{"url": "https://schema.com/x"}]}'


def answer(*claims, **more):
    read = read_listings(json.dumps({"listings": list(claims)}), "gpt.exact.t1", **more)
    assert read is not None
    return read


def one(**changes):
    (listing,) = answer({**ONE, **changes}).kept
    return listing


WHERE = {
    "the whole text": TEXT,
    "the whole text with a mark before it": f"\ufeff\n {TEXT}\n",
    "a bare array": json.dumps([ONE]),
    "a fenced block": f"Here you go:\n```json\n{TEXT}\n```\nGood luck!",
    "a fence without a language": f"```\n{TEXT}\n```",
    "the last fence": f"```json\n{SCHEMA}\n```\nand so\n```json\n{TEXT}\n```",
    "prose around it": f"I found [1] this {{really}}: {TEXT} Enjoy.",
    "an array in prose": f"See [1], [2]. {json.dumps([ONE])} Done.",
    "the last of several": f"The form was {SCHEMA}. My answer: {TEXT}",
    "an object around it": json.dumps({"answer": {"listings": [ONE]}}),
}


@pytest.mark.parametrize("name", WHERE)
def test_a_list_is_found_wherever_it_stands(name):
    claims, is_mended = find_listings(WHERE[name])
    assert (claims, is_mended) == ([ONE], False)


BROKEN = {
    "a comma too many": TEXT.replace("}]}", "},]}"),
    "single quotes": TEXT.replace('"', "'").replace("true", "True"),
    "no end": TEXT[:-2],
    "a broken fence": f"```json\n{TEXT[:-2]}\n```\nThat is all, listings: one.",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_list_is_mended_and_says_so(name):
    read = read_listings(BROKEN[name], "gpt.exact.t1")
    assert read is not None
    (listing,) = read.kept
    assert listing["url"] == "https://shop.com/a"
    assert listing["item_price"] == "17.50"
    assert "repaired" in listing["warnings"]


@pytest.mark.parametrize(
    "text",
    [
        *("", "Nothing cheaper was found.", "null", "17", "[1, 2]", "{}", '{"a": []}'),
        *('{"listings": null}', "listings: none", "[[[[", "{" * 5000, "[" * 100_000),
        *('{"results": "https://shop.com"}', "See [1] and {2}.", '{"url":' * 20_000),
    ],
)
def test_a_text_without_a_list_is_unparsable(text):
    assert find_listings(text) == (None, False)
    assert read_listings(text, "gpt.exact.t1") is None


@pytest.mark.parametrize("text", ['{"listings": []}', "[]", "None.\n```\n[]\n```"])
def test_an_empty_list_is_an_answer(text):
    read = read_listings(text, "gpt.exact.t1")
    assert read is not None
    assert (read.kept, read.refused, read.dropped) == ((), (), 0)


def test_a_listing_holds_what_the_artifact_asks_for():
    assert one() == {
        "listing_id": "gpt.exact.t1.01",
        "rank": 1,
        "url": "https://shop.com/a",
        "url_canonical": "https://shop.com/a",
        "title": "Oat Milk",
        "retailer": "Shop",
        "seller": None,
        "item_price": "17.50",
        "shipping_price": "2.00",
        "landed_price": "19.50",
        "currency": "USD",
        "pack_count": 12,
        "condition": "new",
        "in_stock": True,
        "image_url": None,
        "note": None,
        "warnings": [],
    }


def test_duplicates_go_first_then_what_is_beyond_ten():
    # pages 0, 0, 1, 2 … 11: twelve pages, of which one is named twice
    urls = ["https://www.shop.com/0/?utm_source=a"]
    urls += [f"https://shop.com/{n}" for n in range(12)]
    read = answer(*({**ONE, "url": url} for url in urls))
    assert [one["url_canonical"] for one in read.kept] == [
        f"https://shop.com/{n}" for n in range(10)
    ]
    assert read.kept[0]["url"] == "https://www.shop.com/0/?utm_source=a"
    assert [one["rank"] for one in read.kept] == list(range(1, 11))
    assert read.kept[9]["listing_id"] == "gpt.exact.t1.10"
    assert (read.dropped, read.duplicates) == (2, 1)


def test_addresses_of_no_public_page_are_refused_with_their_reason():
    bad = ["ftp://shop.com/a", "http://localhost/a", "https://10.0.0.1/", "", "no"]
    read = answer(*({**ONE, "url": url} for url in bad), {"title": "x"}, ONE)
    assert [one["url"] for one in read.kept] == ["https://shop.com/a"]
    assert read.kept[0]["rank"] == 1
    assert len(read.refused) == 6
    assert all(one["reason"] for one in read.refused)


AMOUNTS = [
    # claim, kept, warnings
    ({"item_price": "$12.99", "landed_price": None}, "12.99", "2.00", "14.99", []),
    ({"item_price": 12.99, "landed_price": 14.99}, "12.99", "2.00", "14.99", []),
    ({"shipping_price": "FREE", "landed_price": None}, "17.50", "0.00", "17.50", []),
    ({"shipping_price": 0, "landed_price": "17.50"}, "17.50", "0.00", "17.50", []),
    ({"shipping_price": "0.00", "landed_price": None}, "17.50", "0.00", "17.50", []),
    ({"shipping_price": None, "landed_price": None}, "17.50", None, None, []),
    ({"shipping_price": None}, "17.50", None, "19.50", []),
    # a cent apart is rounding, two are not
    ({"landed_price": "19.51"}, "17.50", "2.00", "19.51", []),
    (
        {"landed_price": "19.52"},
        *("17.50", "2.00", "19.52", ["landed_inconsistent"]),
    ),
    (
        {"shipping_price": "-2.00", "landed_price": None},
        *("17.50", None, None, ["negative_amount"]),
    ),
    (
        {"item_price": -17.5, "landed_price": None},
        *(None, "2.00", None, ["negative_amount"]),
    ),
    ({"item_price": "-$5.00"}, None, "2.00", "19.50", ["negative_amount"]),
    ({"landed_price": "-1"}, "17.50", "2.00", None, ["negative_amount"]),
    ({"item_price": "call us"}, None, "2.00", "19.50", ["unreadable_amount"]),
    ({"item_price": 0}, None, "2.00", "19.50", ["unreadable_amount"]),
    ({"item_price": "0.00"}, None, "2.00", "19.50", ["unreadable_amount"]),
    ({"item_price": True}, None, "2.00", "19.50", ["unreadable_amount"]),
    ({"item_price": {}}, None, "2.00", "19.50", ["unreadable_amount"]),
    ({"item_price": 1e300}, None, "2.00", "19.50", ["unreadable_amount"]),
    (
        {"item_price": "1,234.50", "landed_price": None},
        "1234.50",
        "2.00",
        "1236.50",
        [],
    ),
]


@pytest.mark.parametrize(("claim", "item", "shipping", "landed", "warned"), AMOUNTS)
def test_amounts_are_read_and_what_is_odd_is_warned_of(
    claim, item, shipping, landed, warned
):
    found = one(**claim)
    amounts = ("item_price", "shipping_price", "landed_price")
    assert [found[name] for name in amounts] == [item, shipping, landed]
    assert found["warnings"] == warned


CURRENCIES = [
    # stated, price, code, whether it is an assumption
    ("USD", "17.50", "USD", False),
    ("usd", "17.50", "USD", False),
    ("$", "17.50", "USD", False),
    ("US$", "17.50", "USD", False),
    ("EUR", "17.50", "EUR", False),
    ("\u20ac", "17.50", "EUR", False),
    (None, "17.50", "USD", True),
    ("", "$17.50", "USD", True),
    (None, "17.50 EUR", "EUR", False),
    (None, "CA$17.50", "CAD", False),
]


@pytest.mark.parametrize(("stated", "price", "code", "assumed"), CURRENCIES)
def test_a_currency_is_kept_and_dollars_are_assumed_with_a_warning(
    stated, price, code, assumed
):
    found = one(currency=stated, item_price=price)
    assert found["currency"] == code
    assert ("currency_assumed" in found["warnings"]) is assumed


def test_fields_of_another_type_are_read_where_they_are_plain():
    found = one(pack_count="6", in_stock="true", title=" Oat\nMilk ", retailer=7)
    assert (found["pack_count"], found["in_stock"]) == (6, True)
    assert (found["title"], found["retailer"]) == ("Oat Milk", "7")
    odd = one(pack_count=0, in_stock="perhaps", title=[], image_url="data:image/x")
    assert (odd["pack_count"], odd["in_stock"]) == (None, None)
    assert (odd["title"], odd["image_url"]) == (None, None)


REDIRECT = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AB1"


def test_redirecting_addresses_are_resolved_before_duplicates_are_found():
    # search.md 10.1, row 27
    text = json.dumps({"listings": [{**ONE, "url": REDIRECT}, ONE]})
    other = REDIRECT + "other"
    assert redirectors(text, [other, REDIRECT, "https://shop.com"]) == (REDIRECT, other)
    led = {REDIRECT: "https://www.shop.com/a?utm_source=g"}
    read = read_listings(text, "g.exact.t1", redirects=led)
    assert read is not None
    assert [one["url_canonical"] for one in read.kept] == ["https://shop.com/a"]
    assert (read.kept[0]["url"], read.duplicates) == (REDIRECT, 1)
    assert read.kept[0]["warnings"] == []


def test_a_redirect_that_nobody_resolves_is_kept_with_a_warning():
    (found,) = answer({**ONE, "url": REDIRECT}, redirects={REDIRECT: None}).kept
    assert found["url_canonical"] == REDIRECT
    assert found["warnings"] == ["redirect_unresolved"]


_json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner)
    ),
    max_leaves=3,
)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    st.dictionaries(st.sampled_from([*ONE, "note", "seller", "image_url"]), _json),
    st.text(max_size=20),
)
def test_no_answer_breaks_the_reading(claim, prose):
    for text in (prose + json.dumps({"listings": [{**ONE, **claim}]}), prose):
        read = read_listings(text, "gpt.exact.t1")
        for found in read.kept if read else ():
            # what an artifact may hold: no half characters, no NaN, closed warnings
            json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
            assert set(found["warnings"]) <= set(WARNINGS)
            assert found["url_canonical"].startswith("https://")
