"""Whatever a page says: no price of zero or less, no exception, no long wait."""

import json
import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shop_pages import NOW

from ingest.search.pages.money import (
    parse_structured,
    read_amounts,
    read_free_threshold,
    read_shipping,
)
from ingest.search.pages.pack import read_pack
from ingest.search.pages.page import read_page
from ingest.search.pages.picture import read_picture
from ingest.search.pages.state import page_text
from ingest.search.pages.tame import is_tame

# pieces that rules look for, in any order, are likelier to upset them than letters
PIECES = [
    *("$", "€", "¢", "US $", "USD", "1", "12", "1,234.56", ".99", ",89", "-", "−", "–"),
    *(
        " ",
        "\n",
        "was ",
        "list ",
        "free ",
        "shipping ",
        " off",
        "/oz",
        "x ",
        " x 4",
        "+",
    ),
    *(
        "pack of ",
        " pack",
        "dozen",
        "ct",
        "g",
        "ml",
        " rolls",
        "½",
        "⁴⁴",
        "\ufdfa",
        "%",
    ),
    *(
        "\u0344\u0315",
        "buy 2 get 1",
        "in",
        "cm",
        "from ",
        "to ",
        "each",
        ":",
        ";",
        "\0",
    ),
]
TEXTS = st.one_of(
    st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
)
LONGEST = 10_000
SECONDS = 0.05


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_no_text_has_a_price_of_zero_or_less(text):
    found = read_amounts(text)
    for price in (found.price, found.list_price, parse_structured(text)):
        assert price is None or price > 0
    assert not (found.price is not None and found.has_range)
    shipping, threshold = read_shipping(text), read_free_threshold(text)
    assert shipping is None or shipping >= 0
    assert threshold is None or threshold > 0


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_no_title_has_a_pack_without_items(title):
    pack = read_pack(title)
    assert pack.count >= 1
    assert pack.contents is None or pack.contents >= 1
    assert pack.unit_size is None or Decimal(pack.unit_size) > 0
    assert (pack.unit_size is None) == (pack.unit is None)


@given(st.integers(1, 999_999_999))
@settings(max_examples=50, deadline=None)
def test_a_price_in_cents_is_read_however_it_is_written(cents):
    price = Decimal(cents) / 100
    assert parse_structured(f"{price:.2f}") == price
    assert parse_structured(f"${price:,.2f}") == price
    assert parse_structured(f"{price:,.2f}".translate({44: ".", 46: ","})) == price
    assert read_amounts(f"was ${price + 1:,.2f} now ${price:,.2f}").price == price


@pytest.mark.parametrize(
    "piece",
    [
        *PIECES,
        *("$1 ", "$1,", "1 x ", "1x1 ", "1 a ", "12 double ", "9+", "1 count ", "$5 x"),
        *(
            "$5 shipping ",
            "1-1-1-",
            "12 a-a'a-a ",
            "1mm x ",
            "standard ",
            "$-",
            "1 ct ",
        ),
    ],
)
def test_ten_thousand_characters_take_less_than_a_twentieth_of_a_second(piece):
    text = (piece * LONGEST)[:LONGEST]
    for read in (read_amounts, read_shipping, read_free_threshold, read_pack):
        # the better of two: the first may pay for a busy machine
        assert min(_seconds(read, text) for _ in range(2)) < SECONDS


def _seconds(read, text):
    start = time.process_time()
    read(text)
    return time.process_time() - start


TAGS = [
    *("<", ">", "</", "<h1>Lamp</h1>", "<div>", "</div>", "<!--", "-->", "<![CDATA["),
    *(
        '<script type="application/ld+json">',
        "</script>",
        '{"@type":"Product"',
        "}",
        "]",
    ),
    *(
        '"offers":[',
        '{"price":"-5"',
        '"price":0',
        '"name":"A"',
        ",",
        ":",
        "null",
        "1e9",
    ),
    *('<p class="price">', "$5", "<sup>44</sup>", "<del>", "<button disabled>", "\0"),
    *('<div itemscope itemtype="x/Product">', '<b itemprop="price">', "&#0;", "\ud800"),
    *('<meta property="product:price:amount" content="', '">', "<table>", "<svg>", "é"),
    *(
        "captcha",
        "Sold out",
        "<template>",
        '<html lang="',
        '<link rel=canonical href="',
    ),
]
URLS = st.sampled_from(
    [
        *(
            "https://shop.example/p",
            "https://shop.example/products/a.js?variant=1#/1-a",
        ),
        *("", "http://[", "https://www.amazon.com/dp/B000000001", "//x", "data:,x"),
    ]
)


@given(
    st.one_of(
        st.text(max_size=300), st.lists(st.sampled_from(TAGS), max_size=40).map("".join)
    ),
    URLS,
)
@settings(max_examples=50, deadline=None)
def test_no_page_raises_or_has_a_price_of_zero_or_less(html, url):
    page = read_page(html, url, now=NOW)
    assert page.state in ("ok", "blocked", "dead", "unreadable")
    assert page.price is None or page.price > 0
    assert page.price is None or not page.has_range
    assert (page.price is None) == (page.source is None)
    assert page.state == "ok" or page.price is None


KEYS = [
    *("@type", "@id", "@graph", "name", "offers", "price", "lowPrice", "highPrice"),
    *("priceSpecification", "priceCurrency", "priceType", "availability", "seller"),
    *("hasVariant", "isVariantOf", "isRelatedTo", "itemListElement", "item", "image"),
    *("mainEntity", "sku", "url", "brand", "size", "shippingDetails", "shippingRate"),
    *(
        "value",
        "shippingDestination",
        "addressCountry",
        "validThrough",
        "itemCondition",
    ),
    *("eligibleQuantity", "minValue", "freeShippingThreshold", "productGroupID"),
]
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.sampled_from(
            [
                *(
                    "Product",
                    "ProductGroup",
                    "Offer",
                    "AggregateOffer",
                    "ItemList",
                    "#a",
                ),
                *(
                    "12.99",
                    "-1",
                    "USD",
                    "$",
                    "InStock",
                    "2026-11-01",
                    "US",
                    "/p",
                    "//[",
                ),
            ]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    ),
    max_leaves=25,
)


@given(st.lists(VALUES, max_size=4), VALUES)
@settings(max_examples=50, deadline=None)
def test_no_data_raise_or_have_a_price_of_zero_or_less(values, offers):
    product = {"@type": "Product", "name": "Lamp", "offers": offers, "url": "/p"}
    scripts = "".join(
        f'<script type="application/ld+json">{json.dumps(value)}</script>'
        for value in [*values, product]
    )
    page = read_page(f"<h1>Lamp</h1>{scripts}", "https://shop.example/p", now=NOW)
    assert page.price is None or page.price > 0
    assert page.shipping is None or page.shipping >= 0


@given(st.binary(max_size=400), st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_no_bytes_raise(body, content_type):
    read_page(page_text(body, content_type), "https://shop.example/p", now=NOW)
    assert read_picture(body) is None


@pytest.mark.parametrize(
    "piece",
    [
        *("&amp;", "<button disabled>Add to cart</button>"),
        '<script type="application/ld+json">{"@graph": [{"@type": "Product"}, ',
    ],
)
def test_five_megabytes_of_one_thing_are_read_in_a_few_seconds(piece):
    html = piece * (5 * 1024**2 // len(piece))
    start = time.process_time()
    read_page(html, "https://shop.example/products/x", now=NOW)
    # several times what the slowest takes on an idle machine
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    "html",
    [
        *("<div>" * 200_000, "<table><tr><td>" * 99_999, "<a href=x>" * 99_999),
        "".join(f"<b id={number}>" for number in range(300)) + "<p>x</p>" * 20_000,
        "<a " + " ".join(f"x{number}=1" for number in range(99_999)) + ">",
        '<a t=">" ' + " ".join(f"x{number}" for number in range(99_999)) + ">",
    ],
    ids=["blocks", "tables", "links", "formatting", "attributes", "after a quote"],
)
def test_a_page_that_no_parser_reads_in_time_is_unreadable(html):
    page = read_page(html, "https://shop.example/p", now=NOW)
    assert (page.state, page.warnings) == ("unreadable", ("page_too_deep",))


@pytest.mark.parametrize(
    "html",
    [
        *("<p>x" * 9_999, "<li><br>" * 9_999, "<svg>" + "<path d='M0'/>" * 9_999),
        *("<script>" + "'<div>'+" * 9_999, "<div>x</div>" * 9_999, "<b>x</b>" * 9_999),
        "<div data-state='" + "a b=c " * 9_999 + "'>",
    ],
    ids=["paragraphs", "lists", "pictures", "script", "blocks", "bold", "state"],
)
def test_a_page_of_many_tags_is_not_for_that_too_deep(html):
    assert is_tame(html)
