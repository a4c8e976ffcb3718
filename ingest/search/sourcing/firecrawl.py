"""Shop pages as a browser shows them, by the Firecrawl service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import httpx

from ingest.keys import redact

ADDRESS = "https://api.firecrawl.dev/v2/scrape"
# the service waits for the page itself for so long
_PAGE_MS = 60_000
_TIMEOUT_S = 90.0


@dataclass(frozen=True, slots=True)
class Rendered:
    """What the service gave for an address.

    Attributes
    ----------
    final_url
        Where redirects ended.
    status
        HTTP status of the page, None where the service got none.
    body
        The document as the browser had it.
    error
        Why there is none, in one line without keys; None where there is one.
    """

    final_url: str
    status: int | None
    body: bytes
    error: str | None


def firecrawl(
    key: str, client: httpx.AsyncClient, address: str = ADDRESS
) -> Callable[[str], Awaitable[Rendered]]:
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
        Address -> what the service gave; it never raises for what happens on the way.
    """

    async def render(url: str) -> Rendered:
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

    def _none(url: str, reason: str) -> Rendered:
        return Rendered(url, None, b"", redact(reason.replace(key, "<key>")))

    def _rendered(url: str, body: dict[str, object]) -> Rendered:
        data = body.get("data")
        held = data if isinstance(data, dict) else {}
        told = held.get("metadata")
        facts = told if isinstance(told, dict) else {}
        html, status = held.get("rawHtml"), facts.get("statusCode")
        if body.get("success") is not True or not isinstance(html, str):
            return _none(url, f"the renderer gave no page ({body.get('error')})")
        final = facts.get("url")
        return Rendered(
            final if isinstance(final, str) and final else url,
            status if isinstance(status, int) else None,
            html.encode(),
            None,
        )

    return render
