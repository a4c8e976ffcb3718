"""Where a redirecting address of a search service leads; the shop is not asked."""

from __future__ import annotations

from urllib.parse import urljoin

import httpx

_TRIES = 2
_TIMEOUT_S = 20.0


async def led_to(address: str, client: httpx.AsyncClient) -> str | None:
    """Return where an address redirects to, None where nobody says.

    Parameters
    ----------
    address
        Of a search service, not of a page that an agent found.
    client
        Asks that service alone: its ``Location`` is read and not followed.

    Returns
    -------
    str or None
        An http(s) address.
    """
    for _ in range(_TRIES):
        try:
            reply = await client.get(
                address, follow_redirects=False, timeout=_TIMEOUT_S
            )
        except (httpx.HTTPError, httpx.InvalidURL):
            continue
        found = str(urljoin(address, reply.headers.get("location", "")))
        if reply.is_redirect and found != address and found.startswith("http"):
            return found
        return None
    return None
