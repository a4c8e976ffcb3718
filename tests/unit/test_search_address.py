"""One address per product page: what is kept, what goes, and whose hosts are public."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.search.address import canonical, host_of, is_public

PIECES = (
    "www.",
    "a",
    "b-",
    ".",
    "/",
    "shop",
    ".com",
    "ebay",
    "0x7f",
    "127.1",
    ".local",
)

few = settings(max_examples=150, deadline=None, derandomize=True)

# search.md 5.6 in its order
DROPPED = (
    *("utm_source", "utm_anything", "gclid", "fbclid", "msclkid", "srsltid", "ref"),
    *("ref_", "tag", "ascsubtag", "aff", "aff_id", "affiliate", "irclickid", "cjevent"),
    *("_pos", "_sid", "epik"),
)
KEPT = (
    *("variant", "sku", "skuId", "pid", "color", "size", "var", "th", "psc", "smid"),
    "m",
)

SAME_PAGE = [
    ("http://www.Shop.com/a/", "https://shop.com/a"),
    ("HTTPS://user:secret@shop.com:8443/a", "https://shop.com/a"),
    ("https://shop.com/", "https://shop.com"),
    ("https://shop.com./a", "https://shop.com/a"),
    ("  https://shop.com/a\n", "https://shop.com/a"),
    ("https://shop.com/a?b=2&a=1", "https://shop.com/a?a=1&b=2"),
    ("https://shop.com/a?UTM_Source=x&b=2", "https://shop.com/a?b=2"),
    ("https://shop.com/a#reviews", "https://shop.com/a"),
    ("https://shop.com/a#/", "https://shop.com/a"),
    ("https://shop.com/A/b", "https://shop.com/A/b"),
    # search.md 10.1, row 30
    (
        "https://shop.com/dress.html#/4951-size-2_6m",
        "https://shop.com/dress.html#/4951-size-2_6m",
    ),
    # RFC 3986, 6.2.2: escapes of plain characters, and the case of the others
    ("https://shop.com/%7ea%2fb", "https://shop.com/~a%2Fb"),
    ("https://shop.com/caf\u00e9 au lait", "https://shop.com/caf%C3%A9%20au%20lait"),
    ("https://b\u00fccher.com/a", "https://xn--bcher-kva.com/a"),
    ("https://shop.com/50%", "https://shop.com/50%25"),
]


@pytest.mark.parametrize(("written", "known_as"), SAME_PAGE)
def test_spellings_of_a_page_are_one_address(written, known_as):
    assert canonical(written) == known_as


@pytest.mark.parametrize("name", DROPPED)
def test_a_tracking_parameter_goes(name):
    assert canonical(f"https://shop.com/a?{name}=1&b=2") == "https://shop.com/a?b=2"


@pytest.mark.parametrize("name", KEPT)
def test_a_parameter_of_variant_or_seller_stays(name):
    url = f"https://shop.com/a?{name}=1"
    assert canonical(url) == url


# the host's rule wins over the list of what is kept (search.md 13)
NUMBERED = [
    ("https://www.amazon.com/Oat-Milk/dp/b00abc1234/ref=sr_1_2?th=1&psc=1", "amazon"),
    ("https://amazon.com/gp/product/B00ABC1234?tag=x-20&size=L", "amazon"),
    ("https://amazon.com/dp/B00ABC1234#/size-l", "amazon"),
    ("https://www.walmart.com/ip/Oat-Milk-12-Pack/123456?variant=2", "walmart"),
    ("https://walmart.com/ip/123456", "walmart"),
    ("https://www.ebay.com/itm/Oat-Milk/123456?hash=item1&_trkparms=2", "ebay"),
    ("https://ebay.com/itm/123456/", "ebay"),
    ("https://www.target.com/p/oat-milk/-/A-123456?preselect=9#lnk", "target"),
    ("https://target.com/p/-/A-123456", "target"),
]
KNOWN_AS = {
    "amazon": "https://amazon.com/dp/B00ABC1234",
    "walmart": "https://walmart.com/ip/123456",
    "ebay": "https://ebay.com/itm/123456",
    "target": "https://target.com/A-123456",
}


@pytest.mark.parametrize(("written", "shop"), NUMBERED)
def test_a_page_of_a_large_shop_is_known_by_its_number(written, shop):
    assert canonical(written) == KNOWN_AS[shop]


def test_seller_and_variant_stay_where_the_rule_of_the_host_says_so():
    url = "https://www.amazon.com/x/dp/B00ABC1234?th=1&smid=A1B2&tag=y"
    assert canonical(url) == "https://amazon.com/dp/B00ABC1234?smid=A1B2"
    url = "https://www.ebay.com/itm/123456?var=77&amdata=enc"
    assert canonical(url) == "https://ebay.com/itm/123456?var=77"
    # Amazon of another country is another shop
    assert canonical("https://amazon.co.uk/dp/B00ABC1234").startswith(
        "https://amazon.co.uk/"
    )


@pytest.mark.parametrize(
    "url",
    [
        "https://notamazon.com/dp/B00ABC1234?th=1",
        "https://amazon.com.shop.com/dp/B00ABC1234?th=1",
        "https://amazon.com/stores/page?th=1",
        "https://shop.com/ip/x/123456?a=1",
        "https://walmart.com/ip/oat-milk?a=1",
    ],
)
def test_rules_of_a_host_hold_for_its_product_pages_only(url):
    assert canonical(url) == url


@pytest.mark.parametrize(
    "url",
    [
        *("", "oat milk", "shop.com/a", "//shop.com/a", "https://", "https:///a"),
        *("ftp://shop.com/a", "javascript:alert(1)", "data:text/html,x", "file:///etc"),
        *(
            "https://localhost/a",
            "https://shop/a",
            "https://nas.local/",
            "http://[::1]",
        ),
        *("http://127.0.0.1/a", "http://10.0.0.8/a", "http://169.254.169.254/latest"),
        *(
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.0.0.1/",
            "http://0.0.0.0",
        ),
        *("https://a b.com/", "https://-.com", "https://metadata.google.internal/"),
        *("https://[bad", "https://shop..com/a", "https://x@:80/"),
    ],
)
def test_what_is_no_page_of_a_public_host_is_refused(url):
    with pytest.raises(ValueError, match=r"is no address|is on no public host") as told:
        canonical(url)
    assert "\n" not in str(told.value)


def test_hosts_are_read_without_www():
    assert host_of("https://www.Shop.com:80/a") == "shop.com"
    assert host_of("https://www.com/a") == "www.com"
    assert host_of("no address") == ""
    assert host_of("https://[bad") == ""
    assert is_public("larder.example")
    assert is_public("93.184.215.14")
    assert not is_public("")


_text = st.text(st.characters(codec="utf-8"), max_size=12)
_names = st.sampled_from((*DROPPED, *KEPT, "q", "%7e", "A"))
_hosts = st.sampled_from(
    ("shop.com", "www.Shop.com:81", "u:p@amazon.com", "smile.amazon.de", "ebay.co.uk")
)
_paths = st.one_of(
    _text,
    st.sampled_from(("dp/b00abc1234/x", "itm/7/", "p/-/A-7", "ip/a/7", "a//b//", "%")),
)
_queries = st.lists(st.tuples(_names, _text), max_size=4)


@st.composite
def addresses(draw: st.DrawFn) -> str:
    query = "&".join(f"{name}={value}" for name, value in draw(_queries))
    fragment = draw(st.sampled_from(("", "#/", "#/a", "#b", "#/%zz", "#//")))
    return f"http://{draw(_hosts)}/{draw(_paths)}?{query}{fragment}"


@few
@given(addresses())
def test_an_address_is_its_own_canonical_form(url):
    try:
        once = canonical(url)
    except ValueError:
        return
    assert canonical(once) == once
    # what the warehouse takes, and nothing that needs escaping
    assert re.fullmatch(r"https://[a-z0-9.-]+([/?#][!-~]*)?", once)


@few
@given(st.permutations(["a=1", "b=2", "size=L", "utm_id=9", "b=1"]))
def test_the_order_of_parameters_names_no_other_page(order):
    url = f"https://shop.com/x?{'&'.join(order)}"
    assert canonical(url) == "https://shop.com/x?a=1&b=1&b=2&size=L"


@few
@given(st.lists(st.sampled_from(PIECES), max_size=7))
def test_the_short_way_gives_what_the_long_one_gives(pieces):
    url = f"https://{''.join(pieces)}"
    # a parameter that tracks goes the long way, and goes
    found = []
    for one in (url, f"{url}?utm_source=x"):
        try:
            found.append(canonical(one))
        except ValueError:
            found.append(None)
    assert found[0] == found[1]
