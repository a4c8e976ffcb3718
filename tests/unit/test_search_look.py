"""Looking at a page: what is kept of it, and what is not taken for an offer."""

from __future__ import annotations

import asyncio
import io
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from PIL import Image

from ingest.search.look import web_look
from ingest.web import Fetched

NOW = datetime(2026, 11, 2, 17, 0, tzinfo=UTC)
URL = "https://shop.example/p/2"
PAGE = b"""<!doctype html><html><head><title>Oat Milk</title>
<script type="application/ld+json">{"@context": "https://schema.org",
"@type": "Product", "name": "Oat Milk, 6 Pack", "image": "/oat.png",
"offers": {"@type": "Offer", "price": "17.50", "priceCurrency": "USD",
"availability": "https://schema.org/InStock"}}</script></head>
<body><h1>Oat Milk, 6 Pack</h1></body></html>"""


def png(side):
    packed = io.BytesIO()
    Image.new("RGB", (side, side), (200, 180, 20)).save(packed, "PNG")
    return packed.getvalue()


def looked(answers, url=URL):
    asked = []

    async def fetched(address):
        asked.append(address)
        status, body, error = answers.get(address, (404, b"", None))
        return Fetched(address, address, status, {}, body, (address,), error)

    return asyncio.run(web_look(lambda: NOW, fetched)(url)), asked


def test_a_page_gives_its_offer_its_picture_and_its_snapshot():
    image = "https://shop.example/oat.png"
    capture, asked = looked({URL: (200, PAGE, None), image: (200, png(200), None)})
    page = capture.page
    assert (page.state, page.price, page.currency) == ("ok", Decimal("17.50"), "USD")
    assert (page.title, page.pack.count) == ("Oat Milk, 6 Pack", 6)
    assert capture.snapshot == PAGE
    assert asked == [URL, image]
    with Image.open(io.BytesIO(capture.image)) as picture:
        assert (picture.format, picture.size) == ("JPEG", (200, 200))


@pytest.mark.parametrize(
    "answer", [(404, b"", None), (200, b"<html>", None), (200, png(20), None)]
)
def test_a_picture_that_is_none_or_too_small_is_missing(answer):
    image = "https://shop.example/oat.png"
    capture, _ = looked({URL: (200, PAGE, None), image: answer})
    assert capture.image is None
    assert capture.page.state == "ok"


def test_a_page_that_did_not_come_has_its_error_and_no_price():
    capture, asked = looked({URL: (None, b"", "timed_out")})
    assert (capture.page.state, capture.page.price) == ("unreadable", None)
    assert (capture.error, capture.image, capture.snapshot) == ("timed_out", None, b"")
    assert asked == [URL]


def test_a_wall_is_a_wall():
    capture, _ = looked({URL: (403, b"<html>robot check</html>", None)})
    assert (capture.page.state, capture.page.price) == ("blocked", None)
