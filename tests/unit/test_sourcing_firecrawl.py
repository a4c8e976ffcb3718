"""Pages rendered by Firecrawl: the exact request, and every shape of an answer."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from ingest.search.sourcing.firecrawl import firecrawl
from ingest.web import Fetched

KEY = "fc-secret"
URL = "https://shop.example/best?page=1"


def render(handle, key: str = KEY) -> Fetched:
    async def go() -> Fetched:
        transport = httpx.MockTransport(handle)
        async with httpx.AsyncClient(transport=transport) as client:
            return await firecrawl(key, client)(URL)

    return asyncio.run(go())


def test_the_request_asks_for_the_page_as_it_is_now_seen_from_the_united_states():
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        page = {
            **{"rawHtml": "<p>ü</p>"},
            "metadata": {"statusCode": 200, "url": "https://shop.example/best"},
        }
        return httpx.Response(200, json={"success": True, "data": page})

    assert render(handle) == Fetched(
        URL,
        "https://shop.example/best",
        200,
        {"content-type": "text/html; charset=utf-8"},
        "<p>ü</p>".encode(),
    )
    (request,) = seen
    assert (request.method, str(request.url)) == (
        *("POST", "https://api.firecrawl.dev/v2/scrape"),
    )
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.content) == {
        **{"url": URL, "formats": ["rawHtml"], "onlyMainContent": False},
        **{"maxAge": 0, "timeout": 60_000, "location": {"country": "US"}},
    }


def test_a_page_that_the_shop_refused_keeps_its_status():
    page = {"rawHtml": "<p>no</p>", "metadata": {"statusCode": 403}}
    got = render(lambda _: httpx.Response(200, json={"success": True, "data": page}))
    assert (got.final_url, got.status, got.error) == (URL, 403, None)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"status_code": 402, "json": {"success": False}}, "answered HTTP 402"),
        (
            {"status_code": 200, "text": "<html>"},
            "the renderer failed (JSONDecodeError",
        ),
        ({"status_code": 200, "json": []}, "answered HTTP 200"),
        (
            {"status_code": 200, "json": {"success": False, "error": "timed out"}},
            "the renderer gave no page (timed out)",
        ),
        (
            {"status_code": 200, "json": {"success": True, "data": {"html": "x"}}},
            "the renderer gave no page (None)",
        ),
        (
            {"status_code": 200, "json": {"error": f"bad key {KEY}\nat line 1"}},
            "the renderer gave no page (bad key <key> at line 1)",
        ),
    ],
)
def test_any_other_answer_is_an_error_in_one_line(answer: dict[str, Any], says: str):
    got = render(lambda _: httpx.Response(**answer))
    assert got.status is None
    assert got.body == b""
    assert says in (got.error or "")
    assert KEY not in (got.error or "")
    assert "\n" not in (got.error or "")


def test_a_service_out_of_reach_is_an_error_and_no_exception():
    def handle(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(f"no route with {KEY}", request=request)

    got = render(handle)
    assert got.error == "the renderer failed (ConnectError: no route with <key>)"
