"""Which addresses pages are fetched from."""

import httpx
import pytest

from ingest.web_address import LONGEST_URL, is_public, read_url


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.9.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.9.9"),
        *("192.168.1.1", "169.254.169.254", "169.254.0.1", "100.64.0.1", "100.127.9.9"),
        *("100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1"),
        *("240.0.0.1", "255.255.255.255", "192.0.2.1", "::", "::1", "fe80::1"),
        *("fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1"),
        *(
            "2001:db8::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:10.0.0.1",
        ),
        *("::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1"),
        *("2002:7f00:1::", "2002:808:808::", "2001:0:808:808::1", "2600::5efe:7f00:1"),
        *(
            "2600::200:5efe:808:808",
            "",
            "localhost",
            "127.1",
            "0x7f000001",
            "1.2.3.4.5",
        ),
    ],
)
def test_an_address_inside_is_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("8.8.8.8", "93.184.215.14", "100.63.0.1", "100.128.0.1", "172.32.0.1"),
        *("2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"),
    ],
)
def test_an_address_of_the_internet_is_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("", "scheme_refused"),
        ("shop.example/p", "scheme_refused"),
        ("file:///etc/passwd", "scheme_refused"),
        ("ftp://shop.example/", "scheme_refused"),
        ("gopher://shop.example/", "scheme_refused"),
        ("javascript:alert(1)", "scheme_refused"),
        ("http://user@shop.example/", "userinfo_refused"),
        ("http://user:password@shop.example/", "userinfo_refused"),
        ("http://shop.example:password@10.0.0.1/", "userinfo_refused"),
        ("http://shop.example:22/", "port_refused"),
        ("http://shop.example:443/", "port_refused"),
        ("https://shop.example:80/", "port_refused"),
        ("https://shop.example:8443/", "port_refused"),
        ("http://shop.example:99999/", "port_refused"),
        ("http://localhost/", "host_refused"),
        ("http://localhost./", "host_refused"),
        ("http://intranet/", "host_refused"),
        ("http://printer.local/", "host_refused"),
        ("http://metadata.google.internal/", "host_refused"),
        ("http://127.0.0.1/", "address_refused"),
        ("http://169.254.169.254/latest/meta-data/", "address_refused"),
        ("http://[::1]/", "address_refused"),
        ("http://[::ffff:127.0.0.1]/", "address_refused"),
        ("http://[fd00:ec2::254]/", "address_refused"),
        ("http://[fe80::1%25eth0]/", "address_refused"),
        ("http://2130706433/", "url_unreadable"),
        ("http://0x7f.1/", "url_unreadable"),
        ("http://0x7f000001/", "url_unreadable"),
        ("http://127.1/", "url_unreadable"),
        ("http://0177.0.0.1/", "url_unreadable"),
        ("http://①②⑦.⓪.⓪.①/", "url_unreadable"),
        ("http:///p", "url_unreadable"),
        ("http://shop.example\\@10.0.0.1/", "url_unreadable"),
        ("http://shop.example/\r\nHost: x", "url_unreadable"),
        (" http://shop.example/", "url_unreadable"),
        ("http://shop.example/\x00", "url_unreadable"),
        ("http://shop.example/" + "a" * LONGEST_URL, "url_unreadable"),
    ],
)
def test_an_address_is_refused_by_the_name_of_its_fault(url, error):
    assert read_url(url) == error


@pytest.mark.parametrize(
    "url",
    [
        *(
            "http://shop.example/p",
            "https://shop.example:443/p",
            "HTTPS://SHOP.EXAMPLE",
        ),
        *(
            "https://münchen.example/",
            "https://8.8.8.8/",
            "https://shop.example/p#/1-s",
        ),
        "https://[2606:4700::1111]/",
    ],
)
def test_an_address_of_a_shop_may_be_asked(url):
    assert isinstance(read_url(url), httpx.URL)


def test_an_allowed_place_may_be_asked_on_its_port_alone():
    allow = {"127.0.0.1:8123", "shop.localhost:8123"}
    assert isinstance(read_url("http://127.0.0.1:8123/p", allow), httpx.URL)
    assert isinstance(read_url("http://shop.localhost:8123/p", allow), httpx.URL)
    assert read_url("http://127.0.0.1:8124/p", allow) == "port_refused"
    assert read_url("http://user@127.0.0.1:8123/p", allow) == "userinfo_refused"
    assert read_url("ftp://127.0.0.1:8123/p", allow) == "scheme_refused"
