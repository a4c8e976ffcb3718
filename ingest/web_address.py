"""Which addresses a page may be fetched from: public hosts, nothing of this network.

Addresses of pages come from models and from pages, so that each is taken for hostile.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Container

import httpx

# names of what is refused, as they stand in artifacts
UNREADABLE = "url_unreadable"
SCHEME = "scheme_refused"
USERINFO = "userinfo_refused"
PORT = "port_refused"
HOST = "host_refused"
ADDRESS = "address_refused"

LONGEST_URL = 8_192

_UNSEEN = re.compile(r"[\x00-\x20\x7f\\]|[^\S ]")
_PRIVATE_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".onion")
_NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)", re.IGNORECASE)

_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
# addresses of IPv6 that hold one of IPv4: what counts is where they lead
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# tunnels that no shop stands behind, and their relays can be anybody's
_TUNNELS = (ipaddress.IPv6Network("2002::/16"), ipaddress.IPv6Network("2001::/32"))
_ISATAP = (0x00005EFE, 0x02005EFE)
# set aside by their registry, but global to some versions of Python; the last is the
# wire server of a cloud, at a public address
_SET_ASIDE = tuple(
    ipaddress.IPv4Network(network)
    for network in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")
)


def read_url(url: str, allow: Container[str] = ()) -> httpx.URL | str:
    """Return an address that may be asked, or the name of what is wrong with it.

    Parameters
    ----------
    url
        Anything.
    allow
        ``host:port`` that may be reached although its port or host would be refused.

    Returns
    -------
    httpx.URL or str
        Where it is a name, one of this module's constants.
    """
    if len(url) > LONGEST_URL or _UNSEEN.search(url):
        return UNREADABLE
    try:
        parsed = httpx.URL(url)
        host = parsed.raw_host.decode("ascii")
    except (httpx.InvalidURL, ValueError):
        return UNREADABLE
    if parsed.scheme not in ("http", "https"):
        return SCHEME
    if parsed.userinfo:
        return USERINFO
    if not host:
        return UNREADABLE
    if f"{host}:{port_of(parsed)}" in allow:
        return parsed
    if parsed.port is not None:
        return PORT
    return _refused_host(host) or parsed


def port_of(url: httpx.URL) -> int:
    """Return the port of an address, its scheme's own where it names none."""
    return url.port or (443 if url.scheme == "https" else 80)


def _refused_host(host: str) -> str | None:
    name = host.rstrip(".").lower()
    try:
        ipaddress.ip_address(name)
    except ValueError:
        # 127.1 and 0x7f000001 are addresses to some resolvers
        if _NUMERIC.fullmatch(name) or "%" in name:
            return UNREADABLE
        if "." not in name or name.endswith(_PRIVATE_NAMES):
            return HOST
        return None
    return None if is_public(name) else ADDRESS


def is_public(address: str) -> bool:
    """Return whether an address of IPv4 or IPv6 stands on the public internet.

    Parameters
    ----------
    address
        As a resolver gives it; anything.

    Returns
    -------
    bool
        False for private, loopback, link-local, shared (carrier) and metadata
        addresses, for multicast and what is reserved, for addresses of IPv6 that lead
        to one of these, and for what is no address.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv4Address):
        return _is_public_v4(parsed)
    if parsed.scope_id is not None:
        return False
    if parsed.ipv4_mapped is not None:
        return _is_public_v4(parsed.ipv4_mapped)
    if parsed in _NAT64:
        return _is_public_v4(ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF))
    return (
        parsed in _GLOBAL_V6
        and parsed.is_global
        and not any(parsed in tunnel for tunnel in _TUNNELS)
        and (int(parsed) >> 32) & 0xFFFFFFFF not in _ISATAP
    )


def is_loopback(address: str) -> bool:
    """Return whether an address is that of this machine."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _is_public_v4(address: ipaddress.IPv4Address) -> bool:
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in _SET_ASIDE)
    )
