"""The shipping policy: both look-ups give the same, and the shipped table is blank."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path

import duckdb
import jinja2
import pytest
from policy_cases import CASES
from search_run import POLICY_COLUMNS

from ingest.errors import LoadError
from ingest.search.audit.policy import (
    SEED,
    Policy,
    PolicyRow,
    find_row,
    read_table,
    seller_scope,
    shipping_of,
    terms_of,
)

MACROS = Path(__file__).parents[2] / "dbt_project/macros/search_scoring.sql"


def rows_of(case):
    return [PolicyRow(**one) for one in case.rows]


@pytest.mark.parametrize("name", CASES)
def test_what_is_stamped_is_what_the_rule_asks(name):
    case = CASES[name]
    row = find_row(
        rows_of(case), host=case.host, seller_scope=case.seller_scope,
        category=case.category, day=case.day,
    )  # fmt: skip
    if case.expected is None:
        assert row is None
        return
    terms = terms_of(row, Decimal(case.price))
    row_id, shipping, fees, too_small = case.expected
    assert (terms.row_id, terms.is_below_minimum) == (row_id, too_small)
    assert terms.shipping == (None if shipping is None else Decimal(shipping))
    assert terms.fees == Decimal(fees)


@pytest.fixture(scope="module")
def in_sql():
    """What the macro makes of every case, each a run of its own."""
    template = jinja2.Environment().from_string(MACROS.read_text())
    query = template.module.apply_shipping_policy("offers")
    money = ("threshold", "below_fee", "at_or_above_fee", "min_order")
    with duckdb.connect() as connection:
        connection.execute(
            "create table stg_search_shipping_policy (run_id varchar, row_id varchar, "
            "domain varchar, seller_scope varchar, "
            + ", ".join(f"{one}_usd decimal(12, 2)" for one in money)
            + ", surcharge_pct decimal(7, 4), category_scope varchar, "
            "effective_from date, effective_to date)"
        )
        connection.execute(
            "create table offers (run_id varchar, offer_id varchar, host varchar, "
            "seller_scope varchar, category varchar, price decimal(12, 2), "
            "priced_on date, policy_row_id varchar)"
        )
        for name, case in CASES.items():
            for one in case.rows:
                values = [name, *one.values()]
                connection.execute(
                    "insert into stg_search_shipping_policy by name select "
                    + ", ".join(
                        f"? as {key}_usd" if key in money else f"? as {key}"
                        for key in ("run_id", *one)
                    ),
                    values,
                )
            connection.execute(
                "insert into offers values (?, 'o', ?, ?, ?, ?, ?, null)",
                [name, case.host, case.seller_scope, case.category, case.price,
                 case.day],
            )  # fmt: skip
        found = connection.execute(
            f"with {query} select run_id, policy_row_id, shipping, fees, "
            "is_below_minimum from apply_policy"
        ).fetchall()
    return {name: rest for name, *rest in found}


@pytest.mark.parametrize("name", CASES)
def test_the_figures_look_up_the_same(name, in_sql):
    expected = CASES[name].expected
    if expected is None:
        assert name not in in_sql
        return
    row_id, shipping, fees, too_small = expected
    amount = None if shipping is None else Decimal(shipping)
    assert in_sql[name] == [row_id, amount, Decimal(fees), too_small]


def table(*rows):
    stream = io.StringIO()
    writer = csv.DictWriter(stream, POLICY_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for one in rows:
        filled = {**dict.fromkeys(POLICY_COLUMNS, ""), **one}
        writer.writerow(filled)
    return stream.getvalue().encode()


SHOP = {"row_id": "shop", "retailer": "shop", "domain": "shop.example"}
SHOP |= {"seller_scope": "any"}
CHECKED = {"checked_at": "2026-10-30", "checked_by": "Robin"}


def look_up(policy, price, on_page=None):
    found = shipping_of(
        policy, url="https://shop.example/p", seller=None, category="grocery",
        day=CASES["at the threshold"].day, price=Decimal(price),
        on_page=None if on_page is None else Decimal(on_page),
    )  # fmt: skip
    return found.amount, found.fees, found.source


def test_the_page_is_asked_where_the_table_has_no_answer():
    known = read_table(table({**SHOP, **CHECKED, "threshold": "0.00"}))
    assert look_up(known, "20.00", "4.00") == (Decimal("0.00"), None, "policy_table")
    blank = read_table(table({**SHOP, **CHECKED, "surcharge_pct": "5"}))
    # 5 % of 20.00 is due whoever states the shipping
    page = (Decimal("4.00"), Decimal("1.00"), "page")
    assert look_up(blank, "20.00", "4.00") == page
    # no answer anywhere is unknown, and not nothing
    assert look_up(blank, "20.00") == (None, Decimal("1.00"), None)
    assert look_up(Policy((), ""), "20.00") == (None, None, None)
    small = read_table(table({**SHOP, **CHECKED, "min_order": "25.00"}))
    assert look_up(small, "20.00", "4.00") == (None, None, None)


@pytest.mark.parametrize("blank", CHECKED)
def test_an_amount_that_nobody_checked_is_refused(blank):
    row = {**SHOP, **CHECKED, blank: "", "threshold": "35.00"}
    with pytest.raises(LoadError, match=f"row shop has a threshold and no {blank}"):
        read_table(table(row))
    read_table(table({**SHOP, blank: ""}))


def test_a_row_for_buyers_elsewhere_is_refused():
    row = table({**SHOP, **CHECKED, "threshold": "35.00", "zip_scope": "90210"})
    with pytest.raises(LoadError, match="row shop is for ZIP 90210, the buyer of"):
        read_table(row, buyer_zip="10001")
    assert len(read_table(row, buyer_zip="90210").rows) == 1


def test_a_row_that_breaks_the_contract_is_refused():
    with pytest.raises(LoadError, match=r"line 2: seller_scope: '3p' is not one of"):
        read_table(table({**SHOP, "seller_scope": "3p"}))


def test_the_shipped_table_holds_no_amount_and_no_check():
    policy = read_table(SEED.read_bytes())
    with SEED.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(POLICY_COLUMNS)
    blank = (
        *("threshold", "below_fee", "at_or_above_fee", "min_order", "surcharge_pct"),
        *("checked_at", "checked_by", "effective_from", "effective_to"),
    )
    assert all(not row[key] for row in rows for key in blank)
    # the retailers of search.md 12 that ship by a rule of their own
    assert {row.domain for row in policy.rows} == {
        *("amazon.com", "walmart.com", "target.com", "chewy.com", "costco.com"),
        *("bestbuy.com", "homedepot.com", "wayfair.com", "apple.com", "shein.com"),
        *("kroger.com", "temu.com"),
    }
    assert all(row["note"] for row in rows)


@pytest.mark.parametrize(
    ("url", "seller", "scope"),
    [
        ("https://amazon.com/dp/B0", "Amazon.com", "first_party"),
        ("https://amazon.com/dp/B0", "Amazon.com Services LLC", "first_party"),
        ("https://amazon.com/dp/B0", "Amazonia Goods", "any"),
        ("https://amazon.com/dp/B0", "Amazon Resale", "any"),
        ("https://homedepot.com/p/1", "The Home Depot", "first_party"),
        ("https://bestbuy.com/site/1", "Best Buy", "first_party"),
        ("https://walmart.com/ip/1", "Walmart.com", "first_party"),
        ("https://walmart.com/ip/1", "Pharmapacks", "any"),
        ("https://walmart.com/ip/1", None, None),
        ("https://walmart.com/ip/1", " ", None),
        ("https://us.shein.com/a", "SHEIN", "first_party"),
    ],
)
def test_a_seller_of_the_shops_own_name_is_the_shop(url, seller, scope):
    assert seller_scope(url, seller) == scope
