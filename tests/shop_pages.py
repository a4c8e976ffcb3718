"""Pages of made-up shops, for tests of what is read from them."""

import json
from datetime import UTC, datetime

from ingest.search.pages.page import read_page

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
URL = "https://shop.example/p/lamp"
HEADING = "<h1>Lamp</h1>"


def offer(price="12.99", **more):
    return {
        **{"@type": "Offer", "price": price, "priceCurrency": "USD"},
        **{"availability": "https://schema.org/InStock", **more},
    }


def product(offers=None, **more):
    offers = offer() if offers is None else offers
    return {"@type": "Product", "name": "Lamp", "offers": offers, **more}


def script(value, kind="application/ld+json"):
    text = value if isinstance(value, str) else json.dumps(value)
    return f'<script type="{kind}">{text}</script>'


def html(*values, head="", body=HEADING, lang="en-US"):
    scripts = "".join(map(script, values))
    return (
        f'<!doctype html><html lang="{lang}"><head>{head}{scripts}</head>'
        f"<body>{body}</body></html>"
    )


def read(*values, url=URL, status=200, final_url=None, now=NOW, **parts):
    text = html(*values, **parts)
    return read_page(text, url, status=status, now=now, final_url=final_url)


def meta(**tags):
    """Return meta tags; ``__`` in a name stands for a colon."""
    return "".join(
        f'<meta property="{name.replace("__", ":")}" content="{content}">'
        for name, content in tags.items()
    )
