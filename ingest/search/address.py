"""Addresses of product pages: which are one page, and which may be looked at."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from urllib.parse import quote, unquote, urlsplit, urlunsplit

# what follows a buyer around and names no product (search.md 5.6 and 13: closed)
TRACKING = frozenset(
    {
        *("gclid", "fbclid", "msclkid", "srsltid", "ref", "ref_", "tag", "ascsubtag"),
        *("irclickid", "cjevent", "_pos", "_sid", "epik"),
    }
)
TRACKING_STARTS = ("utm_", "aff")

_LABEL = r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?"
_HOST = re.compile(rf"{_LABEL}(\.{_LABEL})+")
_HOST_LENGTH = 253
# names that lead into somebody's own network
_PRIVATE_ENDS = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)
# what may stand in a path, query or fragment as it is (RFC 3986, 3.3 and 3.4)
_AS_IT_IS = "%!$&'()*+,;=:@/?"
# what most parts are made of: they have one spelling
_SIMPLE = re.compile(r"[A-Za-z0-9._~/-]*")

Pairs = Sequence[tuple[str, str]]
_PLACE = r"(?:com|[a-z]{2}|com?\.[a-z]{2})"
_AMAZON = re.compile(
    r"/(?:dp|gp/product|gp/aw/d|gp/offer-listing|product|o/asin|exec/obidos/asin)"
    r"/(?P<id>[a-z0-9]{10})(?:/|$)",
    re.IGNORECASE,
)
_NUMBER = r"(?P<id>[0-9]+)(?:/|$)"
# shop -> its hosts, where its number stands, how its pages are written, what is kept
_SHOPS: tuple[
    tuple[re.Pattern[str], re.Pattern[str], Callable[[str], str], tuple[str, ...]], ...
] = (
    (
        re.compile(rf"(?:.+\.)?amazon\.{_PLACE}"),
        _AMAZON,
        lambda number: f"/dp/{number.upper()}",
        ("smid",),
    ),
    (
        re.compile(rf"(?:.+\.)?walmart\.{_PLACE}"),
        re.compile(rf"^/ip/(?:[^/]*/)?{_NUMBER}"),
        lambda number: f"/ip/{number}",
        (),
    ),
    (
        re.compile(rf"(?:.+\.)?ebay\.{_PLACE}"),
        re.compile(rf"^/itm/(?:[^/]*/)?{_NUMBER}"),
        lambda number: f"/itm/{number}",
        ("var",),
    ),
    (
        re.compile(r"(?:.+\.)?target\.com"),
        re.compile(rf"/A-{_NUMBER}", re.IGNORECASE),
        lambda number: f"/A-{number}",
        (),
    ),
)


# one look for all of them, since most hosts are none
_NAMED = re.compile("amazon|walmart|ebay|target")
# an address of which no part has another spelling
_USUAL = re.compile(
    r"https?://(?:www\.)?(?P<host>(?!www\.)[a-z0-9.-]+)(?P<path>/[A-Za-z0-9._~/-]*)?"
)


def canonical(url: str) -> str:
    """Return the one address under which a product page is known (search.md 5.6).

    https, host in lower case without ``www.``, no port, user or slash at the end;
    tracking parameters left out and the others sorted; no fragment but ``#/…``, where
    some shops name the variant. Pages of Amazon, Walmart, eBay and Target are known by
    their number; there everything else goes, variants included. Spellings that RFC 3986
    (6.2.2) calls equivalent give one address.

    Parameters
    ----------
    url
        As an agent or a page wrote it.

    Returns
    -------
    str
        Starts with ``https://``; the same for itself.

    Raises
    ------
    ValueError
        Where it is no http(s) address of a public host, in one line.
    """
    usual = _USUAL.fullmatch(url)
    if usual and is_public(usual["host"]) and not _NAMED.search(usual["host"]):
        return f"https://{usual['host']}{(usual['path'] or '').rstrip('/')}"
    try:
        parts = urlsplit(url.strip())
        name = parts.hostname or ""
    except ValueError as error:
        raise ValueError(f"{url[:80]!r} is no address ({error})") from None
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"{url[:80]!r} is no address of a web page")
    host = _host(name)
    if not is_public(host):
        raise ValueError(f"{url[:80]!r} is on no public host")
    path = _spelled(parts.path).rstrip("/")
    pairs = sorted(_pairs(parts.query))
    for hosts, pattern, written, kept in _SHOPS if _NAMED.search(host) else ():
        found = pattern.search(path) if hosts.fullmatch(host) else None
        if found:
            path = written(found["id"])
            return _joined(host, path, [one for one in pairs if one[0] in kept], "")
    fragment = _spelled(parts.fragment)
    if not re.match(r"/.", fragment):
        fragment = ""
    return _joined(host, path, pairs, fragment)


def host_of(url: str) -> str:
    """Return the host of an address, in lower case without ``www.``.

    Parameters
    ----------
    url
        Any text.

    Returns
    -------
    str
        Empty where there is none.
    """
    try:
        return _host(urlsplit(url.strip()).hostname or "")
    except ValueError:
        return ""


def is_public(host: str) -> bool:
    """Return whether a host may be public by how it is written; nothing is looked up.

    Parameters
    ----------
    host
        In lower case, as `host_of` gives it.

    Returns
    -------
    bool
        False for names without a dot or of a network at home, and for addresses that
        are no plain public IPv4.
    """
    if len(host) > _HOST_LENGTH or _HOST.fullmatch(host) is None:
        return False
    if host.endswith(_PRIVATE_ENDS):
        return False
    last = host.rsplit(".", 1)[1]
    if last.isdigit() or re.fullmatch(r"0x[0-9a-f]*", last):
        # 127.1 and 0x7f.0.0.1 are addresses to a client, and not to this module
        try:
            return ipaddress.IPv4Address(host).is_global
        except ValueError:
            return False
    return True


def _host(name: str) -> str:
    name = name.lower().rstrip(".")
    if not name.isascii():
        try:
            name = name.encode("idna").decode()
        except UnicodeError:
            return ""
    while name.startswith("www.") and name.count(".") > 1:
        name = name[len("www.") :]
    return name


def _pairs(query: str) -> list[tuple[str, str]]:
    """Return the parameters that are kept; one without a value has an empty one."""
    found = []
    for part in query.split("&"):
        name, _, value = part.partition("=")
        if part and not _is_tracking(unquote(name).lower()):
            found.append((_spelled(name), _spelled(value)))
    return found


def _is_tracking(name: str) -> bool:
    return name in TRACKING or name.startswith(TRACKING_STARTS)


def _joined(host: str, path: str, pairs: Pairs, fragment: str) -> str:
    query = "&".join(f"{name}={value}" if value else name for name, value in pairs)
    return urlunsplit(("https", host, path, query, fragment))


def _spelled(text: str) -> str:
    """Return a part of an address with its escapes in their one spelling."""

    def one(escape: re.Match[str]) -> str:
        character = chr(int(escape[1], 16))
        return character if character in _UNRESERVED else escape[0].upper()

    if _SIMPLE.fullmatch(text):
        return text
    # a lone % stands for itself, so that it must be escaped first
    whole = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", text)
    return _ESCAPE.sub(one, quote(whole, safe=_AS_IT_IS))
