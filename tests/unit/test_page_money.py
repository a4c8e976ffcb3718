"""Prices as data and as visible text: the rules of search 4.4, rows of 10.1."""

from decimal import Decimal

import pytest

from ingest.search.pages.currency import currency_code
from ingest.search.pages.money import (
    parse_charge,
    parse_structured,
    read_amounts,
    read_free_threshold,
    read_shipping,
)


@pytest.mark.parametrize(
    ("value", "price"),
    [
        pytest.param("1,234,567.890", "1234567.890", id="row 2"),
        pytest.param(",89 €", "0.89", id="row 3"),
        pytest.param("3.350", "3.35", id="row 4, three decimals"),
        pytest.param("140.000", "140", id="row 4, zeros"),
        pytest.param("$35", "35.00", id="row 5, dollar sign"),
        pytest.param("$16,980", "16980.00", id="row 5, thousands"),
        pytest.param("2879.20", "2879.2", id="row 6, text"),
        pytest.param(2879.2, "2879.20", id="row 6, number"),
        ("1.234,56", "1234.56"),
        ("1,234.56", "1234.56"),
        ("12,99", "12.99"),
        ("12,9", "12.9"),
        ("1,299", "1299"),
        ("USD 12.99", "12.99"),
        ("12.99usd", "12.99"),
        ("1 299,00 €", "1299"),
        ("99¢", "0.99"),
        ("$13⁴⁴", "13.44"),
        ("＄１２．９９", "12.99"),
        (15, "15"),
        (Decimal("0.10"), "0.1"),
    ],
)
def test_a_price_as_data(value, price):
    assert parse_structured(value) == Decimal(price)


@pytest.mark.parametrize(
    "value",
    [
        *(0, "0.00", -1, "-5.00", "$-5", "Free", "Call", "", " ", "$", None, True),
        *(
            float("nan"),
            float("inf"),
            "NaN",
            "1e3",
            10**400,
            "1.2.3",
            "1,23,456",
        ),
        *("0,890", "12 99", "12.99-15.99", "from 12", "$2½", [], {}, "9" * 70, "0.001"),
    ],
)
def test_anything_else_is_no_price(value):
    assert parse_structured(value) is None


def test_a_number_too_long_to_be_written_is_no_price():
    assert parse_structured(10**9_999) is None


def test_a_charge_may_be_zero_and_never_less():
    assert parse_charge("0.00") == 0
    assert parse_charge(0) == 0
    assert parse_charge(-1) is None


@pytest.mark.parametrize(
    ("text", "price", "list_price"),
    [
        pytest.param(
            "Buy Now - 2 Litre Was $120.00 Now $60.00", "60", "120", id="row 1, was"
        ),
        pytest.param("2 pairs from $349", "349", None, id="row 1, count before"),
        pytest.param("$1,234,567.890", "1234567.89", None, id="row 2"),
        pytest.param(
            "From $37.50/mo. for 24 mo. or $899.99", "899.99", None, id="row 11"
        ),
        pytest.param(
            "$37.50 monthly or pay $899.99", "899.99", None, id="row 11, monthly"
        ),
        pytest.param(
            "Now $67.97 Was $115.99 Shipping $6.99", "67.97", "115.99", id="row 14"
        ),
        pytest.param(
            "$67.97, was $115.99 + $6.99 shipping", "67.97", "115.99", id="row 14, plus"
        ),
        ("$12.99", "12.99", None),
        ("12.99 USD", "12.99", None),
        ("US $12", "12", None),
        ("99¢", "0.99", None),
        ("$13⁴⁴", "13.44", None),
        ("Was $29 Now $19", "19", "29"),
        ("List Price: $29.99 Price: $19.99 You Save: $10.00 (33%)", "19.99", "29.99"),
        ("Reg. $40 $30", "30", "40"),
        ("MSRP $40, sale $30", "30", "40"),
        ("$19.99 ($0.50/oz)", "19.99", None),
        ("$19.99 $0.20 per count", "19.99", None),
        ("$100 or $25 x 4", "100", None),
        ("4 payments of $25 or $100", "100", None),
        ("$19.99 $2 off", "19.99", None),
        ("$24.99 20% off list $30", "24.99", "30"),
        ("$5.00 each $20.00 total", "20", None),
        ("$5.00 each", "5", None),
        ("$29.99 Subscribe & Save $25.49", "29.99", None),
        ("$29.99 Members pay $25.49", "29.99", None),
        ("$19.99 coupon: $5", "19.99", None),
        ("$19.99 coupon $5", "19.99", None),
        ("$299 trade-in $150", "299", None),
        ("$299 2-year protection $39", "299", None),
        ("3 items left, $19.99", "19.99", None),
        ("Qty 2 $349", "349", None),
        ("$12.99 $12.99", "12.99", None),
        ("Buy now - $60.00", "60", None),
        ("A $5 cup", "5", None),
        ("$19.99 500 points", "19.99", None),
    ],
)
def test_the_price_of_a_visible_text(text, price, list_price):
    found = read_amounts(text)
    assert found.price == Decimal(price)
    assert found.currency == "USD"
    assert found.list_price == (list_price and Decimal(list_price))
    assert not found.has_range


@pytest.mark.parametrize(
    "text", ["$10 - $20", "$10-$20", "$10-20", "$10 to $20", "$5 $6", "5,00 € 6,00 €"]
)
def test_several_prices_are_a_range_and_no_price(text):
    found = read_amounts(text)
    assert (found.price, found.has_range) == (None, True)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("-5,00 €", id="row 13"),
        *("-$5.00", "−$5.00", "$-5.00", "- $5.00", "$0.00", "Free", "Call", ""),
        *("12.99", "$5k", "$2½", "1 234,56 €", "$5 coupon $19.99", "was $29", "$" * 99),
    ],
)
def test_discounts_and_what_cannot_be_read_are_no_price(text):
    assert read_amounts(text).price is None


@pytest.mark.parametrize("text", ["-$5.00", "$-5.00", "- $5.00", "−5,00 €"])
def test_a_discount_is_no_range_either(text):
    assert not read_amounts(text).has_range


@pytest.mark.parametrize(
    ("text", "is_from"),
    [
        ("from $5", True),
        ("Starting at $5", True),
        ("as low as: $5", True),
        ("from us, $5", False),
    ],
)
def test_a_price_may_be_the_lowest_of_several(text, is_from):
    found = read_amounts(text)
    assert (found.price, found.is_from) == (Decimal(5), is_from)


@pytest.mark.parametrize(
    ("text", "us_page", "currency"),
    [
        pytest.param(",89 €", True, "EUR", id="row 3"),
        ("$12", True, "USD"),
        ("$12", False, None),
        ("$12 USD", False, "USD"),
        ("$12 CAD", True, "CAD"),
        ("$12 All prices in CAD.", True, None),
        ("C$12", True, "CAD"),
        ("CA$12", True, "CAD"),
        ("A$12", True, "AUD"),
        ("AU$12", True, "AUD"),
        ("NZ$12", True, "NZD"),
        ("HK$12", True, "HKD"),
        ("MX$12", True, "MXN"),
        ("R$12", True, "BRL"),
        ("£12", True, "GBP"),
    ],
)
def test_a_bare_dollar_sign_is_a_us_dollar_on_a_us_page_alone(text, us_page, currency):
    found = read_amounts(text, us_page)
    assert (found.price is not None, found.currency) == (True, currency)


@pytest.mark.parametrize(
    ("text", "shipping"),
    [
        pytest.param("Shipping calculated at checkout", None, id="row 15, no amount"),
        pytest.param("FAST, FREE SHIPPING", "0.00", id="row 15, free"),
        ("$5.99 shipping", "5.99"),
        ("+ $0.00 shipping", "0.00"),
        ("Free shipping on orders over $35", None),
        ("Shipping $5.99. Free on orders over $35", "5.99"),
        ("Free shipping for members", None),
        ("Free returns", None),
        ("Gluten-free", None),
        ("Shipping $5.99 to $9.99", None),
        ("Shipping 5,99 €", None),
        ("Shipping $-5.99", None),
        ("Shipping discount -$5.99", None),
        ("", None),
    ],
)
def test_shipping_of_a_text(text, shipping):
    assert read_shipping(text) == (shipping and Decimal(shipping))


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("Free shipping on orders over $35", "35"),
        ("Free shipping on $49 or more", "49"),
        ("Free shipping", None),
        ("Orders over $35 ship fast", None),
        ("Free shipping for members over $35", None),
    ],
)
def test_the_price_from_which_shipping_is_free(text, threshold):
    assert read_free_threshold(text) == (threshold and Decimal(threshold))


@pytest.mark.parametrize(
    ("value", "code"),
    [("usd", "USD"), ("EGP", "EGP"), ("€", "EUR"), ("$", None), ("", None), (5, None)],
)
def test_a_currency_field_holds_a_code_or_a_symbol(value, code):
    assert currency_code(value) == code
