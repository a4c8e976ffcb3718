"""What the address of a page selects: which product, which of its variants (4.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, urljoin, urlsplit

from ingest.search.address import canonical, host_of

_SELECTORS = frozenset({"variant", "sku", "skuid", "var"})
_FRAGMENT_ID = re.compile(r"/([0-9]+)(?:-|$)")
# a shorter number stands in many an address by chance
_SHORTEST_IDENTIFIER = 4


@dataclass(frozen=True, slots=True)
class UrlSelection:
    """Addresses of a page.

    Attributes
    ----------
    final_url
        Where redirects ended, with its fragment.
    canonical_url
        What the page calls its own, absolute; None where it names none.
    """

    final_url: str
    canonical_url: str | None = None

    def absolute(self, url: str) -> str | None:
        """Return an address of the page as an absolute one, None where it is none."""
        try:
            whole = urljoin(self.final_url, url.strip())
            return whole if urlsplit(whole).scheme in ("http", "https") else None
        except ValueError:
            return None

    def is_page(self, url: str) -> bool:
        """Return whether an address is that of the page, as asked or as it says."""
        own = self.canonical_url
        return self.is_asked(url) or (own is not None and self._is(url, own))

    def is_asked(self, url: str) -> bool:
        """Return whether an address is the one that was asked, variant included."""
        return self._is(url, self.final_url)

    def holds(self, identifier: str) -> bool:
        """Return whether an identifier stands in the address as a whole."""
        if len(identifier) < _SHORTEST_IDENTIFIER:
            return False
        parts = _split(self.final_url)
        place = rf"(?<![a-z0-9]){re.escape(identifier.lower())}(?![a-z0-9])"
        return parts is not None and bool(
            re.search(place, f"{parts.path}?{parts.query}#{parts.fragment}".lower())
        )

    def values(self) -> frozenset[str]:
        """Return the identifiers of a variant in the address, in small letters."""
        parts = _split(self.final_url)
        if parts is None:
            return frozenset()
        pairs = parse_qsl(parts.query[:4_000])
        named = {value.lower() for name, value in pairs if name.lower() in _SELECTORS}
        return frozenset(named | set(_FRAGMENT_ID.findall(self.fragment())))

    def is_shop(self, seller: str) -> bool:
        """Return whether a seller, in small letters, is the shop whose page it is."""
        shop = host_of(self.final_url).split(".")[0]
        return bool(shop) and shop == re.sub(r"[^a-z0-9]|\.com$|,? inc\.?$", "", seller)

    def fragment(self) -> str:
        """Return a fragment that selects a variant (``/123-red``), else nothing.

        No shop sees it, so that a page cannot answer to it before scripts run.
        """
        parts = _split(self.final_url)
        is_selecting = parts is not None and re.match(r"/[0-9]", parts.fragment)
        return parts.fragment if parts is not None and is_selecting else ""

    def _is(self, url: str, other: str) -> bool:
        whole = self.absolute(url)
        return whole is not None and _known_as(whole) == _known_as(other)


def _known_as(url: str) -> str:
    try:
        return canonical(url)
    except ValueError:
        # shops of this machine have no canonical address
        return url.rstrip("/")


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None
