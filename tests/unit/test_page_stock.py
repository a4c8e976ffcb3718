"""Stock, condition, walls and dead links (search 4.5 and 7.1)."""

from decimal import Decimal

import pytest
from shop_pages import HEADING, NOW, URL, offer, product, read

from ingest.search.pages.page import read_fetched, read_page
from ingest.search.pages.state import page_text
from ingest.search.pages.stock import availability, condition
from ingest.web import Fetched

TABLE = {
    "in_stock": (
        "InStock",
        "LimitedAvailability",
        "OnlineOnly",
        "available",
        "limited",
    ),
    "not_now": ("BackOrder", "PreOrder", "PreSale", "MadeToOrder"),
    "out": (
        *("OutOfStock", "SoldOut", "Discontinued", "Reserved", "unavailable", "oos"),
    ),
    "store_only": ("InStoreOnly",),
    "unknown": ("", "soon", None, 1, [], "In stock soon"),
}


@pytest.mark.parametrize(
    ("word", "result"), [(word, result) for result in TABLE for word in TABLE[result]]
)
def test_a_word_of_the_table_has_its_result(word, result):
    assert availability(word) == result


@pytest.mark.parametrize(
    "word",
    [
        *("http://schema.org/InStock", "https://schema.org/InStock", "InStock"),
        *(
            "in stock",
            "instock",
            "in_stock",
            "IN-STOCK",
            " In Stock ",
            "schema.org/InStock",
        ),
    ],
)
def test_one_word_in_its_spellings_is_one_word(word):
    assert availability(word) == "in_stock"


@pytest.mark.parametrize(
    ("word", "title", "expected"),
    [
        (None, "Lamp", "new"),
        ("https://schema.org/NewCondition", "Lamp", "new"),
        ("UsedCondition", "Lamp", "not_new"),
        ("RefurbishedCondition", "Lamp", "not_new"),
        ("DamagedCondition", "Lamp", "not_new"),
        ("odd", "Lamp", "not_new"),
        (None, "Lamp (Renewed)", "not_new"),
        (None, "Refurbished Lamp", "not_new"),
        (None, "Open Box: Lamp", "not_new"),
        (None, "Pre-Owned Lamp", "not_new"),
        (None, "Lamp - Used", "not_new"),
        (None, "Lamp, Grade A", "not_new"),
        (None, "Used by athletes: towel", "new"),
        (None, "Towel used by athletes", "new"),
        (None, "Grade A Maple Syrup", "new"),
    ],
)
def test_a_product_is_new_unless_its_page_or_title_says_otherwise(
    word, title, expected
):
    assert condition(word, title) == expected


@pytest.mark.parametrize(
    "shown",
    [
        "<button disabled>Add to cart</button>",
        '<input type="submit" value="Buy it now" disabled>',
        '<button aria-disabled="true">Add to Bag</button>',
        '<div id="availability">Currently unavailable.</div>',
        "<button>Sold out</button>",
    ],
)
def test_the_page_contradicts_its_data_in_the_negative_direction(shown):
    assert read(product(), body=HEADING + shown).availability == "out"


@pytest.mark.parametrize(
    "shown",
    [
        "<button>Add to cart</button>",
        "<button>Add to cart</button><button disabled>Add to cart</button>",
        '<div class="related"><button disabled>Add to cart</button></div>',
        '<div class="stock">In stock</div>',
    ],
)
def test_the_page_never_contradicts_its_data_in_the_positive_direction(shown):
    sold = product(offer(availability="SoldOut"))
    assert read(sold, body=HEADING + shown).availability == "out"
    assert read(product(), body=HEADING + shown).availability == "in_stock"


def test_a_page_that_says_in_stock_settles_what_its_data_leave_open():
    data = product(offer(availability=None))
    assert read(data).availability == "unknown"
    body = f'{HEADING}<p class="stock">In stock.</p>'
    assert read(data, body=body).availability == "in_stock"


@pytest.mark.parametrize(
    "words",
    [
        *("Please solve this CAPTCHA", "Robot Check", "Access Denied"),
        *("Verify you are human", "Verify that you are a human", "Just a moment..."),
    ],
)
def test_a_wall_is_blocked_and_neither_sold_out_nor_free(words):
    page = read(body=f"<h1>Shop</h1><p>{words}</p><p>$0.00</p>")
    assert (page.state, page.price, page.availability) == ("blocked", None, "unknown")


def test_a_product_page_that_mentions_a_captcha_is_a_product_page():
    page = read(product(), body=f"{HEADING}<p>This site is protected by a captcha.</p>")
    assert (page.state, page.price) == ("ok", Decimal("12.99"))
    assert read(body=f"{HEADING}<p>Protected by reCAPTCHA.</p>").state == "ok"


@pytest.mark.parametrize(
    ("status", "state"),
    [
        *(
            (200, "ok"),
            (404, "dead"),
            (410, "dead"),
            (401, "blocked"),
            (403, "blocked"),
        ),
        *((429, "blocked"), (503, "blocked"), (500, "unreadable"), (502, "unreadable")),
        *((302, "unreadable"), (None, "unreadable")),
    ],
)
def test_a_status_makes_a_state_and_no_fields(status, state):
    page = read(product(), status=status)
    assert (page.state, page.http_status) == (state, status)
    assert (page.price is not None) == (state == "ok")


@pytest.mark.parametrize(
    "final_url",
    [
        *(
            "https://shop.example/",
            "https://shop.example",
            "https://shop.example/en-us/",
        ),
        *("https://shop.example/index.html", "https://shop.example/search?q=lamp"),
        *("https://shop.example/s?k=lamp", "https://shop.example/category/lamps"),
        *("https://shop.example/collections/lamps", "https://shop.example/c/lamps-12"),
        *("https://shop.example/products", "https://other.example/?gone=1"),
    ],
)
def test_a_redirect_to_a_home_category_or_search_page_is_a_dead_link(final_url):
    assert read(final_url=final_url).state == "dead"


@pytest.mark.parametrize(
    ("url", "final_url"),
    [
        (URL, "https://www.shop.example/p/lamp/"),
        ("http://shop.example/p/lamp", URL),
        (URL, "https://shop.example/collections/lamps/products/lamp"),
        (URL, "https://shop.example/p/other-lamp"),
        ("https://shop.example/?product=1", "https://shop.example/en-us/"),
    ],
)
def test_a_redirect_to_a_product_is_no_dead_link(url, final_url):
    page = read(url=url, final_url=final_url)
    assert (page.state, page.final_url) == ("ok", final_url)


def test_a_list_page_that_sells_the_product_is_no_dead_link():
    page = read(product(), final_url="https://shop.example/store/lamp")
    assert page.state == "ok"


def test_a_fetched_page_is_read_and_one_that_did_not_arrive_is_not():
    whole = Fetched(
        URL, URL, 200, {"content-type": "text/html"}, "<h1>Lámp</h1>".encode()
    )
    assert read_fetched(whole, NOW).title == "Lámp"
    cut = read_fetched(Fetched(URL, URL, 200, error="cut_short"), NOW)
    assert (cut.state, cut.warnings) == ("unreadable", ("cut_short",))


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("é".encode(), ""),
        ("é".encode("latin-1"), "text/html; charset=ISO-8859-1"),
        (b'<meta charset="windows-1252">' + b"\xe9", "text/html"),
        ("é".encode("utf-8-sig"), "text/html; charset=latin-1"),
        ("é".encode("utf-16"), ""),
        ("é".encode(), "text/html; charset=rot13"),
        ("é".encode(), "text/html; charset=nonsense"),
    ],
)
def test_a_page_is_decoded_by_what_it_says_of_itself(body, content_type):
    assert page_text(body, content_type).endswith("é")


def test_bytes_that_are_no_text_are_read_all_the_same():
    text = page_text(bytes(range(256)) * 9, "")
    assert read_page(text, URL, now=NOW).state == "blocked"
