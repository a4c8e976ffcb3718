"""Whole pages: rows of search 10.1, and sources merged field by field (4.1)."""

from decimal import Decimal

import pytest
from shop_pages import HEADING, NOW, URL, meta, offer, product, read

from ingest.search.pages.page import read_page


def variant(size, price, **more):
    return product(
        offer(price), name=f'TV {size}"', size=size, sku=f"TV{size}X", **more
    )


TVS = {
    **{"@type": "ProductGroup", "name": "TV", "brand": {"name": "Acme"}},
    "hasVariant": [
        variant("43", 319.50, url="https://shop.example/tv?model=43"),
        variant("55", 429.50, url="https://shop.example/tv?model=55"),
    ],
}


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        pytest.param("3.350", "3.35", id="row 4, three decimals"),
        pytest.param("140.000", "140", id="row 4, zeros"),
        pytest.param("$16,980", "16980", id="row 5, mark and thousands"),
    ],
)
def test_a_price_in_data_is_read_by_the_grammar_of_data(price, expected):
    assert read(product(offer(price))).price == Decimal(expected)


def test_row_5_a_low_price_with_a_dollar_sign():
    offers = {"@type": "AggregateOffer", "lowPrice": "$35", "highPrice": "$35"}
    page = read(product(offers))
    assert (page.price, page.currency) == (Decimal("35.00"), "USD")


def test_row_6_one_price_in_two_spellings_is_no_conflict():
    head = meta(product__price__amount="2879.20", product__price__currency="USD")
    page = read(product(offer(2879.2)), head=head)
    assert (page.price, page.source) == (Decimal("2879.20"), "json-ld")
    assert page.warnings == ()


def test_row_7_a_script_with_junk_behind_it_hides_neither_itself_nor_others():
    page = read(
        '{"@type": "Product", "name": "Lamp", "offers": {"price": "12.99",'
        ' "priceCurrency": "USD"}};',
        '{"@type": "BreadcrumbList", broken',
    )
    assert page.price == Decimal("12.99")
    assert page.warnings == ("jsonld_unparsable",)


def test_row_8_an_aggregate_whose_ends_meet_is_a_price():
    offers = {
        **{"@type": "AggregateOffer", "lowPrice": 13, "highPrice": 13},
        **{"priceCurrency": "USD", "availability": "https://schema.org/InStock"},
        "offers": [
            {"@type": "Offer", "price": 13},
            {"@type": "Offer", "price": "13.00"},
        ],
    }
    page = read(product(offers))
    assert (page.price, page.currency) == (Decimal("13.00"), "USD")
    assert (page.availability, page.has_range) == ("in_stock", False)


def test_row_9_an_offer_whose_ends_differ_is_a_range():
    offers = {"@type": "Offer", "lowPrice": 13, "highPrice": 19, "priceCurrency": "USD"}
    page = read(product(offers))
    assert (page.price, page.has_range, page.source) == (None, True, None)


def test_row_10_a_product_in_a_graph_of_another_currency_sold_out():
    offers = [{"@type": "Offer", "price": "1175", "priceCurrency": "EGP"}]
    offers[0]["availability"] = "http://schema.org/OutOfStock"
    page = read({"@graph": [{"@type": "WebPage"}, product(offers)]})
    assert (page.price, page.currency) == (Decimal(1175), "EGP")
    assert page.availability == "out"


def test_row_11_an_instalment_is_not_the_price():
    unit = {"@type": "UnitPriceSpecification", "price": 37.50, "billingDuration": 24}
    whole = {"@type": "UnitPriceSpecification", "price": 899.99}
    offers = {
        "@type": "Offer",
        "priceCurrency": "USD",
        "priceSpecification": [unit, whole],
    }
    body = f'{HEADING}<div class="price">$37.50/mo. for 24 months or $899.99</div>'
    page = read(product(offers), body=body)
    assert (page.price, page.warnings) == (Decimal("899.99"), ())


@pytest.mark.parametrize(
    "url", ["https://shop.example/tv?model=55", "https://shop.example/tv?sku=tv55x"]
)
def test_row_11_the_address_selects_the_variant(url):
    page = read(TVS, url=url)
    assert (page.price, page.has_range) == (Decimal("429.50"), False)
    assert (page.title, page.sku, page.brand) == ('TV 55"', "TV55X", "Acme")
    assert page.variant == {"size": "55", "color": None}


def test_row_11_no_variant_selected_is_a_range():
    page = read(TVS, url="https://shop.example/tv")
    assert (page.price, page.has_range) == (None, True)


@pytest.mark.parametrize(
    "shown",
    [
        '<p class="price">$9.99</p>',
        '<p class="price"><del>$12.99</del> <ins>$9.99</ins></p>',
        '<span id="sale-price">$9<sup>99</sup></span>',
        '<p class="price">Was $12.99 Now $9.99</p>',
    ],
)
def test_row_12_a_lower_price_on_the_page_is_a_conflict(shown):
    page = read(product(), body=HEADING + shown)
    assert (page.price, page.source) == (Decimal("12.99"), "json-ld")
    assert page.warnings == ("price_conflict",)


@pytest.mark.parametrize(
    "shown",
    [
        '<p class="price">$12.99</p>',
        '<p class="price">$12<sup>99</sup> ($0.50/oz)</p>',
        '<p class="price">$12.99</p><div class="related"><p class="price">$5</p></div>',
        '<p class="price">$12.99</p><p class="price">Subscribe &amp; Save $9.99</p>',
        '<p class="price">-$5.00</p>',
    ],
)
def test_the_same_price_on_the_page_is_no_conflict(shown):
    assert read(product(), body=HEADING + shown).warnings == ()


def test_row_13_a_coupon_is_no_price():
    body = '<h1 itemprop="name">Lamp</h1><p class="price">-5,00 €</p>'
    assert read(body=body).price is None


def test_row_14_price_list_price_and_shipping_stand_apart():
    body = (
        '<h1 class="x-item-title">Lamp</h1><div class="x-price-primary">Now $67.97'
        " <s>$115.99</s> + $6.99 shipping</div>"
    )
    page = read(url="https://www.ebay.com/itm/123456789012", body=body)
    assert (page.price, page.list_price) == (Decimal("67.97"), Decimal("115.99"))
    assert page.source == "dom"


@pytest.mark.parametrize(
    ("text", "shipping"),
    [
        pytest.param("Shipping calculated at checkout", None, id="row 15, no amount"),
        pytest.param("FAST, FREE SHIPPING", "0.00", id="row 15, free"),
        ("$4.99 shipping", "4.99"),
    ],
)
def test_shipping_beside_the_product_is_read_or_unknown(text, shipping):
    body = f'{HEADING}<p class="shipping-info">{text}</p>'
    assert read(product(), body=body).shipping == (shipping and Decimal(shipping))


@pytest.mark.parametrize(
    "body",
    ["", "<p>Loading</p>", "<p>Price: $0.00</p>", "<script>start()</script>"],
)
def test_row_16_a_page_without_a_product_title_is_blocked(body):
    page = read(body=body, head="<title>shop.example</title>")
    assert (page.state, page.price) == ("blocked", None)
    assert page.availability == "unknown"


def test_row_30_a_fragment_selects_the_variant():
    sizes = [
        variant("3m", "19.00", url="/canopy.html#/4950-size-3m"),
        variant("2.6m", "15.00", url="/canopy.html#/4951-size-2_6m"),
    ]
    group = {"@type": "ProductGroup", "name": "Canopy", "hasVariant": sizes}
    page = read(group, url="https://shop.example/canopy.html#/4951-size-2_6m")
    assert page.price == Decimal("15.00")
    assert page.final_url.endswith("#/4951-size-2_6m")


def test_a_fragment_that_the_page_cannot_have_seen_is_for_a_person():
    page = read(product(), url=f"{URL}#/4951-size-2_6m")
    assert page.warnings == ("variant_unconfirmed",)
    assert read(product(), url=f"{URL}#reviews").warnings == ()


def test_sources_are_merged_field_by_field():
    data = {"@type": "Product", "name": "Lamp", "offers": {"price": "12.99"}}
    head = meta(product__price__currency="USD", product__availability="instock") + meta(
        og__image="/lamp.jpg", product__brand="Acme", og__title="Lamp | Shop"
    )
    page = read(data, head=head, body="<h1>Our lamp</h1>")
    assert (page.title, page.brand) == ("Lamp", "Acme")
    assert (page.price, page.currency) == (Decimal("12.99"), "USD")
    assert page.availability == "in_stock"
    assert page.image_url == "https://shop.example/lamp.jpg"
    assert page.source == "json-ld+og-image"


def test_two_sources_with_two_prices_are_a_conflict_that_the_first_wins():
    head = meta(product__price__amount="11.99", product__price__currency="USD")
    page = read(product(), head=head)
    assert (page.price, page.warnings) == (Decimal("12.99"), ("price_conflict",))


def test_a_range_is_not_settled_by_a_source_that_is_believed_less():
    head = meta(product__price__amount="319.50", product__price__currency="USD")
    page = read(TVS, url="https://shop.example/tv", head=head)
    assert (page.price, page.has_range) == (None, True)


def test_microdata_and_rdfa_are_read_where_there_is_nothing_else():
    microdata = (
        '<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Lamp'
        '</h1><div itemprop="offers" itemscope itemtype="http://schema.org/Offer">'
        '<span itemprop="price" content="12.99">twelve</span><meta itemprop='
        '"priceCurrency" content="USD"><link itemprop="availability" href='
        '"https://schema.org/InStock"></div></div>'
    )
    rdfa = (
        microdata.replace("itemprop", "property")
        .replace('itemscope itemtype="https://schema.org/Product"', 'typeof="Product"')
        .replace(
            'itemscope itemtype="http://schema.org/Offer"', 'typeof="schema:Offer"'
        )
    )
    for body in (microdata, rdfa):
        page = read(body=body)
        assert (page.title, page.price) == ("Lamp", Decimal("12.99"))
        assert (page.currency, page.availability) == ("USD", "in_stock")
        assert page.source == "microdata"


def test_open_graph_alone_is_a_source():
    head = meta(
        **{"og__title": "Lamp", "og__image": "/a.jpg", "product__condition": "used"},
        **{"product__price__amount": "12.99", "product__price__currency": "usd"},
    )
    page = read(head=head, body="")
    assert (page.price, page.currency, page.source) == (
        *(Decimal("12.99"), "USD"),
        "opengraph",
    )
    assert page.condition == "not_new"


def test_a_whole_price_a_hundred_times_another_is_in_cents():
    head = meta(product__price__amount="12.99", product__price__currency="USD")
    page = read(product(offer(1299)), head=head)
    assert (page.price, page.warnings) == (Decimal("12.99"), ("cents_suspected",))


@pytest.mark.parametrize(
    ("lang", "url", "currency"),
    [
        ("en-US", URL, "USD"),
        ("en", URL, "USD"),
        ("en-CA", URL, None),
        ("", "https://shop.ca/p", None),
        ("", "https://shop.example/en-au/p", None),
        ("", "https://shop.us/p", "USD"),
    ],
)
def test_a_bare_dollar_sign_is_usd_on_a_us_page_alone(lang, url, currency):
    data = {"@type": "Product", "name": "Lamp", "offers": {"price": "$12.99"}}
    assert read(data, lang=lang, url=url).currency == currency


def test_the_pack_and_the_condition_are_read_from_the_title():
    page = read(product(name="Cola 12 fl oz, 24 Pack (Renewed)"))
    assert (page.pack.count, page.pack.unit_size) == (24, "12")
    assert page.condition == "not_new"


def test_a_page_of_json_alone_is_read_by_the_map_of_its_software():
    text = (
        '{"title": "Lamp", "vendor": "Acme", "price": 1299, "available": true,'
        ' "variants": [{"id": 7, "price": 1299, "available": true, "sku": "L-1"},'
        ' {"id": 8, "price": 1499, "available": false, "sku": "L-2"}]}'
    )
    url = "https://shop.example/products/lamp.js?variant=8"
    page = read_page(text, url, now=NOW)
    assert (page.title, page.price, page.sku) == ("Lamp", Decimal("14.99"), "L-2")
    assert (page.availability, page.source) == ("out", "embedded-state")
