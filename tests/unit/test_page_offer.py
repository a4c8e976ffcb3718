"""Which product and which offer of a page count (search 4.2 and 4.3)."""

from decimal import Decimal

import pytest
from shop_pages import URL, offer, product, read

from ingest.search.pages.json_ld import is_json_ld, parse_script

LAMP = '{"@type": "Product", "name": "Lamp"}'


@pytest.mark.parametrize(
    "script",
    [
        *(LAMP, f"{LAMP};", f"{LAMP};;\n", f"{LAMP} trailing junk", f"\ufeff{LAMP}"),
        *(f"<![CDATA[{LAMP}]]>", f"//<![CDATA[\n{LAMP}\n//]]>", f"<!-- {LAMP} -->"),
        *(f"/*<![CDATA[*/{LAMP}/*]]>*/", f"<!--//--><![CDATA[{LAMP}]]>"),
        LAMP.replace('"', "&quot;"),
        '{"@type": "Product", "name": "Lamp",}',
        '{"@type": "Product", "name": "La\tmp"}'.replace("\t", ""),
    ],
)
def test_a_script_is_read_in_spite_of_what_stands_around_it(script):
    assert parse_script(script) == [{"@type": "Product", "name": "Lamp"}]


def test_values_in_a_row_are_all_read_and_strings_stay_as_they_are():
    assert parse_script('{"a": 1}{"b": 2};[{"c": 3}]') == [
        {"a": 1},
        {"b": 2},
        [{"c": 3}],
    ]
    assert parse_script('{"a": "x,}", "b": [1,],}') == [{"a": "x,}", "b": [1]}]
    assert parse_script('{"a": "line\nbreak"}') == [{"a": "line\nbreak"}]
    assert parse_script('{"a": 0.10}') == [{"a": Decimal("0.10")}]


@pytest.mark.parametrize(
    "script",
    [
        *("", "{", '{"a": ', "var a = {};", "{'a': 1}", "12", '"text"', "null", "{]"),
        *("[" * 50_000, '{"a":' * 50_000, '{"a": ' + "9" * 5_000 + "}", '"' * 999),
        '{"price": 1e99999999999999999999}',
    ],
)
def test_what_is_no_json_is_nothing_and_never_an_exception(script):
    assert parse_script(script) == []


@pytest.mark.parametrize(
    ("kind", "is_read"),
    [
        ("application/ld+json", True),
        ("Application/LD+JSON", True),
        ("application/ld+json; charset=utf-8", True),
        (" application/ld+json ", True),
        ("application/json", False),
        (None, False),
    ],
)
def test_a_type_of_script_is_compared_without_case_and_charset(kind, is_read):
    assert is_json_ld(kind) == is_read


@pytest.mark.parametrize(
    "around",
    [
        lambda one: one,
        lambda one: [one],
        lambda one: {"@graph": [{"@type": "WebSite"}, one]},
        lambda one: {"@type": "WebPage", "mainEntity": one},
        lambda one: {**one, "@type": ["Product", "Thing"]},
        lambda one: {**one, "@type": "https://schema.org/Product"},
        lambda one: {"@type": "ItemList", "itemListElement": [{"item": one}]},
        lambda one: {"@graph": [{"mainEntity": {"@id": "#p"}}, {**one, "@id": "#p"}]},
        lambda one: {
            "@graph": [{**one, "offers": {"@id": "#o"}}, {**offer(), "@id": "#o"}]
        },
    ],
)
def test_a_product_is_found_wherever_it_stands(around):
    assert read(around(product(url=URL))).price == Decimal("12.99")


@pytest.mark.parametrize(
    ("more", "url"),
    [
        ({"url": "https://www.shop.example/p/lamp/?utm_source=x"}, URL),
        ({"@id": f"{URL}#product"}, URL),
        ({"sku": "LMP-0042"}, "https://shop.example/p/lmp-0042-lamp"),
        ({"gtin13": "4006381333931"}, "https://shop.example/p?ean=4006381333931"),
    ],
)
def test_of_several_products_the_one_of_the_address_counts(more, url):
    other = product(offer("5.00"), name="Shade", sku="SHD-1", url="/p/shade")
    page = read(other, product(**more), url=url)
    assert (page.title, page.price) == ("Lamp", Decimal("12.99"))


@pytest.mark.parametrize("way", ["isRelatedTo", "isSimilarTo"])
def test_related_products_are_beside_the_page(way):
    page = read(product(**{way: [product(offer("5.00"), name="Shade")]}))
    assert (page.title, page.price, page.warnings) == ("Lamp", Decimal("12.99"), ())


def test_a_list_of_products_is_not_the_product_of_the_page():
    items = [{"item": product(offer("5.00"), name=name)} for name in ("A", "B")]
    page = read({"@type": "ItemList", "itemListElement": items})
    assert (page.title, page.price) == ("Lamp", None)


def test_products_that_nothing_tells_apart_are_for_a_person():
    page = read(product(), product(offer("5.00"), name="Shade"))
    assert (page.price, page.warnings) == (None, ("product_ambiguous",))


@pytest.mark.parametrize(
    ("again", "warnings"), [("12.99", ()), ("9.99", ("price_conflict",))]
)
def test_a_product_that_is_named_twice_is_one(again, warnings):
    page = read(product(), product(offer(again)))
    assert (page.price, page.warnings) == (Decimal("12.99"), warnings)


def specified(*specs, **more):
    return {"@type": "Offer", "priceSpecification": list(specs), **more}


def spec(price, **more):
    return {
        **{"@type": "UnitPriceSpecification", "price": price, "priceCurrency": "USD"},
        **more,
    }


@pytest.mark.parametrize(
    ("offers", "price", "list_price"),
    [
        (specified(spec("9"), price="12", priceCurrency="USD"), "12", None),
        (specified(spec("12"), spec("20", priceType="ListPrice")), "12", "20"),
        (
            specified(
                spec("20", priceType="https://schema.org/StrikethroughPrice"),
                spec("12"),
            ),
            "12",
            "20",
        ),
        (specified(spec("9", priceType="MSRP"), spec("12")), "12", None),
        (specified(spec("9", priceType="SRP"), spec("12")), "12", None),
        (specified(spec("9", priceType="RegularPrice"), spec("12")), "12", None),
        (specified(spec("9", priceType="InvoicePrice"), spec("12")), "12", None),
        (
            specified(spec("9", priceType="MinimumAdvertisedPrice"), spec("12")),
            *("12", None),
        ),
        (specified(spec("9", priceType="MemberPrice"), spec("12")), "12", None),
        (specified(spec("9", validForMemberTier={}), spec("12")), "12", None),
        (specified(spec("0.5", referenceQuantity={}), spec("12")), "12", None),
        (specified(spec("1", billingDuration=12), spec("12")), "12", None),
        (specified(spec("14"), spec("12")), "12", None),
        (specified(spec("9", validThrough="2026-11-29"), spec("12")), "12", None),
        (specified(spec("9", validFrom="2026-12-01"), spec("12")), "12", None),
        (
            specified(spec("9", validThrough="2026-11-30T23:00:00Z"), spec("12")),
            *("9", None),
        ),
        (
            specified(spec("9", eligibleQuantity={"minValue": 10}), spec("12")),
            "12",
            None,
        ),
    ],
)
def test_of_specifications_the_standing_price_counts(offers, price, list_price):
    page = read(product(offers))
    assert (page.price, page.currency) == (Decimal(price), "USD")
    assert page.list_price == (list_price and Decimal(list_price))


@pytest.mark.parametrize(
    ("until", "warnings"),
    [
        ("2026-11-29", ("price_expired",)),
        ("2026-11-30", ()),
        ("2026-11-30T11:00:00+00:00", ("price_expired",)),
        ("2027-01-01", ()),
        ("soon", ()),
    ],
)
def test_a_price_that_has_ended_is_a_warning_and_not_rejected(until, warnings):
    page = read(product(offer(priceValidUntil=until)))
    assert (page.price, page.warnings) == (Decimal("12.99"), warnings)


@pytest.mark.parametrize(
    ("offers", "price"),
    [
        ([offer("12"), offer("12.00")], "12"),
        ([offer("12"), offer("13")], None),
        ([offer("12"), offer("13", availability="OutOfStock")], "12"),
        ([offer("12"), offer("11", priceCurrency="CAD")], "12"),
        ([offer("12"), offer("7", itemCondition="UsedCondition")], "12"),
        (
            [offer("12", availability="SoldOut"), offer("13", availability="SoldOut")],
            None,
        ),
        ({"@type": "AggregateOffer", "lowPrice": "9"}, None),
        ({"@type": "AggregateOffer", "lowPrice": "9", "offerCount": 1}, "9"),
        ({"@type": "AggregateOffer", "lowPrice": "9", "highPrice": "12"}, None),
        (
            {"lowPrice": "9", "highPrice": "12", "offers": [offer("9"), offer("9")]},
            "9",
        ),
        (
            {"lowPrice": "9", "highPrice": "12", "offers": [offer("9"), offer("12")]},
            None,
        ),
        (
            [
                offer("12", seller={"name": "Shop"}),
                offer("9", seller={"name": "Somebody else"}),
            ],
            "12",
        ),
        (
            [offer("12", seller={"name": "One"}), offer("9", seller={"name": "Two"})],
            None,
        ),
    ],
)
def test_several_offers_are_one_price_or_a_range(offers, price):
    page = read(product(offers))
    assert page.price == (price and Decimal(price))
    assert page.has_range == (price is None)


@pytest.mark.parametrize(
    "query", ["variant=42", "sku=ab-42", "skuId=ab-42", "var=42", "SKU=AB-42"]
)
def test_a_parameter_of_the_address_selects_the_offer(query):
    offers = [
        offer("12", sku="AB-41", productID="41"),
        offer("13", sku="AB-42", productID="42"),
    ]
    assert read(product(offers), url=f"{URL}?{query}").price == Decimal(13)


def test_a_variant_that_stands_on_the_page_itself_is_the_selected_one():
    group = {
        **{"@type": "ProductGroup", "productGroupID": "G1", "name": "Lamps"},
        "hasVariant": [product(offer("20"), name="Red lamp", url="/p/red")],
    }
    page = read(product(offer("15"), name="Blue lamp", isVariantOf=group))
    assert (page.title, page.price) == ("Blue lamp", Decimal(15))


def test_variants_that_name_their_group_are_one_product():
    group = {"@type": "ProductGroup", "productGroupID": "G1", "name": "Lamps"}
    members = [
        product(offer(price), name=name, url=f"/p/{name}", isVariantOf=group)
        for name, price in (("red", "20"), ("blue", "15"))
    ]
    assert read(*members, url="https://shop.example/p/blue").price == Decimal(15)
    assert read(*members, url="https://shop.example/p/x").has_range


@pytest.mark.parametrize(
    ("details", "shipping", "threshold"),
    [
        ({"shippingRate": {"value": "4.99", "currency": "USD"}}, "4.99", None),
        ({"shippingRate": {"value": 0, "currency": "USD"}}, "0", None),
        ({"shippingRate": {"value": "4.99", "currency": "EUR"}}, None, None),
        (
            {
                "shippingRate": {"value": "4.99", "currency": "USD"},
                "freeShippingThreshold": {"value": "35", "currency": "USD"},
            },
            *("4.99", "35"),
        ),
        (
            {
                "shippingRate": {"value": 0, "currency": "USD"},
                "freeShippingThreshold": {"value": "35", "currency": "USD"},
            },
            *(None, "35"),
        ),
        (
            {
                "shippingRate": {"value": "4.99", "currency": "USD"},
                "shippingDestination": {"addressCountry": "CA"},
            },
            *(None, None),
        ),
        (
            {
                "shippingRate": {"value": "4.99", "currency": "USD"},
                "shippingDestination": {"addressCountry": "US", "addressRegion": "AK"},
            },
            *(None, None),
        ),
    ],
)
def test_shipping_in_data_is_that_of_a_buyer_in_new_york(details, shipping, threshold):
    page = read(product(offer(shippingDetails=details)))
    assert page.shipping == (shipping and Decimal(shipping))
    assert page.free_shipping_threshold == (threshold and Decimal(threshold))


def test_a_shop_that_does_not_ship_to_the_buyer_is_named():
    details = {"shippingDestination": {"addressCountry": "US"}, "doesNotShip": True}
    page = read(product(offer(shippingDetails=details)))
    assert page.warnings == ("does_not_ship",)
