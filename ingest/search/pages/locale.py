"""Whether a page speaks to buyers in the United States, so that ``$`` is USD (4.4)."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_REGION = re.compile(
    r"^[a-z]{2,3}[-_](?:[a-z]{4}[-_])?(?P<region>[a-z]{2})$", re.IGNORECASE
)
_PATH_REGION = re.compile(
    r"^/(?:[a-z]{2}[-_](?P<region>[a-z]{2})|(?P<alone>ca|au|nz|uk|gb|hk|mx|sg|ie|in))(?:/|$)",
    re.IGNORECASE,
)
# two letters that shops anywhere use as if they named no country
_GENERIC = frozenset({"ai", "co", "gg", "io", "ly", "me", "tv", "us"})


def is_us_page(url: str, locales: tuple[str | None, ...]) -> bool:
    """Return whether a page is for buyers in the United States.

    Parameters
    ----------
    url
        Of the page.
    locales
        What the page says of itself (``lang``, ``og:locale``); the first with a region
        decides.

    Returns
    -------
    bool
        By the locale, else by the region in the path, else by the host's last part.
    """
    for locale in locales:
        found = _REGION.match((locale or "").strip())
        if found:
            return found["region"].lower() == "us"
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    path = _PATH_REGION.match(parts.path)
    if path:
        return (path["region"] or path["alone"]).lower() == "us"
    last = host.rpartition(".")[2]
    return len(last) != 2 or last in _GENERIC
