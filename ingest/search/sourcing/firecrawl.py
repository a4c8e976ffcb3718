"""Shop pages as a browser shows them, by the Firecrawl service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import httpx

from ingest.keys import hide, redact
from ingest.web import Fetched

ADDRESS = "https://api.firecrawl.dev/v2/scrape"
# the service waits for the page itself for so long
_PAGE_MS = 60_000
_TIMEOUT_S = 90.0


def firecrawl(
    key: str, client: httpx.AsyncClient, address: str = ADDRESS
) -> Callable[[str], Awaitable[Fetched]]:
    """Return a renderer of pages.

    Parameters
    ----------
    key
        Of the service.
    client
        That its answers come through.
    address
        Of the service.

    Returns
    -------
    callable
        Address -> what the service gave, with ``error`` in words; it never raises.
    """

    async def render(url: str) -> Fetched:
        asked = {
            **{"url": url, "formats": ["rawHtml"], "onlyMainContent": False},
            # a page of two days ago is no evidence of what is sold now
            **{"maxAge": 0, "timeout": _PAGE_MS, "location": {"country": "US"}},
        }
        headers = {"Authorization": f"Bearer {key}"}
        try:
            answer = await client.post(
                address, json=asked, headers=headers, timeout=_TIMEOUT_S
            )
            body = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            return _none(url, f"the renderer failed ({type(error).__name__}: {error})")
        if not isinstance(body, dict) or not answer.is_success:
            return _none(url, f"the renderer answered HTTP {answer.status_code}")
        return _rendered(url, body)

    def _none(url: str, reason: str) -> Fetched:
        return Fetched(url, url, error=redact(reason.replace(key, "<key>")))

    def _rendered(url: str, body: dict[str, object]) -> Fetched:
        data = body.get("data")
        held = data if isinstance(data, dict) else {}
        told = held.get("metadata")
        facts = told if isinstance(told, dict) else {}
        html, status = held.get("rawHtml"), facts.get("statusCode")
        if body.get("success") is not True or not isinstance(html, str):
            return _none(url, f"the renderer gave no page ({body.get('error')})")
        html = hide(html)
        final = facts.get("url")
        return Fetched(
            url,
            final if isinstance(final, str) and final else url,
            status if isinstance(status, int) else None,
            # as it is written here, whatever the page declares
            {"content-type": "text/html; charset=utf-8"},
            html.encode("utf-8", "replace"),
        )

    return render
