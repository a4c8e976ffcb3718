"""Whatever a page says: no price of zero or less, no exception, no long wait."""

import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.search.pages.money import (
    parse_structured,
    read_amounts,
    read_free_threshold,
    read_shipping,
)
from ingest.search.pages.pack import read_pack

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
