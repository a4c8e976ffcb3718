"""Embedded state and selectors of shops, and what a page shows (search 4.1)."""

import json
from decimal import Decimal

import pytest
from selectolax.lexbor import LexborHTMLParser
from shop_pages import HEADING, read, script

from ingest.errors import LoadError
from ingest.search.pages.embedded import read_embedded
from ingest.search.pages.host_maps import host_maps, read_host_maps
from ingest.search.pages.same_page import UrlSelection
from ingest.search.pages.visible import visible_text

MAPS = """
- name: assigned
  hosts: [shop.example]
  assigned: window.__STATE__
  fields: {title: product.name, price: product.prices.0}
- name: elsewhere
  hosts: [other.example]
  path: ^/p/
  whole: true
  fields: {title: name}
"""


def facts(html, url="https://shop.example/p/1", maps=MAPS):
    known = [one for one in read_host_maps(maps, "maps") if one.is_for(url)]
    return read_embedded(html, LexborHTMLParser(html), known, UrlSelection(url))


def test_a_variable_that_a_script_sets_is_read():
    html = '<script>window.__STATE__ = {"product": {"name": "Lamp", "prices": [9.5]}};'
    found = facts(html)
    assert (found.title, found.price) == ("Lamp", Decimal("9.5"))


@pytest.mark.parametrize(
    "html",
    [
        "<script>window.__STATE__ = {broken",
        "<script>window.__STATE__ = ",
        "<script>xwindow.__STATE__ = {}</script>",
        '<script>window.__STATE__ = {"product": {"prices": {}}}</script>',
        '<script>window.__STATE__ = [[{"product": 1}]]</script>',
        "<script>window.__STATE__ = " + "[" * 50_000,
    ],
)
def test_a_state_that_is_not_as_its_map_says_is_nothing(html):
    assert facts(html) is None


def test_a_map_is_for_its_hosts_and_paths():
    known = read_host_maps(MAPS, "maps")
    assert known[0].is_for("https://www.shop.example/x")
    assert known[0].is_for("https://m.shop.example/x")
    assert not known[0].is_for("https://notshop.example/x")
    assert known[1].is_for("https://other.example/p/1")
    assert not known[1].is_for("https://other.example/x")


@pytest.mark.parametrize(
    "text",
    [
        *("name: a", "- name: a", "[1]", "- {name: a, hosts: [b], odd: 1}", "{"),
        "- {name: a, hosts: [b], fields: {odd: x}}",
        "- {name: a, hosts: [b], variants: {at: x, id: y, fields: {odd: z}}}",
    ],
)
def test_a_file_that_holds_no_maps_is_refused_in_one_line(text):
    with pytest.raises(LoadError, match=r"^maps.yaml is no list of host maps"):
        read_host_maps(text, "maps.yaml")


def test_the_maps_that_are_kept_with_the_code_can_be_read():
    assert {"walmart", "amazon", "ebay", "shopify page"} <= {
        one.name for one in host_maps()
    }


SHOPIFY = {
    **{"title": "Lamp", "vendor": "Acme", "price": 1299, "available": True},
    "variants": [
        {"id": 41, "price": 1299, "compare_at_price": 1999, "available": True},
        {"id": 42, "price": 1599, "available": False, "sku": "L-42"},
        {"id": 43, "price": 1299, "available": True},
    ],
}


@pytest.mark.parametrize(
    ("query", "price", "stock"),
    [
        ("?variant=41", "12.99", "in_stock"),
        ("?variant=42", "15.99", "out"),
        ("", "12.99", "in_stock"),
    ],
)
def test_whole_numbers_are_cents_where_the_map_says_so(query, price, stock):
    state = f"<script type='application/json' data-product-json>{json.dumps(SHOPIFY)}"
    page = read(
        head=f"{state}</script>", url=f"https://shop.example/products/lamp{query}"
    )
    assert (page.price, page.source) == (Decimal(price), "embedded-state")
    assert page.availability == stock


def test_variants_with_several_prices_are_a_range():
    state = {**SHOPIFY, "variants": [{"id": 1, "price": 900}, {"id": 2, "price": 950}]}
    text = f"<script type='application/json' data-product-json>{json.dumps(state)}"
    page = read(head=f"{text}</script>", url="https://shop.example/products/lamp")
    assert (page.price, page.has_range) == (None, True)


def test_the_state_of_a_large_shop_is_read_by_its_map():
    price = {"currentPrice": {"price": 67.97, "currencyUnit": "USD"}}
    product = {
        **{"name": "Lamp", "brand": "Acme", "availabilityStatus": "IN_STOCK"},
        "priceInfo": {**price, "wasPrice": {"price": 115.99}},
    }
    state = {"props": {"pageProps": {"initialData": {"data": {"product": product}}}}}
    head = script(state, "application/json").replace(
        "<script", '<script id="__NEXT_DATA__"'
    )
    page = read(head=head, url="https://www.walmart.com/ip/12345")
    assert (page.price, page.currency) == (Decimal("67.97"), "USD")
    assert (page.list_price, page.availability) == (Decimal("115.99"), "in_stock")


def test_selectors_of_a_shop_read_what_its_page_shows():
    body = (
        '<span id="productTitle"> Lamp </span><div id="corePrice_feature_div">'
        '<span class="a-price"><span class="a-offscreen">$13.44</span>'
        "<span>$13<sup>44</sup></span></span></div>"
        '<span class="basisPrice">List: <span class="a-offscreen">$20.00</span></span>'
        '<div id="availability">In Stock</div>'
        '<div id="mir-layout-DELIVERY_BLOCK">FREE delivery on orders over $35</div>'
    )
    page = read(body=body, url="https://www.amazon.com/dp/B000000001")
    assert (page.title, page.price, page.list_price) == (
        *("Lamp", Decimal("13.44")),
        Decimal("20.00"),
    )
    assert (page.currency, page.availability) == ("USD", "in_stock")
    assert (page.shipping, page.free_shipping_threshold) == (None, Decimal(35))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>$13<sup>44</sup></p>", "$13⁴⁴"),
        ("<p>$13<sup>44</sup> <sup>1</sup></p>", "$13⁴⁴"),
        ("<p><del>$20</del> $13</p>", "was $20 $13"),
        ("<p><span>$</span><span>13</span>.<span>44</span></p>", "$13.44"),
        ("<div><div>a</div><div>b</div></div>", "a b"),
        ("<p>a<script>b</script><style>c</style>&nbsp; d</p>", "a d"),
    ],
)
def test_the_text_of_a_tag_is_that_which_a_reader_sees(html, text):
    assert visible_text(LexborHTMLParser(html).body) == text


def test_a_broken_selector_reads_nothing():
    maps = "- {name: a, hosts: [shop.example], dom: {title: '[['}}"
    assert read_host_maps(maps, "maps")[0].dom == {"title": "[["}
    assert read(body=HEADING).title == "Lamp"
