"""Fetching a page that a model or another page named, without trusting either.

Every hop is checked before it is asked, and again after its name was resolved; the
connection goes to the very address that was checked, so that a name which changes its
answer gains nothing. No script is run, no cookie kept, no proxy asked.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import zlib
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Container,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy

import httpx

from ingest.web_address import (
    ADDRESS,
    UNREADABLE,
    is_loopback,
    is_public,
    port_of,
    read_url,
)

# names of what went wrong, as they stand in artifacts, beside those of web_address
NAME_NOT_FOUND = "name_not_found"
CONNECT_FAILED = "connect_failed"
TLS_FAILED = "tls_failed"
TIMED_OUT = "timed_out"
TOO_LARGE = "too_large"
TOO_MANY_REDIRECTS = "too_many_redirects"
ENCODING_REFUSED = "encoding_refused"
CUT_SHORT = "cut_short"
PROTOCOL = "protocol_error"

_HEADERS = {
    "User-Agent": "pricebench",
    "Accept": "text/html,application/xhtml+xml;q=0.9,image/*;q=0.8,*/*;q=0.5",
    "Accept-Language": "en-US,en;q=0.8",
    # the encodings whose output can be held to a size
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ADDRESSES_TRIED = 3
_CUT = re.compile("closed connection|disconnected")

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one page may cost (search 7.1).

    Attributes
    ----------
    size
        Bytes of a body, as sent and unpacked.
    seconds
        From the first look-up to the last byte, redirects included.
    redirects
        That are followed.
    """

    size: int = 5 * 1024**2
    seconds: float = 20.0
    redirects: int = 5


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of fetching an address.

    Attributes
    ----------
    url, final_url
        As asked for, and the last that was to be asked; a redirect keeps the fragment
        unless it has its own.
    status
        Of the last answer; None where there was none.
    headers
        Of the last answer, names in small letters.
    body
        Unpacked; empty with an error, for half a page is not one.
    hops
        Addresses that were to be asked, in order, the first included.
    error
        Name of what went wrong; None where the whole answer arrived, whatever its
        status.
    """

    url: str
    final_url: str
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    hops: tuple[str, ...] = ()
    error: str | None = None


class _Refused(Exception):
    """A fetch that ends here; the text is the name of what went wrong."""


@dataclass(slots=True)
class _Trip:
    """What is known of a fetch while it is under way."""

    hops: list[str]
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def new_client() -> httpx.AsyncClient:
    """Return a client for ``fetch``; each worker has one of its own.

    Returns
    -------
    httpx.AsyncClient
        To be closed by its owner.
    """
    client = httpx.AsyncClient(
        headers=_HEADERS,
        follow_redirects=False,
        # a proxy would resolve the name again
        trust_env=False,
        # connections are known by address here, and two shops may share one
        limits=httpx.Limits(max_keepalive_connections=0),
    )
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return client


async def resolve_name(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a host as this machine resolves it.

    Parameters
    ----------
    host, port
        Of the address that is to be asked.

    Returns
    -------
    sequence of str
        Each once, in the resolver's order.

    Raises
    ------
    OSError
        Where the name has no address.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def fetch(
    url: str,
    *,
    resolve: Resolve = resolve_name,
    limits: Limits = LIMITS,
    allow: Container[str] = (),
    client: httpx.AsyncClient | None = None,
) -> Fetched:
    """Fetch a page from the public internet.

    Parameters
    ----------
    url
        Anything.
    resolve
        Host and port to addresses; called once per hop.
    limits
        Of size, time and redirects.
    allow
        ``host:port`` that may be reached on loopback, by the host of the address or
        by the address that its name resolves to.
    client
        From ``new_client``, the worker's own; None: one for this page.

    Returns
    -------
    Fetched
        Never an exception, whatever the address and the answer.
    """
    if client is None:
        async with new_client() as own:
            return await fetch(
                url, resolve=resolve, limits=limits, allow=allow, client=own
            )
    trip = _Trip([url])
    body, error = b"", None
    try:
        async with asyncio.timeout(limits.seconds):
            body = await _follow(trip, resolve, limits, allow, client)
    except _Refused as refusal:
        error = str(refusal)
    except (TimeoutError, httpx.TimeoutException):
        error = TIMED_OUT
    except httpx.ConnectError as failure:
        error = TLS_FAILED if _is_tls(failure) else CONNECT_FAILED
    except httpx.RemoteProtocolError as failure:
        error = CUT_SHORT if _CUT.search(str(failure)) else PROTOCOL
    except (httpx.ReadError, httpx.WriteError):
        error = CUT_SHORT
    except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, ValueError):
        error = PROTOCOL
    except OSError:
        error = CONNECT_FAILED
    return Fetched(
        url, trip.hops[-1], trip.status, trip.headers, body, tuple(trip.hops), error
    )


async def _follow(
    trip: _Trip,
    resolve: Resolve,
    limits: Limits,
    allow: Container[str],
    client: httpx.AsyncClient,
) -> bytes:
    for _ in range(limits.redirects + 1):
        url = read_url(trip.hops[-1], allow)
        if isinstance(url, str):
            raise _Refused(url)
        addresses = await _checked(url, resolve, allow)
        response = await _ask(url, addresses, limits, client)
        try:
            trip.status, trip.headers = response.status_code, _headers(response)
            goes_on = response.status_code in _REDIRECTS
            place = response.headers.get("location") if goes_on else None
            if place is None:
                return await _body(response, limits.size)
        finally:
            await response.aclose()
        trip.hops.append(_target(url, place))
    raise _Refused(TOO_MANY_REDIRECTS)


async def _checked(
    url: httpx.URL, resolve: Resolve, allow: Container[str]
) -> Sequence[str]:
    """Return the addresses of a host, all of them checked."""
    host, port = url.raw_host.decode("ascii").strip("[]"), port_of(url)
    try:
        addresses = await resolve(host, port)
    except (OSError, UnicodeError) as error:
        raise _Refused(NAME_NOT_FOUND) from error
    if not addresses:
        raise _Refused(NAME_NOT_FOUND)
    for address in addresses:
        is_allowed = is_loopback(address) and (
            f"{host}:{port}" in allow or f"{address}:{port}" in allow
        )
        # one bad address spoils the name: which is asked is not for it to say
        if not is_allowed and not is_public(address):
            raise _Refused(ADDRESS)
    return addresses[:_ADDRESSES_TRIED]


async def _ask(
    url: httpx.URL,
    addresses: Sequence[str],
    limits: Limits,
    client: httpx.AsyncClient,
) -> httpx.Response:
    """Ask the first address that takes a connection; host and SNI stay the name."""
    name = url.raw_host.decode("ascii").strip("[]")
    for place, address in enumerate(addresses):
        request = client.build_request(
            "GET",
            url.copy_with(host=address, fragment=None),
            headers={"Host": url.netloc.decode("ascii")},
            extensions={"sni_hostname": name},
            timeout=limits.seconds,
        )
        try:
            return await client.send(request, stream=True)
        except httpx.ConnectError as failure:
            if _is_tls(failure) or place == len(addresses) - 1:
                raise
    raise _Refused(CONNECT_FAILED)


async def _body(response: httpx.Response, most: int) -> bytes:
    """Return a body, unpacked piece by piece so that it never grows past its limit."""
    declared = response.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise _Refused(TOO_LARGE)
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    chunks = _counted(response.aiter_raw(), most)
    if encoding in ("", "identity"):
        return b"".join([chunk async for chunk in chunks])
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise _Refused(ENCODING_REFUSED)
    return await _unpacked(chunks, encoding == "deflate", most)


async def _counted(chunks: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    received = 0
    async for chunk in chunks:
        received += len(chunk)
        if received > most:
            raise _Refused(TOO_LARGE)
        yield chunk


async def _unpacked(chunks: AsyncIterator[bytes], is_deflate: bool, most: int) -> bytes:
    unpacker, unpacked = None, bytearray()
    async for chunk in chunks:
        if unpacker is None and chunk:
            unpacker = zlib.decompressobj(_window(chunk, is_deflate))
        if unpacker is None:
            continue
        try:
            # never more than one byte past the limit, however small the chunk
            unpacked += unpacker.decompress(chunk, most + 1 - len(unpacked))
        except zlib.error as error:
            raise _Refused(PROTOCOL) from error
        if len(unpacked) > most:
            raise _Refused(TOO_LARGE)
    if unpacker is not None and not unpacker.eof:
        raise _Refused(CUT_SHORT)
    return bytes(unpacked)


def _window(start: bytes, is_deflate: bool) -> int:
    if not is_deflate:
        return zlib.MAX_WBITS | 16
    # "deflate" is sent with the zlib header and without it
    return zlib.MAX_WBITS if start[0] & 0x0F == 8 else -zlib.MAX_WBITS


def _target(url: httpx.URL, place: str) -> str:
    try:
        target = url.join(place)
        if url.fragment and "#" not in place:
            target = target.copy_with(fragment=url.fragment)
        return str(target)
    except (httpx.InvalidURL, ValueError) as error:
        raise _Refused(UNREADABLE) from error


def _headers(response: httpx.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _is_tls(failure: BaseException) -> bool:
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
