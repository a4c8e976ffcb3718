"""Words for stock and condition, and for walls that keep machines out (4.5)."""

from __future__ import annotations

import re
from collections.abc import Mapping

IN_STOCK, NOT_NOW, OUT, STORE_ONLY, UNKNOWN = (
    *("in_stock", "not_now", "out", "store_only", "unknown"),
)
AVAILABILITIES = (IN_STOCK, NOT_NOW, OUT, STORE_ONLY, UNKNOWN)
# those under which nobody can have it sent now
UNBUYABLE = (NOT_NOW, OUT, STORE_ONLY)
NEW, NOT_NEW = "new", "not_new"

_WORDS: Mapping[str, tuple[str, ...]] = {
    IN_STOCK: ("instock", "limitedavailability", "onlineonly", "available", "limited"),
    NOT_NOW: ("backorder", "preorder", "presale", "madetoorder"),
    OUT: (
        *("outofstock", "soldout", "discontinued", "reserved", "unavailable", "oos"),
    ),
    STORE_ONLY: ("instoreonly",),
}
_RESULT = {word: result for result, words in _WORDS.items() for word in words}

_PREFIX = re.compile(r"^\s*(?:https?:)?(?://)?(?:www\.)?schema\.org[/#]", re.IGNORECASE)
_JOINS = re.compile(r"[\s_-]+")

# whole words; "Used by athletes" and "refurbished look" are no conditions
_NOT_NEW_TITLE = re.compile(
    r"\b(?:renewed|refurbished|refurb|reconditioned|remanufactured|open[\s-]box"
    r"|pre[\s-]?owned|second[\s-]hand|for\sparts)\b(?!\s(?:look|style|finish))"
    r"|\bgrade\s[abc]\b(?!\s(?:maple|eggs?|beef|milk|butter|honey|matcha))"
    r"|(?:^|[\[(,|-]\s?)used(?:[\])|,]|\s-\s|\s?$|:)"
    r"|\bused\s(?:condition|like\snew|very\sgood|good|acceptable)\b",
    re.IGNORECASE,
)

_GONE = re.compile(
    r"\bcurrently\sunavailable\b|\bsold\sout\b|\bout\sof\sstock\b|\bno\slonger\s"
    r"(?:available|sold)\b|\btemporarily\sout\sof\sstock\b",
    re.IGNORECASE,
)

_WALL = re.compile(
    r"(?<!re)captcha|robot\scheck|access\sdenied|verify\s(?:that\s)?you\s?(?:are|'re|’re)\s(?:a\s)?"
    r"human|are\syou\sa\s(?:human|robot)|unusual\straffic|checking\syour\sbrowser"
    r"|pardon\sour\sinterruption|attention\srequired|just\sa\smoment\b",
    re.IGNORECASE,
)


def availability(word: object) -> str:
    """Return what a page's word for its stock says.

    Parameters
    ----------
    word
        Anything; a word of schema.org with or without its address, in any case, with
        spaces, ``_`` or ``-``.

    Returns
    -------
    str
        ``in_stock``, ``not_now``, ``out``, ``store_only`` or ``unknown``.
    """
    return _RESULT.get(_bare(word), UNKNOWN)


def condition(word: object, title: str | None = None) -> str:
    """Return whether a product is new.

    Parameters
    ----------
    word
        The page's ``itemCondition``; empty where it has none.
    title
        Of the product; ``Renewed`` and the like count as whole words.

    Returns
    -------
    str
        ``new`` or ``not_new``.
    """
    is_new = _bare(word) in ("", "newcondition", "new", "brandnew")
    marked = title is not None and _NOT_NEW_TITLE.search(title[:1000])
    return NEW if is_new and not marked else NOT_NEW


def says_gone(text: str) -> bool:
    """Return whether text beside the selected variant says that it cannot be bought."""
    return _GONE.search(text) is not None


def is_wall(text: str) -> bool:
    """Return whether text is that of a page which keeps machines out."""
    return _WALL.search(text) is not None


def _bare(word: object) -> str:
    if not isinstance(word, str) or len(word) > 200:
        return ""
    return _JOINS.sub("", _PREFIX.sub("", word)).lower()
