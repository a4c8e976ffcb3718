"""Fetching pages over real sockets: what is refused, capped, cut and kept apart."""

import asyncio
import gzip
import time
import zlib

import pytest
from page_server import answer, redirect, serve

from ingest.web import Limits, fetch, new_client

QUICK = Limits(size=100_000, seconds=5.0)
PAGE = b"<html><title>Shop</title></html>"


def get(url, server=None, resolve=None, limits=QUICK, allow=None):
    """Fetch with a resolver that knows every name as loopback."""
    if allow is None:
        allow = {server.place} if server else set()
    return asyncio.run(
        fetch(url, resolve=resolve or loopback, limits=limits, allow=allow)
    )


async def loopback(host, port):
    return [host if host.replace(".", "").isdigit() else "127.0.0.1"]


def shop(server, path="/p", host="shop.localhost"):
    return f"http://{host}:{server.port}{path}"


def allowed(server):
    return {server.place, f"shop.localhost:{server.port}"}


def test_a_page_arrives_whole_with_its_status():
    with serve(lambda _: [answer(PAGE, "404 Not Found", ("X-Kind: a",))]) as server:
        url = f"http://{server.place}/p?a=1#/12-red"
        fetched = get(url, server)
    assert (fetched.status, fetched.body, fetched.error) == (404, PAGE, None)
    assert (fetched.url, fetched.final_url, fetched.hops) == (url, url, (url,))
    assert fetched.headers["x-kind"] == "a"
    assert server.paths() == ["/p?a=1"]


def test_the_name_goes_to_the_shop_and_the_connection_to_the_checked_address():
    with serve(lambda _: [answer(PAGE)]) as server:
        fetched = get(shop(server), allow=allowed(server))
    assert fetched.body == PAGE
    assert f"Host: shop.localhost:{server.port}".encode() in server.requests[0]


def test_a_handshake_names_the_shop_although_its_address_is_asked():
    with serve(lambda _: []) as server:
        url = f"https://shop.localhost:{server.port}/"
        fetched = get(url, allow=allowed(server))
    # the first bytes of a TLS connection carry the name in the clear
    assert b"shop.localhost" in server.requests[0]
    assert fetched.error in ("tls_failed", "connect_failed")


def test_a_name_that_changes_its_answer_is_asked_once_per_hop():
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    asked = []

    async def changing(host, port):
        asked.append(host)
        return next(answers)

    with serve(lambda _: [answer(PAGE)]) as server:
        fetched = get(shop(server), resolve=changing, allow=allowed(server))
    assert (fetched.body, asked) == (PAGE, ["shop.localhost"])


def test_a_name_that_turns_inside_at_a_redirect_is_refused():
    answers = iter([["127.0.0.1"], ["10.0.0.7"]])

    async def changing(host, port):
        return next(answers)

    with serve(lambda _: [redirect("/again")]) as server:
        fetched = get(shop(server), resolve=changing, allow=allowed(server))
    assert (fetched.error, fetched.body) == ("address_refused", b"")
    assert server.paths() == ["/p"]


@pytest.mark.parametrize(
    "addresses",
    [
        *(["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["100.64.0.1"], ["::1"]),
        *(["fd00::1"], ["::ffff:127.0.0.1"], ["64:ff9b::a9fe:a9fe"], ["fe80::1%eth0"]),
        *(["93.184.215.14", "127.0.0.1"], ["nonsense"]),
    ],
)
def test_a_name_with_an_address_inside_is_refused_after_it_was_resolved(addresses):
    async def inside(host, port):
        return addresses

    fetched = get("https://shop.example/p", resolve=inside)
    assert (fetched.error, fetched.status) == ("address_refused", None)


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("http://169.254.169.254/latest/meta-data/", "address_refused"),
        ("http://127.0.0.1/", "address_refused"),
        ("http://[::1]/", "address_refused"),
        ("http://localhost/", "host_refused"),
        ("file:///etc/passwd", "scheme_refused"),
        ("http://user:word@shop.example/", "userinfo_refused"),
        ("//shop.example:22/", "port_refused"),
        ("http://[", "url_unreadable"),
    ],
)
def test_every_hop_is_checked(target, error):
    with serve(lambda _: [redirect(target)]) as server:
        fetched = get(f"http://{server.place}/p", server)
    assert (fetched.error, fetched.body) == (error, b"")
    assert len(server.requests) == 1


def test_loopback_on_another_port_is_not_allowed_along():
    with serve(lambda _: [answer(PAGE)]) as other:
        with serve(lambda _: [redirect(f"http://{other.place}/")]) as server:
            fetched = get(f"http://{server.place}/p", server)
        assert fetched.error == "port_refused"
        assert other.requests == []


def test_an_allowed_name_reaches_loopback_and_no_other_address_inside():
    async def inside(host, port):
        return ["10.0.0.1"]

    fetched = get("http://shop.example:81/", resolve=inside, allow={"shop.example:81"})
    assert fetched.error == "address_refused"


def test_five_redirects_are_followed_and_a_sixth_is_not():
    def count(request):
        step = int(request.split()[1][1:])
        return [redirect(f"/{step - 1}") if step else answer(PAGE)]

    with serve(count) as server:
        whole = get(f"http://{server.place}/5", server)
        cut = get(f"http://{server.place}/6", server)
    assert (whole.body, len(whole.hops)) == (PAGE, 6)
    assert (cut.error, cut.status, cut.body) == ("too_many_redirects", 302, b"")


def test_a_redirect_loop_ends():
    with serve(lambda request: [redirect("/p")]) as server:
        assert get(f"http://{server.place}/p", server).error == "too_many_redirects"
    assert len(server.requests) == 6


def test_a_fragment_outlives_a_redirect_unless_it_has_its_own():
    targets = {b"/a": "/b", b"/c": "/b#own"}

    def script(request):
        target = targets.get(request.split()[1])
        return [redirect(target) if target else answer(PAGE)]

    with serve(script) as server:
        kept = get(f"http://{server.place}/a#/4951-size-2_6m", server)
        own = get(f"http://{server.place}/c#/4951-size-2_6m", server)
    assert kept.final_url == f"http://{server.place}/b#/4951-size-2_6m"
    assert own.final_url == f"http://{server.place}/b#own"


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(PAGE, mtime=0)),
        ("x-gzip", gzip.compress(PAGE, mtime=0)),
        ("deflate", zlib.compress(PAGE)),
        ("deflate", zlib.compress(PAGE)[2:-4]),
        ("identity", PAGE),
    ],
    ids=["gzip", "x-gzip", "zlib", "bare deflate", "identity"],
)
def test_a_packed_body_is_unpacked(encoding, packed):
    header = (f"Content-Encoding: {encoding}",)
    with serve(lambda _: [answer(packed, headers=header)]) as server:
        assert get(f"http://{server.place}/", server).body == PAGE


@pytest.mark.parametrize(
    ("encoding", "body", "error"),
    [
        ("gzip", gzip.compress(b"\0" * 50_000_000, mtime=0), "too_large"),
        ("deflate", zlib.compress(b"\0" * 50_000_000), "too_large"),
        ("gzip", gzip.compress(PAGE, mtime=0)[:-9], "cut_short"),
        ("gzip", b"no gzip", "protocol_error"),
        ("br", PAGE, "encoding_refused"),
        ("gzip, gzip", PAGE, "encoding_refused"),
        ("identity", b"x" * 100_001, "too_large"),
    ],
    ids=[
        *("gzip bomb", "deflate bomb", "gzip cut", "no gzip", "brotli", "gzip twice"),
        "long",
    ],
)
def test_a_body_that_grows_past_its_limit_or_cannot_be_unpacked_is_none(
    encoding, body, error
):
    header = (f"Content-Encoding: {encoding}",)
    with serve(lambda _: [answer(body, headers=header)]) as server:
        fetched = get(f"http://{server.place}/", server)
    assert (fetched.error, fetched.status, fetched.body) == (error, 200, b"")


def test_a_body_at_its_limit_is_whole():
    with serve(lambda _: [answer(b"x" * 100_000)]) as server:
        assert len(get(f"http://{server.place}/", server).body) == 100_000


def test_a_body_without_a_length_is_cut_at_its_limit():
    def endless(_):
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            yield b"x" * 65536

    with serve(endless) as server:
        assert get(f"http://{server.place}/", server).error == "too_large"


def _drip(_):
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    while True:
        yield b"x"
        yield 0.05


def _slow_headers(_):
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield b"X-More: 1\r\n"
        yield 0.05


def _slow_hops(_):
    yield 0.15
    yield redirect("/p")


@pytest.mark.parametrize("script", [_drip, _slow_headers, _slow_hops, lambda _: [9.0]])
def test_all_of_a_fetch_has_one_limit_of_time(script):
    start = time.monotonic()
    with serve(script) as server:
        fetched = get(f"http://{server.place}/p", server, limits=Limits(seconds=0.4))
        taken = time.monotonic() - start
    assert (fetched.error, fetched.body) == ("timed_out", b"")
    # generous: the machine may be busy, but no script ends before nine seconds
    assert taken < 5


def test_a_resolver_that_hangs_has_the_same_limit():
    async def hang(host, port):
        await asyncio.sleep(60)

    fetched = get("http://shop.example/", resolve=hang, limits=Limits(seconds=0.1))
    assert fetched.error == "timed_out"


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf", "cut_short"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nbody", "protocol_error"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n", "too_large"),
        (b"", "cut_short"),
        (b"\xff\xfe hello\r\n\r\n", "protocol_error"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000, "protocol_error"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "protocol_error",
        ),
    ],
)
def test_a_broken_answer_has_a_name_and_no_body(sent, error):
    with serve(lambda _: [sent]) as server:
        fetched = get(f"http://{server.place}/", server)
    assert (fetched.error, fetched.body) == (error, b"")


def test_a_body_longer_than_its_length_ends_there():
    sent = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage and more"
    with serve(lambda _: [sent]) as server:
        assert get(f"http://{server.place}/", server).body == b"page"


def test_a_name_that_does_not_resolve_and_a_closed_port_have_names():
    async def unknown(host, port):
        raise OSError("no such host")

    async def empty(host, port):
        return []

    assert get("http://shop.example/", resolve=unknown).error == "name_not_found"
    assert get("http://shop.example/", resolve=empty).error == "name_not_found"
    with serve(lambda _: []) as server:
        place = server.place
    assert get(f"http://{place}/", allow={place}).error == "connect_failed"


def test_the_next_address_is_asked_where_one_takes_no_connection():
    async def two(host, port):
        return ["127.0.0.2", "127.0.0.1"]

    with serve(lambda _: [answer(PAGE)]) as server:
        fetched = get(shop(server), resolve=two, allow=allowed(server))
    assert fetched.body == PAGE


def test_a_client_keeps_no_cookie_and_asks_no_proxy(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1/")
    header = ("Set-Cookie: who=me; Path=/",)

    async def twice(url, allow):
        async with new_client() as client:
            for _ in range(2):
                await fetch(url, allow=allow, client=client, resolve=loopback)

    with serve(lambda _: [answer(PAGE, headers=header)]) as server:
        asyncio.run(twice(f"http://{server.place}/", {server.place}))
    assert len(server.requests) == 2
    assert not any(b"cookie" in request.lower() for request in server.requests)
