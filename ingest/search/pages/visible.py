"""Text as a reader sees it, and the parts of a page that are beside its product."""

from __future__ import annotations

import re
from itertools import islice

from selectolax.lexbor import LexborNode

_MOST_NODES = 500
_LONGEST = 5_000
_DEEPEST = 40
_BLOCKS = frozenset(
    {
        *(
            "div",
            "p",
            "li",
            "ul",
            "ol",
            "td",
            "tr",
            "table",
            "section",
            "article",
            "br",
        ),
        *("h1", "h2", "h3", "h4", "dl", "dt", "dd", "form", "label", "option", "main"),
    }
)
_UNSEEN = frozenset({"script", "style", "noscript", "template", "head", "svg"})
_STRUCK = frozenset({"del", "s", "strike"})
_CENTS = re.compile(r"\s*[0-9]{2}\s*")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SPACES = re.compile(r"\s+")

_ASIDE_TAGS = frozenset({"aside", "nav", "footer", "header"})
_ASIDE = re.compile(
    r"related|recommend|carousel|similar|upsell|cross-?sell|also-|sponsor|minicart"
    r"|mini-cart|cart-drawer|recently|navigation|footer|review|breadcrumb|bundle"
    r"|protection|warranty|financ|instal",
    re.IGNORECASE,
)


def visible_text(tag: LexborNode) -> str:
    """Return the text of a tag as a reader sees it, on one line.

    Parameters
    ----------
    tag
        Any.

    Returns
    -------
    str
        Two raised digits as cents, a struck price as ``was``; inline tags join words,
        blocks part them.
    """
    parts: list[str] = []
    waiting: list[LexborNode | str] = [tag]
    seen = 0
    while waiting and seen < _MOST_NODES:
        one = waiting.pop()
        seen += 1
        if isinstance(one, str):
            parts.append(one)
            continue
        name = one.tag or ""
        if name == "-text":
            parts.append(one.text_content or "")
            continue
        if name in _UNSEEN or name.startswith(("-", "_", "!")):
            continue
        if name == "sup":
            raised = one.text(deep=True)[:20]
            parts.append(
                raised.strip().translate(_RAISED) if _CENTS.fullmatch(raised) else " "
            )
            continue
        edge = " " if name in _BLOCKS else ""
        waiting.append(f"{edge} " if name in _STRUCK else edge)
        waiting.extend(reversed(list(islice(one.iter(include_text=True), _MOST_NODES))))
        waiting.append(" was " if name in _STRUCK else edge)
    return _SPACES.sub(" ", "".join(parts)[:_LONGEST]).strip()


def is_aside(tag: LexborNode, taken: set[int]) -> bool:
    """Return whether a tag is beside the product, or within one that was taken.

    Parameters
    ----------
    tag
        Any.
    taken
        ``mem_id`` of tags that were taken already.

    Returns
    -------
    bool
        By the names of the tags around it.
    """
    above: LexborNode | None = tag
    for _ in range(_DEEPEST):
        if above is None or above.tag in ("body", "html"):
            return False
        attributes = above.attributes
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        if above.tag in _ASIDE_TAGS or _ASIDE.search(names[:500]):
            return True
        if above is not tag and above.mem_id in taken:
            return True
        above = above.parent
    return True
