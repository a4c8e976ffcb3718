"""Whether a page is a product's at all: walls, dead links, other pages (4.5, 7.1)."""

from __future__ import annotations

import codecs
import re
from urllib.parse import SplitResult, urlsplit

from selectolax.lexbor import LexborHTMLParser

from ingest.search.pages.same_page import UrlSelection
from ingest.search.pages.stock import is_wall
from ingest.search.pages.visible import visible_text

OK, BLOCKED, DEAD, UNREADABLE = "ok", "blocked", "dead", "unreadable"

_DEAD_STATUS = frozenset({404, 410})
_BLOCKED_STATUS = frozenset({401, 403, 429, 503})

_HOME = re.compile(
    r"/(?:[a-z]{2}(?:[-_][a-z]{2})?/?)?(?:(?:index|home|default)(?:\.[a-z]{3,5})?/?)?",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"/(?:[a-z]{2}(?:[-_][a-z]{2})?/)?(?:search|s|c|cat|cp|b|browse|category|categories"
    r"|catalog|catalogue|catalogsearch|collections?|departments?|shop|products?|store"
    r"|brands?|sale|404|not-?found|error)(?:/|$|\.)",
    re.IGNORECASE,
)
_PRODUCT_BELOW = re.compile(r"/(?:products?|p|dp|ip|itm|item)/[^/]+", re.IGNORECASE)
_QUERY = re.compile(r"(?:^|&)(?:q|query|k|keyword|keywords|search|searchterm|text)=")

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_WEB_CHARSET = re.compile(
    r"utf-?(?:8|16)(?:-sig|-[lb]e)?|ascii|iso8859-[0-9]+|cp(?:125[0-8]|866|874|932|949)"
    r"|koi8-[ru]|shift_jis|euc_(?:jp|kr)|gbk|gb2312|gb18030|big5|mac-roman"
)
_DECLARED_WITHIN = 2_048


def state_of_status(status: int | None) -> str:
    """Return what an HTTP status makes of a page; None is no answer."""
    if status in _DEAD_STATUS:
        return DEAD
    if status in _BLOCKED_STATUS:
        return BLOCKED
    return OK if status is not None and 200 <= status < 300 else UNREADABLE


def is_walled(tree: LexborHTMLParser) -> bool:
    """Return whether a page asks whether its reader is human.

    Parameters
    ----------
    tree
        A page whose data hold no price: a shop's own page may carry a captcha too.

    Returns
    -------
    bool
        By its title and its text.
    """
    title, body = tree.css_first("title"), tree.body
    parts = [
        title.text()[:500] if title is not None else "",
        visible_text(body) if body is not None else "",
    ]
    return is_wall(" ".join(parts))


def is_sent_away(url: str, final_url: str) -> bool:
    """Return whether a redirect ended on a home, category or search page.

    Parameters
    ----------
    url, final_url
        As asked for, and where redirects ended.

    Returns
    -------
    bool
        By the address; False where there was no redirect, or it was one of spelling.
    """
    if UrlSelection(final_url).is_asked(url):
        return False
    asked, ended = _split(url), _split(final_url)
    if asked is None or ended is None:
        return False
    if _HOME.fullmatch(ended.path or "/"):
        return not _HOME.fullmatch(asked.path or "/")
    if _QUERY.search(ended.query.lower()) and not _QUERY.search(asked.query.lower()):
        return True
    return bool(_LIST.match(ended.path)) and not _PRODUCT_BELOW.search(ended.path)


def page_text(body: bytes, content_type: str) -> str:
    """Return the text of a page.

    Parameters
    ----------
    body
        Its bytes; anything.
    content_type
        As the answer says.

    Returns
    -------
    str
        By its byte order mark, else the charset of the answer, else the one that the
        page declares, else UTF-8; bytes that are none are replaced.
    """
    if body.startswith(codecs.BOM_UTF8):
        return body.decode("utf-8-sig", "replace")
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    declared = body[:_DECLARED_WITHIN].decode("ascii", "replace")
    for stated in (content_type, declared):
        found = _CHARSET.search(stated)
        if found and _is_charset(found[1]):
            return body.decode(found[1], "replace")
    return body.decode("utf-8", "replace")


def _is_charset(name: str) -> bool:
    """Return whether a name is that of a charset of the web; rot13 is a codec too."""
    try:
        return _WEB_CHARSET.fullmatch(codecs.lookup(name).name) is not None
    except (LookupError, ValueError):
        return False


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None
