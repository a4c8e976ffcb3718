"""How a page client reaches the shops of the world, which are in no name service."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import httpx

from ingest.world.place import ADDRESS
from ingest.world.shops import HOSTS

# what the page client may reach on loopback
ALLOW = frozenset(f"{host}:443" for host in HOSTS)


async def resolve(host: str, port: int) -> Sequence[str]:
    """Return the address of a shop, as ``ingest.web.fetch`` asks for it.

    Parameters
    ----------
    host, port
        Of a page.

    Returns
    -------
    sequence of str
        Loopback.

    Raises
    ------
    OSError
        For any other host: nothing of the world leaves this machine.
    """
    if host.removeprefix("www.") not in HOSTS:
        raise OSError(f"{host} is no shop of the offline world")
    return [ADDRESS]


def client(address: str) -> httpx.AsyncClient:
    """Return a client whose requests to shops go to a world that is served.

    Parameters
    ----------
    address
        ``http://127.0.0.1:<port>``.

    Returns
    -------
    httpx.AsyncClient
        To be closed by its owner. It follows no redirect, as a page client wants it.
    """
    transport = _ToWorld(urlsplit(address).port or 80)
    return httpx.AsyncClient(transport=transport, trust_env=False)


class _ToWorld(httpx.AsyncHTTPTransport):
    """Sends https requests to shops over http to the world's port."""

    def __init__(self, port: int) -> None:
        # nothing is encrypted on the way to loopback, so no certificates are loaded
        super().__init__(verify=False)
        self._port = port

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host = request.headers["host"].partition(":")[0].removeprefix("www.")
        if host not in HOSTS:
            raise httpx.ConnectError(f"{host} is no shop of the offline world")
        # the client keeps the address that it asked for: redirects start from there
        sent = httpx.Request(
            request.method,
            request.url.copy_with(scheme="http", host=ADDRESS, port=self._port),
            headers=request.headers,
            stream=request.stream,
            extensions=request.extensions,
        )
        return await super().handle_async_request(sent)
